"""What a commit sends to the server, without what is slow to send."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from hypothesis import given

from amr_neo4j.domain.event import ComposedClip, MergedEvent
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Row
from amr_neo4j.store.person_aliases import PersonAliases
from amr_neo4j.store.write.clip_commit import Numbers, _videos, write_clips
from amr_neo4j.store.write.rows import clip_row, merged_row
from tests.support.clips import JUMP, NOON, clip_of, event_at, shuffled_clips
from tests.support.examples import examples


@examples(push=20, soak=300)
@given(clips=shuffled_clips())
def test_each_video_is_sent_once_and_no_event_with_a_datetime(clips: list[ComposedClip]) -> None:
    """The driver takes longer to send a datetime than all else of an event."""
    sent = _sent([_dated(clip) for clip in clips])
    [written] = sent["ingest/write_clips"]
    assert [row["video_id"] for row in written["videos"]] == [*dict.fromkeys(c.source.video.video_id for c in clips)]
    events = [event for clip in written["clips"] for event in clip["events"]]
    assert not any(isinstance(value, datetime) for value in _values(events))
    assert [event["at"] for event in events] == [NOON.isoformat() for clip in clips for _ in clip.events]


@examples(push=20, soak=300)
@given(clips=shuffled_clips())
def test_a_video_has_the_last_event_and_the_longest_of_its_clips(clips: list[ComposedClip]) -> None:
    """The video is stored as if its clips had been written one after the other."""
    sent = _sent(clips)
    of_video: dict[str, list[Row]] = defaultdict(list)
    for clip in sent["ingest/write_clips"][0]["clips"]:
        of_video[clip["video_id"]] += [event["props"] for event in clip["events"]]
    for video in sent["ingest/write_clips"][0]["videos"]:
        events = of_video[video["video_id"]]
        lengths = [int(props["position"][21:41]) - int(props["position"][:20]) for props in events]
        assert video["longest"] == max(lengths, default=0)
        assert video["last_node_id"] == (events[-1]["node_id"] if events else None)
        assert video["heard"] == any(props["heard"] for props in events)


def test_of_a_stored_video_only_what_its_clips_change_is_sent() -> None:
    """The video's start time alone takes the driver as long as an event."""
    clip = {"video_id": "v", "video": {"recorded_at": NOON}, "events": []}
    clip |= {"longest": 5, "heard": True, "voices": False}
    [new] = _videos([clip | {"stored": None}])
    [known] = _videos([clip | {"stored": {"longest": 9, "heard": False, "voices": False}}])
    assert new["props"] == {"recorded_at": NOON}
    assert known == new | {"props": {}}


@examples(push=20, soak=300)
@given(clips=shuffled_clips())
def test_rows_of_a_transaction_that_failed_are_sent_as_if_there_had_been_none(clips: list[ComposedClip]) -> None:
    """The database calls a transaction again after a transient error, when the graph may be another."""
    rows = _rows(clips)
    first = _sent_rows(rows)
    for row in rows:
        for event in row["events"]:  # as if stored events had lost an edge by it
            event["props"] |= {"node_id": -1, "unlinked": [1, 2]}
    assert _sent_rows(rows) == first


def test_no_time_of_a_merged_event_is_sent_as_a_datetime() -> None:
    merged = MergedEvent(replace(event_at(0.0), at=NOON), ("c0",), (), (), np.ones(4, np.float32))
    further = merged_row(clip_of(Video("home", "v"), 0, ()), [merged], PersonAliases())
    stored = {"longest": 0, "heard": False, "voices": False}
    [written] = _sent_rows([further | {"stored": stored}])["ingest/write_clips"]
    [clip] = written["clips"]
    assert not any(isinstance(value, datetime) for value in _values(clip))
    assert [event["at"] for event in clip["events"]] == [NOON.isoformat()]


def _dated(clip: ComposedClip) -> ComposedClip:
    return replace(clip, events=tuple(replace(event, at=NOON) for event in clip.events))


def _sent(clips: list[ComposedClip]) -> dict[str, list[dict[str, Any]]]:
    """Statement -> parameters of each call, of a commit to an empty graph."""
    return _sent_rows(_rows(clips))


def _rows(clips: list[ComposedClip]) -> list[Row]:
    return [
        clip_row(n, clip, vectors=np.ones((len(clip.events), 4), np.float32), aliases=PersonAliases())
        | {"stored": None}
        for n, clip in enumerate(clips)
    ]


def _sent_rows(rows: list[Row]) -> dict[str, list[dict[str, Any]]]:
    calls: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def run(name: str, /, **params: Any) -> list[Row]:
        calls[name].append(deepcopy(params))
        return [{}] if name in {"ingest/last_events", "ingest/events_around"} else []

    write_clips(run, "home", rows, numbers=Numbers(0, 0, "m", 4), jump_gap=JUMP, plain_text=False, now=NOON)
    return calls


def _values(value: object) -> Iterator[object]:
    """All values inside lists and maps."""
    if isinstance(value, dict):
        value = list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _values(each)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield value
