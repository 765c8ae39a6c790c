"""Times of an analysis, converted to video time and inside their clip."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.video import Clip
from amr_neo4j.ingest.normalise import check_times, from_clip_start, on_video_time, time_base_of

TimeBase = Literal["clip", "video"]
MILLISECOND = 0.001

starts = st.sampled_from([0.0, 10.2, 10 / 3, 1e6]) | st.floats(0, 1e8)
lengths = st.sampled_from([0.04, 10.0, 10 / 3, 600.0]) | st.floats(0.04, 1e5)
moments = st.floats(-1e9, 1e9) | st.floats(-20, 700) | st.sampled_from([0.1, 0.3, 10 / 3, -0.0])
spans = st.lists(st.tuples(moments, moments), max_size=5)


def clip_at(start: float, length: float) -> Clip:
    return Clip("c", start, start + length)


def analysis_of(spans: list[tuple[float, float]]) -> ClipAnalysis:
    timed = [{"time_start": start, "time_end": end} for start, end in spans]
    return ClipAnalysis.model_validate(
        {
            "clip_summary": "",
            "events": [span | {"summary": "x"} for span in timed],
            "speaker_turns": [span | {"utterance": "x"} for span in timed],
        }
    )


@given(starts, lengths, spans, st.sampled_from(["clip", "video"]))
def test_times_lie_inside_their_clip(start: float, length: float, spans: list, base: TimeBase) -> None:
    """Every time lies in its clip, and nothing ends before it starts."""
    clip, placed, _ = on_video_time(clip_at(start, length), analysis_of(spans), base)
    for timed in (*placed.events, *placed.speaker_turns):
        assert clip.t_start <= timed.time_start <= timed.time_end <= clip.t_end


@given(starts, lengths, spans, st.sampled_from(["clip", "video"]))
def test_order_is_kept(start: float, length: float, spans: list, base: TimeBase) -> None:
    """Order of starts is preserved; a span starts with the earlier of its times."""
    _, placed, _ = on_video_time(clip_at(start, length), analysis_of(spans), base)
    by_before = sorted(zip(spans, placed.events, strict=True), key=lambda pair: min(pair[0]))
    placed_starts = [event.time_start for _, event in by_before]
    assert placed_starts == sorted(placed_starts)


@given(starts, lengths, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=5))
def test_valid_times_are_not_reported(start: float, length: float, shares: list[tuple[float, float]]) -> None:
    """Events inside the clip move by no more than the rounding to milliseconds, and leave no note."""
    meant = [(min(pair) * length, max(pair) * length) for pair in shares]
    clip, placed, notes = on_video_time(clip_at(start, length), analysis_of(meant), "clip")
    assert notes == () and clip == clip_at(start, length)
    for (begin, end), event in zip(meant, placed.events, strict=True):
        assert abs(event.time_start - start - begin) <= MILLISECOND
        assert abs(event.time_end - start - end) <= MILLISECOND


@given(starts, lengths, st.floats(0.01, 1e8), st.booleans())
def test_invalid_times_are_reported(start: float, length: float, by: float, before: bool) -> None:
    """An event that exceeds its clip by a hundredth of a second or more is reported with its new times."""
    span = (-by, length) if before else (0.0, length + by)
    _, _, notes = on_video_time(clip_at(start, length), analysis_of([span]), "clip")
    assert [note.split(":")[0] for note in notes] == ["event 1", "speaker turn 1"]


def test_a_rounding_error_is_not_reported() -> None:
    """10.2 + 0.1 is 10.299999999999999 in floating point, and 10.3 in the notes."""
    _, placed, notes = on_video_time(clip_at(10.2, 10.0), analysis_of([(0.1, 1.0)]), "clip")
    assert (placed.events[0].time_start, placed.events[0].time_end, notes) == (10.3, 11.2, ())


def test_a_note_names_both_times() -> None:
    _, _, notes = on_video_time(clip_at(20.0, 10.0), analysis_of([(-1.0, 12.5)]), "clip")
    assert notes[0] == "event 1: 19-32.5 s does not fit its clip; clamped to 20-30 s"


def test_reversed_times_are_swapped() -> None:
    _, placed, notes = on_video_time(clip_at(20.0, 10.0), analysis_of([(6.0, 2.0)]), "clip")
    assert (placed.events[0].time_start, placed.events[0].time_end) == (22.0, 26.0)
    assert notes[0] == "event 1: 26-22 s ends before it starts; read as 22-26 s" and len(notes) == 2


@given(starts, lengths, spans)
def test_video_time_extends_the_clip(start: float, length: float, spans: list) -> None:
    """Times of the video: the clip ends with the last event that starts in it, and such events keep their end."""
    before = clip_at(start, length)
    clip, placed, _ = on_video_time(before, analysis_of(spans), "video")
    own = [n for n, span in enumerate(spans) if before.t_start <= min(span) < before.t_end]
    assert clip.t_end == max([before.t_end, *(max(spans[n]) for n in own)])
    for n in own:
        assert abs(placed.events[n].time_end - max(spans[n])) <= MILLISECOND


@given(starts, lengths, spans)
def test_clip_time_leaves_the_clip_unchanged(start: float, length: float, spans: list) -> None:
    """Times from the clip's start never extend it: its bounds are as given."""
    before = clip_at(start, length)
    assert on_video_time(before, analysis_of(spans), "clip")[0] == before


