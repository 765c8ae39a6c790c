"""Search over facts and recall in passing: how long they take. No model server.

    python -m benchmarks.facts_recall --uri bolt://127.0.0.1:7687 [--password ...] [--facts 100000] [--turns 200]

Facts of one user are made from templates and embedded by the local embedder through the queue. Then it times queries
about them one after the other, each with its embedding; and turns of a live conversation with passive recall, without
it, and with an embedder that takes two seconds. It writes to a group of its own, and leaves it there.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, product
from statistics import quantiles
from typing import Any
from uuid import uuid4

from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import Triple, fact_id
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from amr_neo4j.store.full_text import turn_text

NAMES = [
    f"{a}{b}"
    for a, b in product(("Al", "Be", "Ca", "Do", "Er", "Fi", "Gi", "Ha"), ("na", "ro", "lia", "mund", "tta"))
]
RELATIONS = {
    "works_at": ("{s} works at {o}", "Where does {s} work?"),
    "likes": ("{s} likes {o}", "What does {s} like?"),
    "lives_in": ("{s} lives in {o}", "Where does {s} live?"),
    "owns": ("{s} owns a {o}", "What does {s} own?"),
    "plays": ("{s} plays {o}", "What does {s} play?"),
}
KINDS = ("red", "old", "small", "northern", "electric", "wooden", "quiet", "famous", "second", "golden")
THINGS = (
    "harbour", "bakery", "guitar", "boat", "library", "garden", "bicycle", "chess club", "museum", "orchard",
    "workshop", "cinema", "piano", "lighthouse", "camera", "football team",
    "hospital", "tea house", "bridge", "tower",
)  # fmt: skip
PLACES = ("of Porto", "of Ghent", "in the valley", "by the river", "near the station")
PAGE = 2000


def facts() -> Iterator[tuple[Triple, str]]:
    """Triples and their texts, without end."""
    number = 0
    while True:
        for name, relation, kind, thing, place in product(NAMES, RELATIONS, KINDS, THINGS, PLACES):
            subject = name if number == 0 else f"{name} {number}"
            named = f"{kind} {thing} {place}"
            yield Triple(subject.lower(), relation, named), RELATIONS[relation][0].format(s=subject, o=named)
        number += 1


def write_facts(memory: Memory, user: str, count: int) -> None:
    """Facts as live conversations write them, without the turns."""
    scope = turn_text(Session(memory.group_id, user, "made"), "user")
    begin = datetime.now(UTC) - timedelta(days=300)
    rows = facts()
    with memory._parts.database.session() as session:
        for start in range(0, count, PAGE):
            page = [
                {
                    "fact_id": fact_id(triple), "subject": triple.subject, "relation": triple.relation,
                    "object": triple.object, "text": text, "said": (begin + timedelta(minutes=start + n)).timestamp(),
                    "at": begin + timedelta(minutes=start + n),
                }
                for n, (triple, text) in enumerate(islice(rows, min(PAGE, count - start)))
            ]  # fmt: skip
            session.run(
                """
                UNWIND $rows AS row
                MERGE (f:Fact {group_id: $group_id, user_id: $user, fact_id: row.fact_id})
                SET f.subject = row.subject, f.relation = row.relation, f.object = row.object, f.text = row.text,
                    f.said = row.said, f.last_updated = row.at, f.valid_at = row.at, f.created_at = row.at,
                    f.updated = row.at, f.status = 'active', f.confidence = 0.7, f.weight = 0.7, f.evidence_count = 1,
                    f.language = 'en', f.session_id = 'made', f.scope_text = $scope, f.embed_after = 0.0
                """,
                rows=page, group_id=memory.group_id, user=user, scope=scope,
            ).consume()  # fmt: skip


def shown(name: str, seconds: Sequence[float]) -> None:
    """One line: p50, p95, most, in milliseconds."""
    cuts = quantiles(seconds, n=20)
    print(f"{name:44} {1000 * cuts[9]:8.1f} {1000 * cuts[18]:8.1f} {1000 * max(seconds):8.1f}", flush=True)


def searches(memory: Memory, count: int) -> None:
    """Queries, each timed with its embedding."""
    asked = [q.format(s=name) for name, (_, q) in product(NAMES, RELATIONS.values())]
    memory.search_memory("warm up", "both")
    for search_type in ("facts", "episodes", "both"):
        seconds: list[float] = []
        found = 0
        for query in islice(asked * 10, count):
            begin = time.perf_counter()
            found += len(memory.search_memory(query, search_type))
            seconds.append(time.perf_counter() - begin)
        shown(f"search_memory {search_type} ({found / count:.1f} results)", seconds)


class Slow(Embedder):
    """An embedder that takes two seconds."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(2.0)
        return self._embedder.embed(texts)


def turns(memory: Memory, user: str, count: int, pause: float) -> list[float]:
    """Seconds of observe and inject, turn by turn. pause: seconds between turns, in which the user reads."""
    chat = memory.chat(user_id=user, session_id=f"s{uuid4()}")
    said = [f"{name} told me about the {kind} {thing} today." for name, kind, thing in product(NAMES, KINDS, THINGS)]
    seconds: list[float] = []
    for text in islice(said, count):
        begin = time.perf_counter()
        chat.observe(text)
        chat.inject([{"role": "user", "content": text}])
        seconds.append(time.perf_counter() - begin)
        time.sleep(pause)
    return seconds[5:]


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--group", default="", help="a group that an earlier run has filled")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fixed = {"neo4j_uri": given.uri, "neo4j_password": given.password or None, "data_dir": folder}
        fixed |= {"group": given.group or f"bench-{uuid4()}", "user": "anna", "hot_languages": "en"}
        with Memory.open(load(**fixed)) as memory:
            memory.remember(["Hello."], session_id="first")
            begin = time.perf_counter()
            if not given.group:
                write_facts(memory, "anna", given.facts)
            written = time.perf_counter()
            memory.embed_facts()
            embedded = time.perf_counter()
            print(memory.group_id, flush=True)
            print(f"{given.facts} facts: written in {written - begin:.0f} s, embedded in {embedded - written:.0f} s")
            memory.search_memory("warm up", "facts")
            print(f"first search, with the index trained: {time.perf_counter() - embedded:.1f} s")
            print(f"{'milliseconds':44} {'p50':>8} {'p95':>8} {'most':>8}")
            searches(memory, given.turns)
        for name, passive, pause in (
            ("off", False, 0.3), ("on", True, 0.3), ("off, no pause", False, 0.0), ("on, no pause", True, 0.0),
        ):  # fmt: skip
            with Memory.open(load(**fixed, passive_recall=passive)) as memory:
                memory.search_memory("warm up", "both")
                shown(f"turn, recall in passing {name}", turns(memory, "anna", given.turns, pause))
        with Memory.open(load(**fixed)) as memory:
            memory._parts.embedder.use(Slow(memory._parts.embedder()))
            shown("turn, the embedder takes 2 s", turns(memory, "anna", given.turns // 4, 0.1))


if __name__ == "__main__":
    main()
