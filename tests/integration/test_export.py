"""amr export and amr import: the same answers, facts and digest in another group, with ids of its own."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import pytest

from amr_neo4j import EmbedderMismatch, InputError, Memory, NotInMemory
from amr_neo4j.app import transferring
from amr_neo4j.domain.fact import fact_id
from amr_neo4j.domain.ports import Fault
from amr_neo4j.domain.views import KnownObject
from amr_neo4j.localdb import Connection
from amr_neo4j.store.records import Record, RecordWriter
from tests.support.chatting import rows, talking
from tests.support.counting_embedder import CountingEmbedder
from tests.support.scenes import scenes_in

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
SAID = {
    "anna": {
        "monday": ["I live in Lisbon.", "My sister Eva works at Bayer.", "I love tea.", "I think I live in Rome."],
        "tuesday": [
            "I live in Porto now.",
            "I don't love tea.",
            "My dog is called Rex.",
            "Don't remember this: I smoke.",
        ],
    },
    "ben": {"monday": ["I live in Ghent."]},
}
QUESTIONS = [
    "Where are the keys?",
    "What did Anna do?",
    "Where does Eva work?",
    "Where do I live?",
]
# What is not exported, or not as it is.
_OF_GROUP = "Group Embedding Counter FactRun FactStep FactUpkeep DenseVector"

Open = Callable[..., Memory]


@pytest.fixture(scope="module")
def opened(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_(group_id: str = "", **how: Any) -> Memory:
            folder = tmp_path_factory.mktemp("data")
            name = group_id or f"test-{uuid4()}"
            return stack.enter_context(talking(neo4j_connection, name, folder, **how))

        yield open_


@pytest.fixture(scope="module")
def source(opened: Open) -> Memory:
    """The kitchen with two merged persons and a name that is split, and two users."""
    memory = opened(f"long/name-{'x' * 30}-{uuid4()}")
    memory.ingest(*sorted(KITCHEN.glob("*.jsonl")), any_group=True)
    persons = [person.person_id for person in memory.known_persons()]
    memory.merge_persons(persons[-1], persons[0])
    twice = next(person for person in memory.known_persons() if person.videos > 1 and not person.scope)
    [shown] = memory.persons(twice.person_id)
    memory.split_person(twice.person_id, "Zoe", video=shown.events[0].video_id)
    for user, sessions in SAID.items():
        for session, turns in sessions.items():
            chat = memory.chat(user_id=user, session_id=session)
            for text in turns:
                chat.observe(text)
        memory._parts.live_chats().wait(30)
        memory.extract(user_id=user)
    facts = memory.facts(user_id="anna", history=True)
    sister = next(fact for fact in facts if fact.triple.object == "bayer")
    memory.pin_fact(fact_id(sister.triple), user_id="anna")
    dog = next(fact for fact in facts if "rex" in fact.triple.object)
    memory.correct_fact(fact_id(dog.triple), "max", user_id="anna")
    memory.consolidate(user_id="anna")
    memory.forget_facts(user_id="ben", subject="you", relation="lives_in")
    memory.embed_facts()
    return memory


def test_a_group_comes_back_whole_under_another_name(source: Memory, opened: Open, tmp_path: Path) -> None:
    """Without vectors, which the import computes, and with them."""
    plain, packed = tmp_path / "home.jsonl", tmp_path / "home.jsonl.gz"
    written = source.export(plain)
    assert source.export(packed, vectors=True).counts == written.counts
    assert plain.stat().st_mode & 0o077 == 0 and not list(tmp_path.glob(".*"))
    for file in (plain, packed):
        memory = opened()
        with pytest.raises(InputError, match="is of group"):
            memory.import_export(file)
        taken = memory.import_export(file, any_group=True)
        assert (taken.counts, taken.left_out) == (written.counts, 0)
        assert (taken.embedded > 0) == (file == plain)
        assert memory.import_export(file, any_group=True).unchanged
        if file == plain:
            same_memory(source, memory)
        assert memory.digest() == source.digest()
        assert graph(memory) == graph(source)
        scenes = scenes_in(source._parts.database, source.group_id)
        assert scenes and scenes_in(memory._parts.database, memory.group_id) == scenes
        sound(memory)


def same_memory(one: Memory, other: Memory) -> None:
    for question in QUESTIONS:
        answers = [memory.ask(question, user_id="anna") for memory in (one, other)]
        # The numbers of events are the target's own.
        texts = [re.sub(r"event \d+", "event", answer.text) for answer in answers]
        assert texts[0] == texts[1] and answers[0].found == answers[1].found, question
    assert [*map(unnumbered, one.known_objects())] == [*map(unnumbered, other.known_objects())]
    for user in SAID:
        same_user(one, other, user, user)


def unnumbered(known: KnownObject) -> KnownObject:
    return replace(known, last_event=None)


def same_user(one: Memory, other: Memory, user: str, renamed: str, *, films: bool = True) -> None:
    """films: the films that facts rest on have come, too. An export of one user holds none."""
    believed = [memory.facts(user_id=name, history=True) for memory, name in ((one, user), (other, renamed))]
    # The numbers of events are the target's own.
    seen = [[[re.sub(r"event \d+", "", each) for each in fact.events] for fact in facts] for facts in believed]
    assert seen[1] == (seen[0] if films else [[] for _ in seen[0]])
    assert [replace(fact, events=()) for fact in believed[0]] == [replace(fact, events=()) for fact in believed[1]]
    assert one.sessions(user_id=user) == other.sessions(user_id=renamed)
    for session in SAID[user]:
        turns = [
            [
                (turn.turn, turn.content, turn.valid_at, turn.created_at)
                for turn in memory.conversation(session, user_id=name)
            ]
            for memory, name in ((one, user), (other, renamed))
        ]
        assert turns[0] == turns[1]
    mentions = [
        [(m.id, m.type, m.text) for m in memory.mentions(user_id=name)]
        for memory, name in ((one, user), (other, renamed))
    ]
    assert mentions[0] == mentions[1]


def graph(memory: Memory) -> dict[tuple[str, str], int]:
    """How often each property occurs, of each label and of each type."""
    nodes = """
        MATCH (n) WHERE n.group_id = $group_id AND NOT any(label IN labels(n) WHERE label IN split($left_out, ' '))
        WITH reduce(text = '', label IN labels(n) | text + ' ' + label) AS label, n
        UNWIND keys(n) AS name WITH label, name, count(*) AS number WHERE name <> 'unlinked'
        RETURN [label, name, number]"""
    links = """
        MATCH (n)-[r]->() WHERE r.group_id = $group_id
        UNWIND keys(r) AS name WITH type(r) AS type, name, count(*) AS number
        RETURN [type, name, number]"""
    found = rows(memory, nodes, left_out=_OF_GROUP) + rows(memory, links)
    return {(label, name): number for label, name, number in found}


def sound(memory: Memory) -> None:
    """What amr doctor --deep checks."""
    integrity = memory.integrity
    assert not integrity.odd() and not integrity.wrong_edges() and not integrity.incomplete_full_text()
    faults: tuple[Fault, ...] = get_args(Fault)
    assert not any(integrity.found(fault) for fault in faults)
    assert not memory.missing_vectors() and not memory.unfinished_import()
    assert memory.fact_embeddings().waiting == 0


def test_a_user_comes_back_under_another_name_beside_others(
    source: Memory, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the import is interrupted again and again."""
    stream = io.BytesIO()
    source.export(stream, user_id="anna")
    stream.seek(0)
    memory = opened()
    memory.remember(["Good morning."], user_id="ben", session_id="monday")
    # A user who was forgotten is new, although memory counts what it forgot of them.
    memory.remember(["Good evening."], user_id="clara", session_id="monday")
    memory.forget(user_id="clara")
    interrupt(memory, monkeypatch, stream)
    stream.seek(0)
    taken = memory.import_export(stream, user_id="clara", any_group=True)
    assert (taken.user_id, taken.group_id) == ("clara", memory.group_id)
    same_user(source, memory, "anna", "clara", films=False)
    assert memory.ask("Where do I live?", user_id="clara").text == source.ask("Where do I live?", user_id="anna").text
    assert len(memory.conversation("monday", user_id="ben")) == 1
    sound(memory)
    stream.seek(0)
    with pytest.raises(InputError, match="holds something already"):
        memory.import_export(stream, user_id="ben", any_group=True)
    memory.forget(user_id="clara")
    named = "MATCH (n) WHERE n.group_id = $group_id AND any(key IN keys(n) WHERE n[key] CONTAINS 'clara') RETURN n"
    assert rows(memory, named) == []


