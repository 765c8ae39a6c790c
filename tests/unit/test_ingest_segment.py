"""Segmentation of a video, and the remaining clips."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.segment import ClipChoice, clip_id, remaining, resume, segment

FRAME = 0.04

durations = st.floats(0.001, 2_000) | st.sampled_from([0.02, 10.0, 10.03, 30.0, 30.04, 359.97])
targets = st.floats(5, 600) | st.sampled_from([10.0, 10 / 3, 1.001])


@given(durations, targets)
def test_clips_tile_the_video(duration: float, target: float) -> None:
    """Clips cover [0, duration) without a gap or an overlap."""
    clips = list(segment(duration, target))
    bounds = [0.0, *(clip.t_end for clip in clips)]
    assert [clip.t_start for clip in clips] == bounds[:-1] and bounds[-1] == duration
    assert all(clip.uri_offset == clip.t_start for clip in clips)


@given(durations, targets)
def test_the_last_clip_is_shorter(duration: float, target: float) -> None:
    """All clips but the last have the requested length; the last is shorter, or longer by less than a frame."""
    *most, last = (clip.t_end - clip.t_start for clip in segment(duration, target))
    assert most == pytest.approx([target] * len(most), abs=1e-6)
    assert last < target + FRAME + 1e-6
    assert last >= min(FRAME, duration) - 1e-6, "a rest shorter than a frame is no clip of its own"


@given(durations, targets)
def test_clip_ids_are_distinct_and_sort_by_time(duration: float, target: float) -> None:
    """A clip's name is unique within the video, and names sort by time."""
    ids = [clip.clip_id for clip in segment(duration, target)]
    assert ids == sorted(set(ids))


def test_a_clip_id_is_its_range_in_milliseconds() -> None:
    assert clip_id(10.0, 20.0) == "000010000-000020000"


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan")])
def test_a_video_of_no_length_has_no_clips(duration: float) -> None:
    assert list(segment(duration, 10.0)) == []


@given(st.sampled_from([25.0, 60.0, 61.0]), st.sampled_from([10.0, 7.5]), st.data())
def test_remaining_clips_are_those_not_committed(duration: float, target: float, data: st.DataObject) -> None:
    """For any part of a video in memory, the rest remains, in order."""
    clips = list(segment(duration, target))
    done = data.draw(st.sets(st.sampled_from([clip.clip_id for clip in clips])))
    assert [clip.clip_id for clip in remaining("v", clips, done)] == [
        c.clip_id for c in clips if c.clip_id not in done
    ]


@pytest.mark.parametrize(("before", "now"), [(10.0, 20.0), (20.0, 10.0), (10.0, 7.0)])
def test_another_segmentation_does_not_repeat_a_video(before: float, now: float) -> None:
    """25 s in clips of 10 s end like 25 s in clips of 20 s; even so the first clips repeat those seconds."""
    committed = [clip.clip_id for clip in segment(25.0, before)]
    with pytest.raises(InputError, match="--target-clip-sec"):
        remaining("v", list(segment(25.0, now)), committed)


@given(st.lists(durations, min_size=1, max_size=5, unique=True).map(sorted), targets)
def test_a_recording_that_grows_keeps_its_clips(ends: list[float], target: float) -> None:
    """Whenever it was ingested before, the clips up to there are the same, and all of them tile the video."""
    earlier: list[Clip] = []
    for number, end in enumerate(ends):
        clips = list(segment(end, target, ends=ends[:number]))
        assert clips[: len(earlier)] == earlier
        bounds = [0.0, *(clip.t_end for clip in clips)]
        assert [clip.t_start for clip in clips] == bounds[:-1] and bounds[-1] == end
        assert all(clip.t_end - clip.t_start < target + 2 * FRAME for clip in clips)
        earlier = clips


def test_a_recording_that_grows_returns_to_the_grid() -> None:
    spans = [(clip.t_start, clip.t_end) for clip in segment(41.0, 10.0, ends=[23.4, 29.98])]
    assert spans == [(0, 10), (10, 20), (20, 23.4), (23.4, 29.98), (29.98, 40), (40, 41)]


def test_a_film_that_was_explored_first_is_taken_in_whole() -> None:
    """What the exploration kept lies beside the film's own clips."""
    writer: Any = SimpleNamespace(
        committed_clips=lambda *_: {"explored-0-15000-1f04d2a8"}, failed_clips=lambda *_: {}
    )
    receipts, todo = resume(Video("g", "v", duration_s=20.0), ClipChoice(10.0), writer)
    assert not receipts and [clip.clip_id for clip in todo] == [clip_id(0, 10), clip_id(10, 20)]
