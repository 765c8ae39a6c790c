"""Merged events are superseded, and memory still answers as of an earlier moment from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given

from amr_neo4j.domain.event import Channel, ComposedClip, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.ingest.compose import embedding_text
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource, reembed
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.support.clips import NOON
from tests.support.counting_embedder import CountingEmbedder
from tests.support.examples import examples
from tests.support.merging import Signs, arriving, commit, film, merging_on, next_id, plain, scene

MINUTE = timedelta(minutes=1)


def clock() -> Iterator[datetime]:
    """A minute later each time."""
    moment = NOON
    while True:
        yield moment
        moment += MINUTE


def opened(database: Database, folder: Path | str) -> FaissIndex:
    return FaissIndex(VectorSource(database), Signs.model, Signs.dim, path=Path(folder) / "index.npz")


def in_time(database: Database, clips: list[ComposedClip], language: str = "en") -> list[set[int]]:
    """Commit a clip per minute; the ids of the events present after each."""
    ticking = clock()
    merging = merging_on(database, now=lambda: next(ticking), language=language)
    model, first, there = plain(), next_id(database), list[set[int]]()
    for clip in clips:
        model.take(clip)
        there.append({first + node_id for ids in model.video_index.values() for node_id in ids})
    commit(merging, clips)
    return there


@examples(push=2, soak=60)
@given(clips=arriving())
def test_of_any_moment_it_finds_what_was_there_then(clips: list[ComposedClip], database: Database) -> None:
    """By words, by vector, by person, by object and by id; and now it finds what is there now."""
    group_id = clips[0].source.video.group_id
    there = in_time(database, clips)
    reader, query = EventReader(database, language="en"), Signs().embed(["walks 0"])[0]
    everything = sorted(set().union(*there))
    with TemporaryDirectory() as folder:
        index = opened(database, folder)
        index.catch_up()
        for number, live in [*enumerate(there), (None, there[-1])]:
            scope = Scope(group_id, known_at=None if number is None else NOON + number * MINUTE)
            assert {node_id for node_id, _ in reader.full_text("walks cooks", scope, 99)} == live
            assert {node_id for node_id, _ in index.search(query, 99, scope)} == live
            events = reader.events(everything, scope)
            assert [event.node_id for event in events] == [node_id for node_id in everything if node_id in live]
            _same_names(reader, scope, live)
            _same_in_a_video(reader, scope, events)


def _same_names(reader: EventReader, scope: Scope, live: set[int]) -> None:
    """A person and an object lead to their events at that moment; a scope has the names of its own events."""
    for who in ("anna", "ben", "girl"):
        theirs = set(reader.by_person(who, scope, 99))
        assert theirs <= live
        assert bool(theirs) is (who in reader.known(Names(frozenset([who])), scope).persons)
        about = Scope(scope.group_id, persons=(who,), known_at=scope.known_at)
        assert {event.node_id for event in reader.events(sorted(live), about)} == theirs
    for thing in ("cup", "door"):
        its = set(reader.by_object(thing, scope, 99))
        assert set(reader.life([thing], [], scope, 99)) <= its <= live
        assert bool(its) is (thing in reader.known(Names(frozenset(), frozenset([thing])), scope).objects)


def _same_in_a_video(reader: EventReader, scope: Scope, live: list[Event]) -> None:
    """A question that names its video uses another statement."""
    for video_id in {event.video_id for event in live}:
        inside = replace(scope, video_ids=(video_id,))
        there = {event.node_id for event in live if event.video_id == video_id}
        for who in ("anna", "girl"):
            theirs = set(reader.by_person(who, scope, 99)) & there
            assert set(reader.by_person(who, inside, 99)) == theirs
            assert bool(theirs) is (who in reader.known(Names(frozenset([who])), inside).persons)
        its = set(reader.by_object("cup", scope, 99)) & there
        assert set(reader.by_object("cup", inside, 99)) == its
        assert bool(its) is ("cup" in reader.known(Names(frozenset(), frozenset(["cup"])), inside).objects)


def test_an_open_index_follows_without_a_model_call(database: Database, group_id: str, tmp_path: Path) -> None:
    """It finds the event before the merge, and the merged one alone after it, also when reopened from its file."""
    clips = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    merging, first, query = merging_on(database), next_id(database), Signs().embed(["walks 0"])[0]
    index = opened(database, tmp_path)
    index.catch_up()
    commit(merging, clips[:1])
    index.catch_up()
    assert [node_id for node_id, _ in index.search(query, 9, Scope(group_id))] == [first]
    index.save()
    commit(merging, clips[1:])
    for after in (index, opened(database, tmp_path)):
        after.catch_up()
        assert [node_id for node_id, _ in after.search(query, 9, Scope(group_id))] == [first + 2]
    assert index.rebuild() == len(index) == database.read("vectors/count", model=Signs.model)[0]["vectors"]
    assert [node_id for node_id, _ in index.search(query, 9, Scope(group_id))] == [first + 2]


@pytest.mark.parametrize("language", ["en", "de"])
def test_full_text_follows_in_every_language(language: str, database: Database, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    before, after = in_time(database, clips, language)
    reader = EventReader(database, language=language)
    assert {node_id for node_id, _ in reader.full_text("walks", Scope(group_id), 9)} == after
    assert {node_id for node_id, _ in reader.full_text("walks", Scope(group_id, known_at=NOON), 9)} == before


def test_merged_events_have_no_edges(database: Database, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 9, "cooks 0")), scene(1, (0, 9, "walks 0")), scene(2, (0, 9, "walks 0")))
    then, last = in_time(database, clips)[1:]
    reader = EventReader(database, language="en")
    assert reader.neighbours(sorted(then), list(Channel), Scope(group_id, known_at=NOON + MINUTE)) == []
    [temporal] = reader.neighbours(sorted(last), [Channel.TEMPORAL], Scope(group_id))
    assert {temporal.src, temporal.dst} == last


def test_vectors_of_merged_events_carry_the_time_of_the_merge(database: Database, group_id: str) -> None:
    [_, after] = in_time(database, film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0"))))
    found = [v for v in VectorSource(database).vectors_from(Signs.model, 0, 10_000) if v.group_id == group_id]
    learnt = {vector.node_id: (vector.created_at, vector.superseded_at) for vector in found}
    [made] = after
    first, second = NOON.timestamp(), (NOON + MINUTE).timestamp()
    assert learnt == {made - 2: (first, second), made - 1: (second, second), made: (second, np.inf)}


def test_reembed_includes_merged_events(database: Database, group_id: str) -> None:
    """So questions as of then find them by that model, too. Events that were merged on arrival are left out."""
    there = in_time(database, film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0"))))
    other = CountingEmbedder(model=f"other-{group_id}")
    assert reembed(database, group_id, other, embedding_text, now=lambda: NOON, progress=lambda done: None) == 2
    found = {vector.node_id for vector in VectorSource(database).vectors_from(other.model, 0, 9)}
    assert found == there[0] | there[1]