def test_what_does_not_fit_is_refused_and_nothing_is_written(source: Memory, opened: Open, tmp_path: Path) -> None:
    file = tmp_path / "home.jsonl"
    source.export(file)
    memory = opened(embedder=CountingEmbedder("other"))
    with pytest.raises(EmbedderMismatch, match="pass --reembed"):
        memory.import_export(file, any_group=True)
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(file.read_bytes().replace(b"Lisbon", b"Dublin"))
    with pytest.raises(InputError, match="damaged"):
        memory.import_export(damaged, any_group=True, reembed=True)
    assert memory._parts.transferring.reader.group(memory.group_id) is None
    with pytest.raises(NotInMemory, match="holds nothing"):
        memory.export(tmp_path / "nothing.jsonl")
    assert not (tmp_path / "nothing.jsonl").exists()


def test_what_was_forgotten_since_an_import_was_asked_for_does_not_come_with_it(
    source: Memory, opened: Open, tmp_path: Path
) -> None:
    """A user, and a conversation with what rests on it alone; a group as a whole is not imported at all."""
    file = tmp_path / "home.jsonl"
    source.export(file)
    asked_at = datetime.now(UTC)
    memory = opened()
    memory.forget(user_id="ben")
    memory.forget(user_id="anna", session_id="tuesday")
    memory.import_export(file, any_group=True, asked_at=asked_at)
    of = "n.group_id = $group_id AND n.user_id"
    assert rows(memory, f"MATCH (n) WHERE {of} = 'ben' RETURN n") == []
    assert rows(memory, f"MATCH (n:Session) WHERE {of} = 'anna' RETURN n.session_id") == ["monday"]
    assert rows(memory, f"MATCH (n:Episode) WHERE {of} = 'anna' AND n.session_id <> 'monday' RETURN n") == []
    assert "rex" not in rows(memory, f"MATCH (n:Fact) WHERE {of} = 'anna' RETURN n.object")
    memory.forget_group()
    with pytest.raises(InputError, match="was forgotten since"):
        memory.import_export(file, any_group=True, asked_at=asked_at)
    assert rows(memory, "MATCH (n) WHERE n.group_id = $group_id RETURN n") == []
    assert not memory.import_export(file, any_group=True).unchanged


