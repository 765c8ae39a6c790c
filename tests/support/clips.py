"""Composed clips to be committed, by hand and as hypothesis strategies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.store.write.clip_writer import ClipWriter

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
JUMP = 30.0


def commit(writer: ClipWriter, clips: list[ComposedClip], model: str = "m", dim: int = 4) -> list:
    count = sum(len(clip.events) for clip in clips)
    return writer.commit(clips, np.ones((count, dim), np.float32), model)


def clip_of(video: Video, number: int, events: tuple[EventDraft, ...], sha: str = "") -> ComposedClip:
    clip = Clip(f"c{number}", number * 10.0, number * 10.0 + 10.0)
    analysis = ClipAnalysis(clip_summary="", events=())
    return ComposedClip(AnalysedClip(video, clip, analysis, "test", sha or f"sha-{number}"), events)


def event_at(start: float, ordinal: int = 0, people: tuple[str, ...] = (), uses: tuple[Use, ...] = ()) -> EventDraft:
    parts = tuple(Involvement(person, "actor") for person in people)
    return EventDraft(ordinal, start, start + 2.0, f"at {start}", involvements=parts, uses=uses)


# A name is the group's, a description its video's; both may have several parts in one event.
people = st.sampled_from([("anna", ""), ("ben", ""), ("girl", "v0"), ("girl", "v1")])
VIDEOS = ("plain", "first", "second")
involvements = st.sets(st.tuples(people, st.sampled_from(["actor", "speaker", "mentioned"])), max_size=4)
sure = st.sampled_from([0.5, 0.9])
states = [("open", "closed", "open"), ("close", "open", "closed"), ("look at", None, None), (None, None, None)]
things = st.lists(st.tuples(st.sampled_from(["cup", "door"]), st.sampled_from(states)), max_size=3)


@st.composite
def drafts(draw: st.DrawFn, number: int) -> tuple[EventDraft, ...]:
    starts = sorted(draw(st.lists(st.integers(0, 8), max_size=3)))
    return tuple(_draft(draw, ordinal, number * 10.0 + start) for ordinal, start in enumerate(starts))


def _draft(draw: st.DrawFn, ordinal: int, start: float) -> EventDraft:
    parts = sorted(draw(involvements))
    acting = st.sampled_from(["", *(who for (who, scope), role in parts if role == "actor" and not scope)])
    return EventDraft(
        ordinal=ordinal,
        time_start=start,
        time_end=start + draw(st.integers(0, 4)),
        summary_text="something",
        involvements=tuple(Involvement(who, role, scope, confidence=draw(sure)) for (who, scope), role in parts),
        uses=tuple(
            Use(seq, name, verb, draw(acting), before, after)
            for seq, (name, (verb, before, after)) in enumerate(draw(things))
        ),
        heard=draw(st.booleans()),
    )


@st.composite
def shuffled_clips(draw: st.DrawFn) -> list[ComposedClip]:
    """Clips of three videos (two of one place that know their wall clock), in any order."""
    group = f"test-{uuid4()}"
    videos = [
        Video(group, VIDEOS[0]),
        Video(group, VIDEOS[1], place="home", recorded_at=NOON),
        Video(group, VIDEOS[2], place="home", recorded_at=NOON + timedelta(seconds=45)),
    ]
    picks = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), unique=True, min_size=1, max_size=8))
    return [clip_of(videos[v], n, draw(drafts(n)), f"{v}-{n}") for v, n in picks]
