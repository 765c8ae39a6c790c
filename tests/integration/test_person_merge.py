"""Merging persons by hand: every edge follows, and undo restores the graph."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.store.database import Database, Run
from amr_neo4j.store.person_aliases import PersonAliases, read_aliases
from amr_neo4j.store.persons import PersonMerger
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write import clip_writer
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at, shuffled_clips
from tests.support.graph_edges import edges_of, indices_of
from tests.support.person_merges import (
    Known,
    a_few,
    assert_full_text_names_persons,
    change_something,
    merger_of,
    people_there,
)
from tests.support.plain_graph import PlainGraph


@pytest.fixture(scope="module")
def writer(database: Database) -> ClipWriter:
    """Each commit at its own moment, so that a recreated edge is recognised."""
    moments = (NOON + timedelta(seconds=n) for n in count())
    return ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: next(moments))


def graph_of(database: Database, group_id: str) -> list[str]:
    """The whole group, node ids and clocks included; only Neo4j's own ids are left out."""
    nodes = "MATCH (n {group_id: $g}) RETURN labels(n) AS labels, properties(n) AS of"
    ties = """
        MATCH (a {group_id: $g})-[r]->(b)
        RETURN type(r) AS type, properties(r) AS of, properties(a) AS src, properties(b) AS dst
    """
    rows = [row for query in (nodes, ties) for row in database.driver.execute_query(query, g=group_id).records]
    return sorted(repr([(key, _plain(value)) for key, value in row.items()]) for row in rows)


def _plain(value: object) -> object:
    return sorted(value.items()) if isinstance(value, dict) else value


@a_few
@given(clips=shuffled_clips(), data=st.data())
def test_the_graph_follows_from_clips_and_merges_in_any_order(
    clips: list[ComposedClip], data: st.DataObject, database: Database, writer: ClipWriter
) -> None:
    """Edges and chains depend on the clips and on who is who by now, not on what was said or taken in first.

    They do not depend either on who was who when a clip was prepared.
    """
    group_id, known = clips[0].source.video.group_id, Known()
    merger = merger_of(database, group_id)
    for clip in clips:
        write = writer.prepare([clip], np.ones((len(clip.events), 4), np.float32), "m")
        if data.draw(st.booleans()):
            change_something(data, merger, known, people_there(database, group_id))
        write()
    plain = PlainGraph(clips, JUMP, known.now)
    assert edges_of(database, group_id) == plain.edges()
    assert indices_of(database, group_id) == (plain.person_index(), plain.object_index())
    assert_full_text_names_persons(database, group_id)
    assert_acting(database, clips, known)


def assert_acting(database: Database, clips: list[ComposedClip], known: Known) -> None:
    """Actions have the merged person as actor."""
    rows = database.driver.execute_query(
        """
        MATCH (e:Event {group_id: $g})-[use:USES]->(:Object)
        RETURN e.video_id AS video, e.clip_id AS clip, e.ordinal AS ordinal, use.seq AS seq, use.actor AS actor
        """,
        g=clips[0].source.video.group_id,
    ).records
    expected = {
        (
            clip.source.video.video_id,
            clip.source.clip.clip_id,
            event.ordinal,
            use.seq,
            known.now(("", use.actor), clip.source.video.video_id)[1],
        )
        for clip in clips
        for event in clip.events
        for use in event.uses
    }
    assert {tuple(row.values()) for row in rows} == expected


@a_few
@given(clips=shuffled_clips(), data=st.data())
def test_undo_restores_the_graph(
    clips: list[ComposedClip], data: st.DataObject, database: Database, writer: ClipWriter
) -> None:
    """Merges taken back in any order leave the graph as it was, to the last property of the last edge."""
    for clip in clips:
        commit(writer, [clip])
    group_id, known = clips[0].source.video.group_id, Known()
    merger = merger_of(database, group_id)
    before, hashed = graph_of(database, group_id), digest(database, group_id)
    for _ in range(3):
        change_something(data, merger, known, people_there(database, group_id))
    for one in data.draw(st.permutations(sorted(known.said))):
        merger.undo(one[1], one[0])
    assert graph_of(database, group_id) == before
    assert digest(database, group_id) == hashed