def test_what_is_forgotten_while_an_import_runs_does_not_stay(
    source: Memory, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversation whose turns are written already, and the facts that rest on them not yet."""
    file = tmp_path / "home.jsonl"
    source.export(file, user_id="anna")
    memory, write, turns = opened(), RecordWriter.write_nodes, list[int]()

    def forgetting(writer: RecordWriter, records: list[Record], done: int) -> int:
        if not turns and any(record["kind"] == "Fact" for record in records):
            turns.append(memory.forget(user_id="anna", session_id="tuesday").episodes)
        return write(writer, records, done)

    monkeypatch.setattr(transferring, "_RECORDS_PER_COMMIT", 1)
    monkeypatch.setattr(RecordWriter, "write_nodes", forgetting)
    memory.import_export(file, user_id="anna", any_group=True)
    assert turns[0] > 0
    of = "n.group_id = $group_id AND n.user_id = 'anna'"
    assert rows(memory, f"MATCH (n:Session) WHERE {of} RETURN n.session_id") == ["monday"]
    assert rows(memory, f"MATCH (n:Episode) WHERE {of} AND n.session_id <> 'monday' RETURN n") == []
    assert "rex" not in rows(memory, f"MATCH (n:Fact) WHERE {of} RETURN n.object")


@pytest.mark.soak
@pytest.mark.parametrize(
    "named",
    [("you", "", ""), ("you", "lives_in", ""), ("you", "lives_in", "lisbon"), ("you", "", "lisbon")],
)
def test_a_fact_that_is_forgotten_before_an_import_writes_it_does_not_come(
    source: Memory, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: tuple[str, str, str]
) -> None:
    """By subject, relation or as a whole; neither does its name come with the fact that it had replaced."""
    file = tmp_path / "home.jsonl"
    source.export(file, user_id="anna")
    memory, write, asked = opened(), RecordWriter.write_nodes, list[int]()
    subject, relation, object = named

    def forgetting(writer: RecordWriter, records: list[Record], done: int) -> int:
        if not asked and any(record["kind"] == "Fact" for record in records):
            asked.append(memory.forget_facts(user_id="anna", subject=subject, relation=relation, object=object))
        return write(writer, records, done)

    monkeypatch.setattr(transferring, "_RECORDS_PER_COMMIT", 1)
    monkeypatch.setattr(RecordWriter, "write_nodes", forgetting)
    memory.import_export(file, user_id="anna", any_group=True)
    assert asked == [0]
    of = "MATCH (f:Fact) WHERE f.group_id = $group_id AND f.user_id = 'anna'"
    assert rows(source, f"{of} AND f.object = 'lisbon' RETURN f.fact_id")
    assert rows(memory, f"{of} AND 'lisbon' IN [f.object, f.replaced_by] RETURN f.fact_id") == []
    assert bool(rows(memory, f"{of} AND f.subject = 'you' RETURN f.fact_id")) is bool(relation or object)


def test_an_import_goes_on_if_no_footage_was_forgotten(source: Memory, opened: Open, tmp_path: Path) -> None:
    """Nothing was named that memory has, or the settings forgot what is old."""
    file = tmp_path / "home.jsonl"
    source.export(file)
    asked_at = datetime.now(UTC)
    memory = opened()
    yard = {"video_id": "yard", "clip_id": "c1", "t_start": 0.0, "t_end": 9.0, "recorded_at": "2026-01-01T09:00:00Z"}
    lines = tmp_path / "yard.jsonl"
    lines.write_text(json.dumps(yard | {"analysis": {"clip_summary": "", "characters": [], "events": []}}))
    memory.ingest(lines)
    memory.forget_videos(before=datetime(2020, 1, 1, tzinfo=UTC))
    unknown: list[dict[str, Any]] = [{"video_id": "nosuch"}, {"person": "Nobody"}, {"event": 10**6}]
    for named in unknown:
        with pytest.raises(NotInMemory):
            memory.forget_videos(**named)
    assert opened(memory.group_id, retention_days=30.0).forget_expired().footage.clips == 1
    assert not memory.import_export(file, any_group=True, asked_at=asked_at).unchanged


@pytest.mark.soak
@pytest.mark.parametrize("named", [{"video_id": "kitchen_morning"}, {"person": "Anna"}, {"event": 0}])
def test_an_import_ends_if_footage_is_forgotten_while_it_runs(
    source: Memory, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, Any]
) -> None:
    """Nothing of the footage is there afterwards; the group can be forgotten and imported anew."""
    file = tmp_path / "home.jsonl"
    source.export(file)
    memory, write = opened(), RecordWriter.write_nodes

    def forgetting(writer: RecordWriter, records: list[Record], done: int) -> int:
        if records[0]["kind"] == "Event":
            event = named.get("event")
            number = rows(memory, "MATCH (e:Event) WHERE e.group_id = $group_id RETURN e.node_id")
            if event is None or number:
                memory.forget_videos(**(named if event is None else {"event": number[0]}))
        return write(writer, records, done)

    monkeypatch.setattr(transferring, "_RECORDS_PER_COMMIT", 1)
    monkeypatch.setattr(RecordWriter, "write_nodes", forgetting)
    with pytest.raises(InputError, match="footage of group"):
        memory.import_export(file, any_group=True)
    assert rows(memory, "MATCH (e:Event) WHERE e.group_id = $group_id RETURN e.node_id") == []
    monkeypatch.setattr(RecordWriter, "write_nodes", write)
    memory.forget_group()
    memory.import_export(file, any_group=True)
    assert memory.digest() == source.digest()


def interrupt(memory: Memory, monkeypatch: pytest.MonkeyPatch, stream: io.BytesIO) -> None:
    """Import a user as clara, and break off before a transaction, later each time."""
    monkeypatch.setattr(transferring, "_RECORDS_PER_COMMIT", 9)
    begin = RecordWriter._draw
    for parts in (0, 1, 4, 1):
        left = iter(range(parts))

        def draw(self: RecordWriter, *given: Any, left: Any = left, **numbers: int) -> Any:
            if next(left, None) is None:
                raise ConnectionError
            return begin(self, *given, **numbers)

        monkeypatch.setattr(RecordWriter, "_draw", draw)
        stream.seek(0)
        with pytest.raises(ConnectionError):
            memory.import_export(stream, user_id="clara", any_group=True)
        assert memory.unfinished_import()
    monkeypatch.setattr(RecordWriter, "_draw", begin)
