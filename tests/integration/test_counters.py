"""A counter that was set back or lost its number never causes an id to be used twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from amr_neo4j import localdb
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.video import Video
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.schema import migrate
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.episode_writer import EpisodeWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at

BACK = [
    "MATCH (k:Counter) SET k.next = 0",
    "MATCH (k:Counter) SET k.next = k.next - 1",
    "MATCH (k:Counter) SET k.next = true",
    "MATCH (k:Counter) SET k.next = 'x'",
    "MATCH (k:Counter) REMOVE k.next",
    "MATCH (k:Counter) DELETE k",
]


@pytest.fixture(scope="module")
def own(spare_server: Settings) -> Iterator[Database]:
    """A database whose counters no other test uses."""
    there = localdb.start(spare_server)
    with Database(there.uri, there.username, there.password) as database:
        migrate(database)
        yield database


@pytest.fixture
def writer(own: Database) -> ClipWriter:
    return ClipWriter(own, jump_gap_sec=JUMP, language="en", now=lambda: NOON)


def values(database: Database, statement: str, **params: Any) -> list[Any]:
    return [record[0] for record in database.driver.execute_query(statement, params).records]


@pytest.mark.parametrize("set_back", BACK)
def test_events_are_added_and_none_is_overwritten(
    own: Database, writer: ClipWriter, group_id: str, set_back: str
) -> None:
    video, numbers = Video(group_id, "v"), count()
    [first] = commit(writer, [clip_of(video, next(numbers), (event_at(0.0), event_at(5.0, 1)))])
    values(own, set_back)
    [second] = commit(writer, [clip_of(video, next(numbers), (event_at(10.0), event_at(15.0, 1)))])
    assert second.node_ids == (first.node_ids[1] + 1, first.node_ids[1] + 2)
    starts = values(own, "MATCH (e:Event {group_id: $g}) RETURN e.time_start ORDER BY e.node_id", g=group_id)
    assert starts == [0.0, 5.0, 10.0, 15.0]
    seqs = values(own, "MATCH (m:Embedding {group_id: $g}) RETURN m.seq ORDER BY toInteger(m.owner)", g=group_id)
    assert seqs == sorted(set(seqs)), "dense indexes catch up by these numbers"


@pytest.mark.parametrize("set_back", BACK)
def test_turns_are_added(own: Database, group_id: str, set_back: str) -> None:
    writer = EpisodeWriter(own, language="en", now=lambda: NOON)
    session = Session(group_id, "anna", "monday")
    said = [Episode(session, f"e{n}", "message", "Anna", "anna", f"line {n}", NOON) for n in range(4)]
    for episode in said:
        values(own, set_back)
        [receipt] = writer.commit([episode], np.ones((1, 4), np.float32), ("m", 4))
        assert receipt.outcome == "committed"
    seqs = values(own, "MATCH (m:Embedding {group_id: $g}) RETURN m.seq ORDER BY toInteger(m.owner)", g=group_id)
    assert seqs == sorted(set(seqs))
    assert len(seqs) == 4


@pytest.mark.parametrize("set_back", ["SET s.next_turn = 0", "DELETE s"])
def test_a_session_gives_no_number_of_a_turn_twice(own: Database, group_id: str, set_back: str) -> None:
    writer = EpisodeWriter(own, language="en", now=lambda: NOON)
    session = Session(group_id, "anna", "monday")
    for n in range(3):
        said = Episode(session, f"e{n}", "message", "Anna", "anna", f"line {n}", NOON)
        writer.commit([said], np.ones((1, 4), np.float32), ("m", 4))
        values(own, f"MATCH (s:Session {{group_id: $g}}) {set_back}", g=group_id)
    turns = values(own, "MATCH (e:Episode {group_id: $g}) RETURN e.turn ORDER BY e.turn", g=group_id)
    assert turns == [0, 1, 2]
