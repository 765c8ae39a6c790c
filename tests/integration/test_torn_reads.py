"""Neo4j returns null for the properties of a node that is deleted during a read. No read fails because of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast, get_args

import pytest

from amr_neo4j import AmrError, Memory
from amr_neo4j.domain.ports import Fault
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity, properties
from tests.support.chatting import rows, talking

WORLD = Path(__file__).parents[1] / "worlds" / "bakery.analyses.jsonl"
TALK = [
    "I live in Porto.",
    "My sister Eva lives in Lyon.",
    "I like tea.",
    "Let's buy bread tomorrow.",
]
QUESTIONS = [
    "Who opened the door?",
    "Who was with Marta?",
    "Where do I live?",
    "Where does my sister live?",
    "What is planned for tomorrow?",
]
# Those that once ended a read, and one of each other label.
SOME = [
    ("Clip", "speaker_turns"),
    ("Episode", "actor"),
    ("Event", "summary_text"),
    ("Fact", "object"),
    ("Fact", "weight"),
    ("Mention", "text"),
    ("Object", "name"),
    ("Person", "person_id"),
    ("Scene", "video_id"),
]
# Reads make a FactUpkeep again. Two of the others belong to all groups.
_LEFT_OUT = {"Counter", "Embedding", "FactUpkeep", "Group"}
ALL = [(label, name) for label, has in properties().labels.items() if label.isalpha() for name in has.key]


@pytest.fixture(scope="module")
def group(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Any]:
    """Opens a memory that has cached nothing."""

    def opened() -> Any:
        return talking(neo4j_connection, "torn", tmp_path_factory.mktemp("torn"))

    with opened() as memory:
        memory.ingest_lines(WORLD.read_text().splitlines())
        memory.remember([{"content": text} for text in TALK], user_id="anna", session_id="monday")
        memory.extract(user_id="anna")
        memory.consolidate(user_id="anna")
    return opened


@pytest.mark.parametrize(("label", "name"), SOME)
def test_a_node_without_a_property_ends_no_read(group: Callable[[], Any], label: str, name: str) -> None:
    assert taken_from_all(group, label, name)


@pytest.mark.soak
def test_no_property_of_any_node_ends_a_read(group: Callable[[], Any]) -> None:
    keys = [(label, name) for label, name in ALL if label not in _LEFT_OUT]
    had = {label for label, name in keys if taken_from_all(group, label, name)}
    assert had >= {label for label, _ in SOME} - _LEFT_OUT


class _Deleting:
    """A database in which all that a statement finds is deleted before its properties are read."""

    def read(self, name: str, **_: Any) -> list[dict[str, Any]]:
        columns = "id label odd properties start video_id session_id name node_id text whose said user_id turn kind"
        found = dict.fromkeys([*columns.split(), "owner", "clip_id"])
        return [{"next": 1, "events": 0}] if name == "integrity/ids" else [found]

    @contextmanager
    def held_transaction(self) -> Iterator[None]:
        yield


def test_what_is_deleted_during_a_check_is_neither_reported_nor_repaired() -> None:
    integrity = Integrity(cast(Database, _Deleting()), "torn", 30.0, "en", lambda: datetime.now(UTC))
    assert not integrity.odd()
    assert integrity.mend_odd(str) == ({}, {}, {})
    assert not any(integrity.found(fault) for fault in get_args(Fault))


def taken_from_all(group: Callable[[], Any], label: str, name: str) -> int:
    """Take a property from all nodes of a label, read everything, and give it back. Returns of how many nodes."""
    with group() as memory:
        nodes = f"MATCH (n:{label}) WHERE n.group_id = $group_id AND n.{name} IS NOT NULL"
        had = rows(memory, f"{nodes} RETURN [elementId(n), n.{name}]")
        rows(memory, f"{nodes} SET n.{name} = null")
        try:
            read_all(memory.for_user("anna"))
        finally:
            back = f"UNWIND $had AS had MATCH (n) WHERE elementId(n) = had[0] SET n.{name} = had[1]"
            rows(memory, back, had=had)
    return len(had)


def read_all(memory: Memory) -> None:
    for question in QUESTIONS:
        memory.ask(question)
        memory.context(question)
    for hit in (hit for hit in memory.search("Marta bread", all=True) if hit.event.node_id >= 0):
        memory.around(hit.event.node_id)
        memory.event(hit.event.node_id)
    memory.search_memory("Where do I live?")
    memory.chat(session_id="monday").inject([{"role": "user", "content": "Where do I live?"}])
    for fact in memory.facts():
        memory.fact(fact.fact_id)
    for by in ("person", "object", "place", "day"):
        memory.counts(by)
    for read in (memory.videos, memory.known_persons, memory.known_objects, memory.sessions, memory.mentions):
        read()
    for read in (memory.stats, memory.groups, memory.receipts, memory.fact_measures):
        read()
    named: list[Callable[[], object]] = [
        lambda: memory.video("bakery_morning"),
        lambda: memory.transcript("bakery_morning"),
        lambda: memory.conversation("monday"),
        lambda: memory.persons("marta"),
        lambda: memory.lifecycle("mixer"),
    ]
    for read in named:
        # What has lost its name is not found.
        with suppress(AmrError):
            read()
