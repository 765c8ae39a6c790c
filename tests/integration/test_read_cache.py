"""The read cache never returns anything that the graph no longer holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j import Memory
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import Channel, ComposedClip, Edge, EventDraft, Involvement, Use, said_id
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.read.turn_events import TurnEventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.chatting import talking
from tests.support.examples import examples

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
# Minute, length in seconds, who, whether it is only heard, what is done to the cup.
happenings = st.tuples(
    st.integers(0, 9),
    st.sampled_from([5, 90]),
    st.sampled_from(["anna", "ben"]),
    st.booleans(),
    st.sampled_from(["open", "closed", None]),
)


def write(database: Database, video: Video, number: int, happening: tuple[float, int, str, bool, str | None]) -> int:
    minute, length, who, heard, state = happening
    start = minute * 60.0 + number / 100
    use = Use(0, "cup", "open", who, None, state, "open" if state else None)
    draft = EventDraft(
        0,
        start,
        start + length,
        "words",
        at=video.recorded_at and video.recorded_at + timedelta(seconds=start),
        involvements=(Involvement(who, "actor"),),
        uses=(use,),
        heard=heard,
    )
    clip = Clip(f"c{number}", 0.0, 3600.0)
    source = AnalysedClip(video, clip, ClipAnalysis(clip_summary="", events=()), "test", f"sha-{number}")
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: NOON)
    [receipt] = writer.commit([ComposedClip(source, (draft,))], np.ones((1, 4), np.float32), "m")
    return receipt.node_ids[0]


def rows(edges: list[Edge]) -> list[tuple[object, ...]]:
    return sorted((e.src, e.dst, e.channel.value, repr(sorted(e.payload.items()))) for e in edges)


@examples(push=6, soak=150, deadline=None)
@given(st.lists(happenings, min_size=2, max_size=9), st.data())
def test_kept_edges_are_those_of_the_graph(
    database: Database, done: list[tuple[int, int, str, bool, str | None]], data: st.DataObject
) -> None:
    """Whatever was read between whichever commits: once the vocabulary is read, a reader says what a new one says."""
    group = f"test-{uuid4()}"
    videos = [Video(group, "a", place="home", recorded_at=NOON), Video(group, "b", place="home", recorded_at=NOON)]
    keeps, ids = EventReader(database, language="en"), list[int]()
    first_minutes = NOON, NOON + timedelta(minutes=2)
    later_minutes = NOON + timedelta(minutes=4), NOON + timedelta(minutes=6)
    for number, happening in enumerate(done):
        ids.append(write(database, videos[number % 2], number, happening))
        asked = data.draw(st.lists(st.sampled_from(ids), unique=True))
        scope = Scope(
            group,
            data.draw(st.sampled_from([(), ("a",)])),
            as_of=data.draw(st.sampled_from([None, None, 300.0, NOON + timedelta(minutes=5)])),
            ranges=data.draw(st.sampled_from([(), (first_minutes, later_minutes)])),
        )
        channels = data.draw(st.lists(st.sampled_from(list(Channel)), min_size=1, unique=True))
        assert keeps.vocabulary(scope) == EventReader(database, language="en").vocabulary(scope)
        if data.draw(st.booleans()):
            keeps.read_ahead(ids, asked, scope)
        fresh = EventReader(database, language="en").neighbours(asked, channels, scope)
        assert rows(keeps.neighbours(asked, channels, scope)) == rows(fresh)
        assert keeps.events(ids, scope) == EventReader(database, language="en").events(ids, scope)
        for look_up in (
            lambda reader, scope=scope: reader.by_object("cup", scope, 3),
            lambda reader, scope=scope: reader.by_person("anna", scope, 3),
            lambda reader, scope=scope: reader.life(["cup"], ["open"], scope, 3),
        ):
            assert look_up(keeps) == look_up(EventReader(database, language="en"))


def test_what_was_read_ahead_needs_no_further_trip(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The events, the edges of the best, and the events next to those in time: one read for all."""
    group = f"test-{uuid4()}"
    ids = [write(database, Video(group, "a"), n, (n, 5, "anna", False, None)) for n in range(4)]
    reader, scope, asked = EventReader(database, language="en"), Scope(group), list[str]()
    reader.vocabulary(scope)
    read = database.read
    monkeypatch.setattr(database, "read", lambda name, **params: asked.append(name) or read(name, **params))
    reader.read_ahead(ids[:2], ids[1:2], scope)
    assert len(reader.events(ids[:3], scope)) == 3 and reader.neighbours(ids[1:2], list(Channel), scope)
    reader.read_ahead(ids[:2], ids[1:2], scope)
    assert asked == ["recall/ahead"]


def test_what_a_name_stands_for_is_read_once_until_something_is_committed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = f"test-{uuid4()}"
    reader, scope, asked = EventReader(database, language="en"), Scope(group), list[str]()
    read = database.read
    monkeypatch.setattr(database, "read", lambda name, /, **params: asked.append(name) or read(name, **params))

    def named() -> list[list[int]]:
        reader.vocabulary(scope)
        return [
            reader.by_object("cup", scope, 9),
            reader.by_person("anna", scope, 9),
            reader.life(["cup"], [], scope, 9),
        ]

    first = write(database, Video(group, "a"), 0, (0, 5, "anna", False, "open"))
    assert named() == named() == [[first]] * 3
    statements = ["recall/by_object", "recall/by_person", "recall/object_changes"]
    assert [name for name in asked if name in statements] == statements
    second = write(database, Video(group, "a"), 1, (1, 5, "anna", False, "open"))
    assert named() == [[second, first]] * 3
    for as_of in (1e9, 1e9, 30.0):
        reader.by_object("cup", Scope(group, as_of=as_of), 9)
    assert asked.count("recall/by_object") == 4


