"""Scenes in the graph are those of a fresh ingest, whatever came late, went, was merged, or was interrupted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from random import Random
from uuid import uuid4

import numpy as np
import pytest

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement
from amr_neo4j.domain.forgotten import Selection
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.ingest.scenes import form_scenes
from amr_neo4j.language.languages import language
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write import scenes as stored_scenes
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.forgetting import FootageForgetter
from tests.support.clips import JUMP, NOON, clip_of
from tests.support.merging import commit as merge
from tests.support.merging import merging_on
from tests.support.scenes import is_whole, scenes_in

FORM = partial(form_scenes, language=language("en"))


@pytest.fixture
def writer(database: Database) -> ClipWriter:
    return ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)


def film(seed: int, group_id: str) -> list[ComposedClip]:
    """Half an hour in clips of ten seconds, with pauses; people and things change."""
    random, clips = Random(seed), list[ComposedClip]()
    video = Video(group_id, "film", place="home", recorded_at=NOON)
    people, thing = ["anna"], "cup"
    for number in range(120):
        if random.random() < 0.15:
            people, thing = (
                random.sample(["anna", "ben", "ida"], random.randint(0, 2)),
                random.choice(["cup", "brush"]),
            )
        if random.random() < 0.2 or 50 < number < 85:
            continue
        starts = sorted(random.choices(range(10), k=random.randint(1, 3)))
        events = [
            EventDraft(
                ordinal,
                number * 10.0 + start,
                number * 10.0 + start + random.choice([1.0, 4.0, 12.0]),
                f"{random.choice(['walks', 'cooks'])} {random.randint(0, 2)}",
                objects=(thing,),
                involvements=tuple(Involvement(who, "actor") for who in people),
            )
            for ordinal, start in enumerate(starts)
        ]
        clips.append(clip_of(video, number, tuple(events), f"sha {number}"))
    return clips


def vectors(clips: list[ComposedClip]) -> np.ndarray:
    texts = [f"{event.summary_text} {event.objects}" for clip in clips for event in clip.events]
    return np.array([np.random.default_rng(len(text)).random(4) for text in texts], np.float32)


def test_scenes_are_those_of_a_fresh_ingest(
    database: Database, writer: ClipWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clips come in any order; some are forgotten, some of those come again; few events are read at once."""
    group_id, random = f"test-{uuid4()}", Random(3)
    clips = film(7, group_id)
    forgetter = FootageForgetter(database, group_id, JUMP, lambda: NOON)
    late = clips[:]
    random.shuffle(late)
    monkeypatch.setattr(stored_scenes, "_EVENTS_AT_ONCE", 60)
    for start in range(0, len(late), 20):
        some = late[start : start + 20]
        writer.commit(some, vectors(some), "m")
        if random.random() < 0.7:
            writer.remake_scenes(group_id, FORM)
    gone = [{"video_id": "film", "clip_id": clip.source.clip.clip_id} for clip in clips[15:35]]
    forgetter._in_transaction(forgetter._forget_clips, gone)
    stays = [clip for clip in clips if clip not in clips[15:35]]
    # At once no scene has words of what is gone.
    empty = "MATCH (s:Scene {group_id: $g}) WHERE NOT EXISTS { (s)<-[:PART_OF]-() } RETURN s"
    assert not database.driver.execute_query(empty, g=group_id).records
    writer.remake_scenes(group_id, FORM)
    assert is_whole(database, group_id)
    assert scenes_in(database, group_id) == fresh(database, writer, stays)
    again = clips[20:28]
    writer.commit(again, vectors(again), "m")
    writer.remake_scenes(group_id, FORM)
    assert is_whole(database, group_id)
    assert scenes_in(database, group_id) == fresh(database, writer, [*stays, *again])
    forgetter.forget(Selection(video_id="film"))
    assert scenes_in(database, group_id) == []


def fresh(database: Database, writer: ClipWriter, clips: list[ComposedClip]) -> list[dict]:
    """The scenes of these clips in another group, taken in in order and made once."""
    group_id = f"test-{uuid4()}"
    clips = [
        replace(clip, source=replace(clip.source, video=replace(clip.source.video, group_id=group_id)))
        for clip in sorted(clips, key=lambda clip: clip.source.clip.t_start)
    ]
    writer.commit(clips, vectors(clips), "m")
    writer.remake_scenes(group_id, FORM)
    return scenes_in(database, group_id)


def test_merged_events_take_the_place_of_their_parts(database: Database) -> None:
    """Made after each clip or once at the end, the scenes are the same."""
    results: list[list[dict]] = []
    for each in (True, False):
        group_id = f"test-{uuid4()}"
        merging = merging_on(database)
        for clip in film(5, group_id)[:24]:
            merge(merging, [clip])
            if each:
                merging.writer.remake_scenes(group_id, FORM)
        merging.writer.remake_scenes(group_id, FORM)
        assert is_whole(database, group_id)
        results.append(scenes_in(database, group_id))
    assert results[0] == results[1] and results[0]


def test_who_is_there_and_what_a_scene_says_is_read_as_of_a_moment(database: Database, writer: ClipWriter) -> None:
    """Company has its span; a scene that was not over at as_of is not found by its words."""
    group_id = f"test-{uuid4()}"
    video = Video(group_id, "film", place="home", recorded_at=NOON)

    def seen(number: int, start: float, text: str, *who: str) -> EventDraft:
        parts = tuple(Involvement(name, "actor", name=name.title()) for name in who)
        at = NOON + timedelta(seconds=start)
        return EventDraft(number, start, start + 2.0, text, at=at, involvements=parts)

    of_ben, owner = Involvement("ben", "actor", name="Ben"), Involvement("ida", "mentioned", name="Ida")
    there = (
        seen(0, 1.0, "Anna paints.", "anna"),
        replace(seen(1, 5.0, "Ben laughs at Ida's hat.", "ben"), involvements=(of_ben, owner)),
        seen(2, 9.0, "Ben goes.", "ben"),
    )
    later = (seen(0, 1800.0, "Ida reads.", "ida"),)
    clips = [clip_of(video, 0, there), clip_of(video, 180, later)]
    writer.commit(clips, vectors(clips), "m")
    writer.remake_scenes(group_id, FORM)
    reader = EventReader(database, language="en")
    [(painting, _)] = reader.full_text("paints", Scope(group_id), 5)
    whole = reader.company(painting, Scope(group_id))
    assert whole and [(who.name, who.since, who.until, who.away) for who in whole.present] == [
        ("Anna", 1.0, 3.0, 0.0),
        ("Ben", 5.0, 11.0, 2.0),
    ]
    assert [person_id for person_id, _ in whole.others] == ["anna", "ben", "ida"]
    early = reader.company(painting, Scope(group_id, as_of=NOON + timedelta(seconds=8)))
    assert early and [(who.name, who.until) for who in early.present] == [("Anna", 3.0), ("Ben", 7.0)]
    for as_of, number in ((8, 0), (20, 2)):
        found = reader.scenes("Ben", Scope(group_id, as_of=NOON + timedelta(seconds=as_of)), 10)
        assert [(one.level, one.t_start, one.t_end) for one in found] == [(0, 1.0, 11.0), (1, 1.0, 11.0)][:number]
