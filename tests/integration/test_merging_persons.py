"""Merging of events and merging of persons at the same time do not disturb one another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Channel, ComposedClip
from amr_neo4j.domain.recall import Scope
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from tests.support.clips import JUMP
from tests.support.graph_edges import edges_of, indices_of
from tests.support.merging import arriving, commit, film, merging_on, next_id, nodes_of, plain, plain_nodes, scene
from tests.support.person_merges import (
    Known,
    a_few,
    assert_full_text_names_persons,
    change_something,
    merger_of,
    people_there,
)
from tests.support.plain_graph import PlainGraph


@a_few
@given(clips=arriving(), data=st.data())
def test_events_become_one_by_what_was_reported_and_are_tied_by_who_that_is(
    clips: list[ComposedClip], data: st.DataObject, database: Database
) -> None:
    """Nodes equal those of the dictionaries, whoever was merged. Edges and chains follow who is who by now."""
    group_id, known, model, first = clips[0].source.video.group_id, Known(), plain(), next_id(database)
    merging, merger = merging_on(database), merger_of(database, group_id)
    for clip in clips:
        commit(merging, [clip])
        model.take(clip)
        if data.draw(st.booleans()):
            change_something(data, merger, known, people_there(database, group_id))
    assert nodes_of(database, group_id, first) == plain_nodes(model)
    graph = PlainGraph(model.live_clips(), JUMP, known.now)
    assert edges_of(database, group_id) == graph.edges()
    assert indices_of(database, group_id) == (graph.person_index(), graph.object_index())
    assert_full_text_names_persons(database, group_id)


def test_a_read_cache_drops_merged_events(database: Database, group_id: str) -> None:
    """Its events and edges are current, also after a question about an earlier moment."""
    one, other, last = film(
        group_id, scene(0, (0, 9, "cooks 0")), scene(1, (0, 9, "walks 0")), scene(2, (0, 9, "walks 0"))
    )
    merging, reader, scope = merging_on(database), EventReader(database, language="en"), Scope(group_id)
    first = next_id(database)
    commit(merging, [one, other])
    assert _current(reader, scope, first) == ([first, first + 1], {(first, first + 1)})
    commit(merging, [last])
    assert _current(reader, scope, first) == ([first, first + 3], {(first, first + 3)})


def _current(reader: EventReader, scope: Scope, first: int) -> tuple[list[int], set[tuple[int, int]]]:
    reader.vocabulary(scope)
    ids = list(range(first, first + 4))
    edges = reader.neighbours(ids, [Channel.TEMPORAL], scope)
    return [event.node_id for event in reader.events(ids, scope)], {(edge.src, edge.dst) for edge in edges}