def kitchen(group_id: str, number: int, *parts: Involvement, uses: tuple[Use, ...] = ()) -> ComposedClip:
    event = event_at(number * 60.0, uses=uses)
    draft = EventDraft(0, event.time_start, event.time_end, event.summary_text, involvements=parts, uses=uses)
    return clip_of(Video(group_id, "kitchen"), number * 6, (draft,), f"sha-{number}")


GIRL = Involvement("girl", "actor", "kitchen")
ANNA = Involvement("anna", "speaker", evidence="name", confidence=0.9)


@pytest.fixture
def merger(database: Database, writer: ClipWriter, group_id: str) -> Iterator[PersonMerger]:
    """A girl opens the door, then Anna is only heard."""
    use = Use(0, "door", "open", "girl", "closed", "open")
    opened = kitchen(group_id, 0, GIRL, uses=(Use(0, "door"),))
    commit(writer, [opened, kitchen(group_id, 1, GIRL, uses=(use,)), kitchen(group_id, 2, ANNA)])
    yield merger_of(database, group_id)


def ties(database: Database, group_id: str, query: str) -> list[list[object]]:
    return [list(row.values()) for row in database.driver.execute_query(query, g=group_id).records]


def test_a_merge_moves_every_edge(merger: PersonMerger, database: Database, group_id: str) -> None:
    assert merger.merge("girl", "anna") == 2
    jumps = """
        MATCH (a:Event {group_id: $g})-[j:ENTITY_JUMP]->(b)
        RETURN a.time_start, b.time_start, j.person ORDER BY a.time_start
    """
    assert ties(database, group_id, jumps) == [[0.0, 60.0, "anna"], [60.0, 120.0, "anna"]]
    voices = """
        MATCH (a:Event {group_id: $g})-[x:CROSS_MODAL]->(b)
        RETURN a.time_start, b.time_start, x.kind, x.subject, x.evidence, x.confidence
    """
    assert ties(database, group_id, voices) == [[120.0, 60.0, "person", "anna", "name", 0.9]]
    acting = "MATCH (:Event {group_id: $g})-[u:USES {verb: 'open'}]->() RETURN u.actor, u.stated_actor"
    assert ties(database, group_id, acting) == [["anna", "girl"]]
    lives = "MATCH (:Event {group_id: $g})-[l:OBJECT_LIFECYCLE]->() RETURN l.actor"
    assert ties(database, group_id, lives) == [["anna"]]
    into = "MATCH (:Person {group_id: $g})-[m:MERGED_INTO]->(p) RETURN p.person_id, m.events, m.at"
    assert [row[:2] for row in ties(database, group_id, into)] == [["anna", 2]]


def test_later_clips_are_linked_to_the_merged_person(
    merger: PersonMerger, database: Database, writer: ClipWriter, group_id: str
) -> None:
    merger.merge("girl", "anna")
    commit(writer, [kitchen(group_id, 3, GIRL)])
    reader = EventReader(database, language="en")
    assert len(reader.by_person("anna", Scope(group_id), 10)) == 4
    assert reader.by_person("girl", Scope(group_id), 10) == []
    assert merger.undo("girl") == 3
    reader.vocabulary(Scope(group_id))  # as every question does: look-ups are cached as of then
    assert len(reader.by_person("girl", Scope(group_id), 10)) == 3


