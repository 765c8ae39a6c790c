"""Merging in the real graph against plain dictionaries: edges, indices and ids, for any clips."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from amr_neo4j.domain.event import ComposedClip, Involvement
from amr_neo4j.errors import StoreError
from amr_neo4j.ingest.commit import nobody_counts
from amr_neo4j.ingest.merging import Merging
from amr_neo4j.store.database import Database
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON
from tests.support.examples import examples
from tests.support.graph_edges import edges_of, indices_of
from tests.support.merging import (
    LIMITS,
    Signs,
    arriving,
    commit,
    film,
    merging_on,
    next_id,
    nodes_of,
    plain,
    plain_nodes,
    scene,
    summarise,
)
from tests.support.plain_graph import PlainGraph
from tests.support.plain_merging import PlainMerging


@pytest.fixture(scope="module")
def merging(database: Database) -> Merging:
    return merging_on(database)


def assert_same(database: Database, group_id: str, first: int, model: PlainMerging) -> None:
    """Nodes with their ids and successors, edges, and the chains of persons and objects."""
    assert nodes_of(database, group_id, first) == plain_nodes(model)
    assert next_id(database) == first + model.next_node_id
    live = PlainGraph(model.live_clips(), JUMP)
    assert edges_of(database, group_id) == live.edges()
    assert indices_of(database, group_id) == (live.person_index(), live.object_index())


def _same_after(database: Database, merging: Merging, clips: list[ComposedClip]) -> PlainMerging:
    model, first = plain(), next_id(database)
    for clip in clips:
        model.take(clip)
    assert {receipt.outcome for receipt in commit(merging, clips)} <= {"committed"}
    assert_same(database, clips[0].source.video.group_id, first, model)
    return model


@examples(push=9, soak=250)
@given(clips=arriving())
def test_nodes_edges_and_indices_are_those_of_the_dictionaries(
    clips: list[ComposedClip], database: Database, merging: Merging
) -> None:
    """Whatever merges with what, in one clip or across clips and late ones too: no event is lost, no id has a gap."""
    _same_after(database, merging, clips)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=2000)
@given(clips=arriving())
def test_the_same_for_as_long_as_one_likes(clips: list[ComposedClip], database: Database, merging: Merging) -> None:
    """The same test with 2,000 examples."""
    _same_after(database, merging, clips)


def test_a_chain_in_one_clip_is_one_event(database: Database, merging: Merging, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 2, "walks 0"), (2, 4, "walks 1"), (4, 6, "walks 0"), (6, 9, "cooks 0")))
    model = _same_after(database, merging, clips)
    assert model.merged_into == {0: 4, 1: 4, 2: 4}


def test_an_action_continued_in_the_next_clip_is_one_event_of_both(
    database: Database, merging: Merging, group_id: str
) -> None:
    """If it goes on in the clip after that, a new event supersedes this one in turn."""
    clips = film(group_id, *(scene(n, (0, 10, "walks 0")) for n in range(4)))
    model = _same_after(database, merging, clips)
    assert model.merged_into == {0: 2, 1: 2, 2: 4, 3: 4, 4: 6, 5: 6}
    assert model.global_event_dict[6].clip_ids == ["c0", "c1", "c2", "c3"]


def test_receipts_name_the_events_and_their_successors(merging: Merging, group_id: str) -> None:
    first, second, third = commit(
        merging, film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 4, "walks 0"), (5, 9, "cooks 0")), scene(2))
    )
    assert (first.merged_ids, third.node_ids, third.merged_ids) == ((), (), ())
    assert second.node_ids == (first.node_ids[0] + 1, first.node_ids[0] + 2)
    assert second.merged_ids == (second.node_ids[1] + 1,)


def test_a_repeated_clip_changes_nothing(database: Database, merging: Merging, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    commit(merging, clips)
    before, following = nodes_of(database, group_id, 0), next_id(database)
    assert [receipt.outcome for receipt in commit(merging, clips)] == ["unchanged"] * 2
    assert (nodes_of(database, group_id, 0), next_id(database)) == (before, following)


def test_a_video_changed_by_another_writer_is_read_again(database: Database, group_id: str) -> None:
    """Another process commits between read and write: its events are merged too."""
    one, other = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    between = iter([lambda: commit(merging_on(database), [one]), lambda: None])

    class Overtaken(ClipWriter):
        def commit_merging(self, *arguments):
            next(between)()
            return super().commit_merging(*arguments)

    writer = Overtaken(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    [receipt] = commit(Merging(writer, Signs(), summarise, limits=LIMITS, counting=nobody_counts), [other])
    first = receipt.node_ids[0] - 1
    model = plain()
    model.take(one)
    model.take(other)
    assert_same(database, group_id, first, model)
    assert next(between, None) is None


def test_a_failed_merge_leaves_nothing_behind(database: Database, group_id: str) -> None:
    """Its clip is not left either, even if only the last of its statements is refused."""
    merging = merging_on(database)
    [one, other] = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    commit(merging, [one])
    before, following = nodes_of(database, group_id, 0), next_id(database)

    class Breaking(ClipWriter):
        def commit_merging(self, clip, vectors, model, merged, after):
            endless = replace(merged[0].event, involvements=(Involvement("x" * 10_000, "actor"),))
            return super().commit_merging(clip, vectors, model, [replace(merged[0], event=endless)], after)

    writer = Breaking(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    with pytest.raises(StoreError):
        commit(Merging(writer, Signs(), summarise, limits=LIMITS, counting=nobody_counts), [other])
    assert (nodes_of(database, group_id, 0), next_id(database)) == (before, following)
    assert {receipt.outcome for receipt in commit(merging, [other])} == {"committed"}