# --- times of a reply, which may count from the video although clip times were requested

THIRD = clip_at(20.0, 10.0)
SECOND = clip_at(10.0, 10.0)
FROM_VIDEO = [
    (THIRD, [(21.5, 24.0)]),
    (THIRD, [(21.5, 24.0), (20.0, 30.4), (29.0, 25.0)]),
    (SECOND, [(10.0, 12.0), (14.0, 20.0)]),
    (SECOND, [(9.9, 12.0)]),
]
FROM_CLIP = [
    (THIRD, [(1.5, 4.0)]),
    (THIRD, [(1.5, 4.0), (25.0, 28.0)]),
    (THIRD, [(8.0, 12.0)]),
    (THIRD, [(10.2, 10.4)]),
    (THIRD, [(-1.0, 2.0)]),
    (THIRD, []),
    (SECOND, [(9.7, 10.0)]),
    (SECOND, [(10.0, 10.0)]),
    (SECOND, [(8.0, 12.0), (10.0, 11.0)]),
    (clip_at(5.0, 10.0), [(6.0, 9.0)]),
    (clip_at(0.0, 10.0), [(1.0, 9.0)]),
    (clip_at(0.0, 10.0), [(1.0, 40.0)]),
]
FROM_NOWHERE = [[(12.0, 14.0)], [(61.5, 64.0)], [(1500.0, 4000.0)], [(-9.0, -3.0)], [(21.0, 24.0), (61.0, 64.0)]]


@pytest.mark.parametrize(("clip", "spans"), FROM_VIDEO)
def test_times_that_fit_the_video_only_are_shifted(clip: Clip, spans: list[tuple[float, float]]) -> None:
    given = analysis_of(spans)
    moved, notes = from_clip_start(clip, given)
    why = f"all times count from the video's start; {clip.t_start:g} s taken off each"
    assert notes == (f"events: {why}", f"speaker turns: {why}")
    for before, after in zip(
        [*given.events, *given.speaker_turns], [*moved.events, *moved.speaker_turns], strict=True
    ):
        assert after.time_start == pytest.approx(before.time_start - clip.t_start)
        assert after.time_end == pytest.approx(before.time_end - clip.t_start)


@pytest.mark.parametrize(("clip", "spans"), FROM_CLIP)
def test_ambiguous_times_are_left_unchanged(clip: Clip, spans: list[tuple[float, float]]) -> None:
    assert from_clip_start(clip, analysis_of(spans)) == (analysis_of(spans), ())


@pytest.mark.parametrize("spans", FROM_NOWHERE)
def test_times_outside_the_clip_either_way_are_refused(spans: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="none of its times lies in the clip, which is 10 seconds long"):
        check_times(THIRD, analysis_of(spans))


def test_events_and_turns_may_have_different_time_bases() -> None:
    """Only the events count from nowhere or from the video; the turns repeat those of the prompt."""
    turns = analysis_of([(5.0, 6.2)]).speaker_turns
    mixed = analysis_of([(21.5, 24.0)]).model_copy(update={"speaker_turns": turns})
    moved, notes = from_clip_start(THIRD, mixed)
    assert (moved.events[0].time_start, moved.speaker_turns, len(notes)) == (1.5, turns, 1)
    astray = analysis_of([(61.5, 64.0)])
    with pytest.raises(ValueError, match="none of its times"):
        check_times(THIRD, astray.model_copy(update={"speaker_turns": turns}))
    check_times(THIRD, astray.model_copy(update={"events": analysis_of([(1.5, 4.0)]).events}))


@given(starts, lengths, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_times_valid_as_requested_are_never_shifted(
    start: float, length: float, shares: list[tuple[float, float]]
) -> None:
    """Where all times lie between 0 and the clip's length, they count from the clip, wherever it lies."""
    spans = [(first * length, last * length) for first, last in shares]
    assert time_base_of(clip_at(start, length), analysis_of(spans).events) == "clip"