def test_merges_are_read_once_for_clips_that_were_prepared_before(
    merger: PersonMerger, database: Database, writer: ClipWriter, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    def counted(run: Run, group: str) -> PersonAliases:
        reads.append(group)
        return read_aliases(run, group)

    monkeypatch.setattr(clip_writer, "read_aliases", counted)
    prepared = [writer.prepare([kitchen(group_id, n, GIRL)], np.ones((1, 4), np.float32), "m") for n in (3, 4, 5)]
    merger.merge("girl", "anna")
    for write in prepared:
        write()
    assert reads == [group_id]
    assert len(EventReader(database, language="en").by_person("anna", Scope(group_id), 10)) == 6


def test_an_invalid_merge_is_refused(merger: PersonMerger, writer: ClipWriter, group_id: str) -> None:
    merger.merge("girl", "anna")
    with pytest.raises(InputError, match="the same person already"):
        merger.merge("anna", "girl")
    commit(writer, [kitchen(group_id, 4, Involvement("ben", "actor"))])
    with pytest.raises(InputError, match=r"girl is merged into anna .*amr person undo girl"):
        merger.merge("girl", "ben")
    with pytest.raises(InputError, match="anna is not merged"):
        merger.undo("anna")
    with pytest.raises(NotInMemory, match="no person emil"):
        merger.merge("emil", "anna")
    with pytest.raises(NotInMemory, match="in video hall"):
        merger.merge("girl", "anna", "hall")


def test_a_description_used_in_several_videos_requires_its_video(
    merger: PersonMerger, writer: ClipWriter, group_id: str
) -> None:
    hall = EventDraft(0, 0.0, 1.0, "x", involvements=(Involvement("girl", "actor", "hall"),))
    commit(writer, [clip_of(Video(group_id, "hall"), 0, (hall,))])
    with pytest.raises(InputError, match="2 videos: hall, kitchen"):
        merger.merge("girl", "anna")
    assert merger.merge("girl", "anna", "hall") == 1
    assert merger.merge("anna", "girl", "hall", "kitchen") == 2, "a name is the group's, whichever video is named"


HALL = Involvement("anna", "actor")


def in_hall(group_id: str, number: int) -> ComposedClip:
    start = number * 60.0
    event = EventDraft(0, start, start + 2.0, "x", involvements=(HALL,))
    return clip_of(Video(group_id, "hall"), number * 6, (event,), f"hall-{number}")


def test_a_name_is_two_people_after_a_split(
    merger: PersonMerger, database: Database, writer: ClipWriter, group_id: str
) -> None:
    """Also in clips of that video that come later. The other videos keep the name."""
    commit(writer, [in_hall(group_id, 0), in_hall(group_id, 1)])
    before = graph_of(database, group_id)
    assert merger.split("anna", "anna_lee", "hall", name="Anna Lee", dry_run=True) == 2
    assert graph_of(database, group_id) == before
    assert merger.split("anna", "anna_lee", "hall", name="Anna Lee") == 2
    reader = EventReader(database, language="en")
    assert "anna_lee" in reader.vocabulary(Scope(group_id)).persons
    assert len(reader.by_person("anna_lee", Scope(group_id), 10)) == 2
    assert len(reader.by_person("anna", Scope(group_id), 10)) == 1
    assert not reader.vocabulary(Scope(group_id)).same, "a question about Anna is not about Anna Lee"
    commit(writer, [in_hall(group_id, 2), kitchen(group_id, 3, ANNA)])
    reader.vocabulary(Scope(group_id))
    assert len(reader.by_person("anna_lee", Scope(group_id), 10)) == 3
    assert len(reader.by_person("anna", Scope(group_id), 10)) == 2
    assert merger.undo("anna", "hall") == 3
    assert len(people_there(database, group_id)) == 2, "the girl and Anna, as before"
    reader.vocabulary(Scope(group_id))
    assert len(reader.by_person("anna", Scope(group_id), 10)) == 5


def test_an_invalid_split_is_refused_and_leaves_nothing(
    merger: PersonMerger, database: Database, writer: ClipWriter, group_id: str
) -> None:
    before = graph_of(database, group_id)
    for one, other, video, error, why in (
        ("girl", "anna", "kitchen", InputError, "girl is a description"),
        ("anna", "anna", "kitchen", InputError, "the same person"),
        ("emil", "anna", "kitchen", NotInMemory, "no person emil"),
        ("anna", "emil", "kitchen", NotInMemory, "no person emil"),
        ("anna", "girl", "hall", NotInMemory, "no event of video hall names anna"),
        ("anna", "girl", "kitchen", InputError, "no event of another video names anna"),
    ):
        with pytest.raises(error, match=why):
            merger.split(one, other, video)
    assert graph_of(database, group_id) == before
    commit(writer, [in_hall(group_id, 0)])
    merger.split("anna", "girl", "hall")
    with pytest.raises(InputError, match=r"anna is girl in video hall already .*amr person undo anna --video hall"):
        merger.split("anna", "ben", "hall", name="Ben")
    assert len(people_there(database, group_id)) == 3


def test_a_failed_merge_leaves_nothing(merger: PersonMerger, database: Database, group_id: str) -> None:
    """It is one transaction: a failure at the end undoes all of it."""
    before = graph_of(database, group_id)

    class Failing(PersonMerger):
        def _update_full_text(self, ask: object, who: object) -> None:
            raise RuntimeError("the power goes")

    with pytest.raises(RuntimeError):
        Failing(database, group_id, JUMP, lambda: NOON).merge("girl", "anna")
    assert graph_of(database, group_id) == before