def test_a_scope_in_time_is_applied_to_what_was_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events and edges that a search without a moment has read are not read again for one with a moment."""
    group = f"test-{uuid4()}"
    video = Video(group, "a", recorded_at=NOON)
    ids = [write(database, video, n, (n, 5, "anna", False, None)) for n in range(3)]
    reader = EventReader(database, language="en")
    reader.vocabulary(Scope(group))
    reader.read_ahead(ids, ids, Scope(group))
    monkeypatch.setattr(database, "read", None)
    until_second = Scope(group, as_of=NOON + timedelta(seconds=66))
    assert [event.node_id for event in reader.events(ids, until_second)] == ids[:2]
    assert {edge.dst for edge in reader.neighbours(ids[:2], [Channel.TEMPORAL], until_second)} == {ids[1]}
    assert reader.events(ids, Scope(group, since=NOON + timedelta(seconds=120)))[0].node_id == ids[2]


def test_an_edge_removed_by_an_event_linked_to_neither_end_leaves_the_cache(database: Database) -> None:
    """A late event between two of a person's events, within the jump gap of both, ends their ENTITY_JUMP."""
    group = f"test-{uuid4()}"
    here, there = (Video(group, name, place="home", recorded_at=NOON) for name in ("a", "b"))
    first, last = (
        write(database, here, number, (minute, 5, "anna", False, None)) for number, minute in ((0, 0), (1, 1))
    )
    scope, reader = Scope(group), EventReader(database, language="en")
    reader.vocabulary(scope)
    jump = [(e.src, e.dst) for e in reader.neighbours([first, last], [Channel.ENTITY_JUMP], scope)]
    write(database, there, 2, (0.5, 5, "anna", False, None))
    reader.vocabulary(scope)
    assert jump == [(first, last)]
    assert reader.neighbours([first, last], [Channel.ENTITY_JUMP], scope) == []


def test_edges_that_were_kept_are_bounded_by_time_and_videos(database: Database) -> None:
    group = f"test-{uuid4()}"
    first, second = (write(database, Video(group, "a"), n, (n, 5, "anna", False, None)) for n in range(2))
    reader = EventReader(database, language="en")
    assert reader.neighbours([first], [Channel.TEMPORAL], Scope(group))
    assert reader.neighbours([first], [Channel.TEMPORAL], Scope(group, as_of=30.0)) == []
    assert reader.neighbours([second], [Channel.TEMPORAL], Scope(group, ("b",))) == []


@pytest.fixture
def scope(group_id: str) -> Scope:
    return Scope(group_id, user_id="anna")


def said_in(memory: Memory, *turns: tuple[str, int], user_id: str = "anna") -> None:
    messages = [{"content": text, "turn": turn, "at": NOON + timedelta(minutes=turn)} for text, turn in turns]
    memory.remember(messages, user_id=user_id, session_id="s")


def test_a_late_turn_is_placed_between_the_cached_ones(
    neo4j_connection: Connection, group_id: str, scope: Scope, database: Database, tmp_path: Path
) -> None:
    keeps = TurnEventReader(database, language="en")
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        said_in(memory, ("one", 1), ("three", 3))
        keeps.vocabulary(scope)
        ids = [node_id for node_id, _ in keeps.full_text("one three", scope, 9)]
        assert [(e.src, e.dst) for e in keeps.neighbours(ids, [Channel.TEMPORAL], scope)] == [
            tuple(sorted(ids))[::-1]
        ]
        [speaker] = keeps.vocabulary(scope).persons
        assert keeps.by_person(speaker, scope, 9) == sorted(ids)
        said_in(memory, ("two", 2))
        said_in(memory, ("two", 2), user_id="ben")
        keeps.vocabulary(scope)
        fresh = TurnEventReader(database, language="en").neighbours(ids, [Channel.TEMPORAL], scope)
        assert len(fresh) == 2 and rows(keeps.neighbours(ids, [Channel.TEMPORAL], scope)) == rows(fresh)
        assert len(keeps.by_person(speaker, scope, 9)) == 3


def test_events_deleted_by_another_process_leave_every_cache(
    neo4j_connection: Connection, group_id: str, scope: Scope, database: Database, tmp_path: Path
) -> None:
    keeps = TurnEventReader(database, language="en")
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        said_in(memory, ("one", 1), ("two", 2), ("three", 3))
        keeps.vocabulary(scope)
        ids = [node_id for node_id, _ in keeps.full_text("one two three", scope, 9)]
        assert len(keeps.events(ids, scope)) == 3 and len(keeps.neighbours(ids, [Channel.TEMPORAL], scope)) == 2
        [second] = [turn for turn in memory.conversation("s", user_id="anna") if turn.content == "two"]
        memory.forget(user_id="anna", session_id="s", episode_id=second.episode_id)
    keeps.vocabulary(scope)
    assert sorted(event.summary_text for event in keeps.events(ids, scope)) == ["user: one", "user: three"]
    left = [i for i in ids if keeps.events([i], scope)]
    assert [{e.src, e.dst} for e in keeps.neighbours(ids, [Channel.TEMPORAL], scope)] == [set(left)]
    assert all(said_id(node_id) >= 0 for node_id in left)
