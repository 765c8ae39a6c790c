"""A graph that was damaged by hand: nodes, relationships and properties drawn by chance.

After every second damage, doctor and its repair end, and doctor does not ask for the repair again. Footage that is
taken in again over the damage is whole, unless the damage changed a value to one that is just as valid. After the
others, the video and the session are forgotten as they are. What is forgotten is gone, and what is taken in after
that is as in a fresh group.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from itertools import chain, zip_longest
from typing import Any, LiteralString, cast

import pytest
from neo4j.exceptions import ConstraintError

from amr_neo4j import Memory
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.wiring import parts
from amr_neo4j.wiring.embedder import open_embedder
from tests.faults.tally import Row, Tally, call
from tests.support.amr_command import Amr
from tests.support.real_ingest import KITCHEN

LABELS = (
    "Group", "Video", "Clip", "Event", "Scene", "Person", "Object", "Session", "Episode", "Speaker", "Mention",
    "Fact", "FactUpkeep", "Counter", "Embedding",
)  # fmt: skip
TYPES = (
    "OF_VIDEO", "IN_CLIP", "INVOLVES", "USES", "TEMPORAL", "ENTITY_JUMP", "OBJECT_LIFECYCLE", "NEXT", "SAID_BY",
    "MENTIONED_IN", "STATES", "DERIVED_FROM", "PART_OF",
)  # fmt: skip
VALUES: tuple[Any, ...] = (None, 7, "seven", [7, 8], True)
# A group of this attack alone; counters belong to all groups of the server.
_OURS = "(n:Counter OR n.group_id = $group)"
SAID = [
    {"role": "user", "content": text, "timestamp": f"2026-03-01T09:0{minute}:00+00:00"}
    for minute, text in enumerate(("My dog is called Rex.", "I live in Porto.", "My sister Eva lives in Oslo."))
]


def _nodes(run: Callable[..., list[Any]], chance: random.Random) -> str:
    label, share = chance.choice(LABELS), chance.choice((0.0, 0.5, 1.0))
    ids = run(f"MATCH (n:{label}) WHERE {_OURS} RETURN elementId(n) AS id ORDER BY id")
    drawn = chance.sample(ids, min(len(ids), max(1, int(share * len(ids)))))
    run("UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id DETACH DELETE n", ids=drawn)
    return f"{len(drawn)} {label} deleted"


def _relationships(run: Callable[..., list[Any]], chance: random.Random) -> str:
    kind, share = chance.choice(TYPES), chance.choice((0.0, 0.5, 1.0))
    ids = run(f"MATCH (n)-[r:{kind}]->() WHERE {_OURS} RETURN elementId(r) AS id ORDER BY id")
    drawn = chance.sample(ids, min(len(ids), max(1, int(share * len(ids)))))
    run("UNWIND $ids AS id MATCH ()-[r]->() WHERE elementId(r) = id DELETE r", ids=drawn)
    return f"{len(drawn)} {kind} deleted"


def _properties(run: Callable[..., list[Any]], chance: random.Random) -> str:
    what, value = chance.choice((*LABELS, *TYPES)), chance.choice(VALUES)
    all_of = f"MATCH (n)-[of:{what}]->()" if what in TYPES else f"MATCH (n:{what}) WITH n, n AS of"
    names = run(f"{all_of} WHERE {_OURS} UNWIND keys(of) AS name RETURN DISTINCT name ORDER BY name")
    if not names:
        return f"no {what}"
    name = chance.choice(names)
    # One node: a second of the same value may violate a constraint. So may what an earlier attack gave another name.
    one = f"{all_of} WHERE {_OURS} AND of[$name] IS NOT NULL WITH of ORDER BY elementId(of) LIMIT 1"
    try:
        run(f"{one} SET of += $changed", name=name, changed={name: value})
    except ConstraintError:
        return f"{what}.{name} = {value!r} refused"
    return f"{what}.{name} = {value!r}"


def _half(run: Callable[..., list[Any]], chance: random.Random) -> str:
    ids = run(f"MATCH (n) WHERE {_OURS} RETURN elementId(n) AS id ORDER BY id")
    drawn = chance.sample(ids, len(ids) // 2)
    run("UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id DETACH DELETE n", ids=drawn)
    return "half of all nodes deleted"


DAMAGES = (_nodes, _nodes, _relationships, _relationships, _properties, _properties, _half)


def damaged_graphs(tally: Tally, chance: random.Random, attacks: int, amr: Amr) -> None:
    """Each in the same group, of footage and a conversation."""
    with tally.kind("damaged graphs") as row, pytest.MonkeyPatch.context() as patch:
        for name, value in amr.server.items():
            patch.setenv(name, value)
        embedder = open_embedder(load(), Ledger(print))
        patch.setattr(parts, "open_embedder", lambda *given: embedder)  # loading it takes as long as an attack
        fresh = _taken_in(row, "fresh")
        whole = call(row, "fresh footage", footage)
        before = "fresh"
        for number in range(attacks):
            damages = chance.choices(DAMAGES, k=chance.randint(1, 2))
            with Memory.open(notify=lambda line: None) as memory:
                done = [damage(_cypher(memory), chance) for damage in damages]
            # What one attack leaves over shows in the next.
            name, before = f"{number} {', '.join(done)} (after {before})", ", ".join(done)
            if number % 2:
                _forgotten_unmended(row, name, has_its_names=_properties not in damages)
            else:
                _mended(row, name, amr)
                healed = call(row, f"{name}: heal", footage)
                if healed != whole and _properties not in damages:
                    row.failed[f"{name}: healed"] = f"not that of a fresh group: {_difference(whole, healed)}"
            call(row, f"{name}: forget", _forgotten)
            with Memory.open(notify=lambda line: None) as memory:
                if left := _cypher(memory)("MATCH (n) WHERE n.group_id = $group RETURN labels(n)"):
                    row.failed[f"{name}: left"] = str(left)[:200]
            if _taken_in(row, name) != fresh:
                row.failed[f"{name}: digest"] = "not that of a fresh group"


def _cypher(memory: Memory) -> Callable[..., list[Any]]:
    def run(statement: str, **params: Any) -> list[Any]:
        records = memory._parts.database.driver.execute_query(
            cast(LiteralString, statement), params | {"group": memory.group_id}
        ).records
        return [record[0] for record in records]

    return run


def _taken_in(row: Row, name: str) -> str | None:
    def work() -> str:
        with Memory.open(notify=lambda line: None) as memory:
            memory.ingest(KITCHEN / "kitchen_evening.jsonl")
            memory.remember(SAID, user_id="anna", session_id="monday")
            memory.extract(user_id="anna")
            return memory.digest().sha256

    return call(row, f"{name}: take in", work, limit_s=300.0)  # the first one loads the models


def footage() -> list[Any]:
    """What memory holds of the film once it was taken in again, as a digest sees it."""
    with Memory.open(notify=lambda line: None) as memory:
        report = memory.ingest(KITCHEN / "kitchen_evening.jsonl")
        database = memory._parts.database
        parts = [list(database.stream(f"digest/{name}", group_id=memory.group_id)) for name in ("clips", "events")]
    return [report.errors, *parts]


def _difference(whole: list[Any], healed: list[Any] | None) -> str:
    """The first part of footage that differs, as it should be and as it is."""
    pairs = zip_longest(whole, healed or [])
    for one, other in chain.from_iterable(
        zip_longest(*pair) if isinstance(pair[0], list) and isinstance(pair[1], list) else [pair] for pair in pairs
    ):
        if one != other:
            return f"{one} and not {other}"
    return "nothing"


def _forgotten() -> None:
    with Memory.open(notify=lambda line: None) as memory:
        memory.forget_group()


def _forgotten_unmended(row: Row, name: str, *, has_its_names: bool) -> None:
    """The video and the session go as damage left them.

    has_its_names: whether no property was changed, so that what belongs to them is known by it.
    """
    with Memory.open(notify=lambda line: None) as memory:
        call(row, f"{name}: forget the video", lambda: memory.forget_videos(video_id="kitchen_evening"))
        call(row, f"{name}: forget the session", lambda: memory.forget(user_id="anna", session_id="monday"))
        left = _cypher(memory)(
            "MATCH (n) WHERE n.group_id = $group AND (n.video_id = 'kitchen_evening' OR n.session_id = 'monday') "
            "RETURN labels(n)"
        )
    if left and has_its_names:
        row.failed[f"{name}: left of the video or the session"] = str(left)[:200]


def _mended(row: Row, name: str, amr: Amr) -> None:
    """Doctor and its repair end with exit codes of ours; afterwards doctor finds nothing more."""
    row.attacks += 1
    try:
        with contextlib.suppress(AssertionError):  # it may advise to embed again
            amr.here("doctor", "--repair")
        amr.here("index", "reembed")  # repair calls no model
        amr.here("doctor", "--deep")
    except AssertionError as error:
        wrong = [line for line in str(error).splitlines() if line.startswith(("FAILS", "amr: "))]
        row.failed[f"{name}: doctor"] = "; ".join(wrong) or str(error)[-300:]
