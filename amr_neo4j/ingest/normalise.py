"""Normalises the times of an analysis to seconds of the video that lie inside their clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, NotedAnalysis, SpeakerTurn, Timed, shifted
from amr_neo4j.domain.video import Clip

TimeBase = Literal["clip", "video"]
# Times are kept to the millisecond, as in clip ids. A smaller shift is not worth a note.
_ROUNDING = 0.001
# A time may miss its clip by this many seconds and still belong to it.
_SLACK = 0.5
TimeSpan = tuple[float, float]


def time_base_of(clip: Clip, timed: Sequence[AnalysedEvent | SpeakerTurn]) -> TimeBase | None:
    """Return where the times of a reply count from; None if they fit neither the clip nor the video.

    "video" if no time fits the clip and all fit the video, else "clip", because that is what the model was asked for.
    """
    length = clip.t_end - clip.t_start
    spans = [_span(each) for each in timed]
    as_asked = all(_within(span, 0.0, length, slack=_ROUNDING) for span in spans)
    if as_asked or any(start < length - _SLACK and end > -_SLACK for start, end in spans):
        return "clip"
    if all(_within(span, clip.t_start, clip.t_end, slack=_SLACK) for span in spans):
        return "video"
    # Times that only touch the clip's edge are clamped to it later.
    return "clip" if any(_meets(span, length) for span in spans) else None


def check_times(clip: Clip, analysis: ClipAnalysis) -> None:
    """Check that an event lies in the clip; if the analysis has no events, a speaker turn.

    Raises ValueError, worded for a model: none does.
    """
    if time_base_of(clip, analysis.events or analysis.speaker_turns) is None:
        length = clip.t_end - clip.t_start
        raise ValueError(f"none of its times lies in the clip, which is {length:g} seconds long and begins at 0")


def from_clip_start(clip: Clip, analysis: ClipAnalysis) -> tuple[ClipAnalysis, tuple[str, ...]]:
    """Return (the reply with times in seconds from the clip's start, notes on times that counted from the video's).

    Events and turns are judged separately, since a model may copy the times of the transcript that it was shown.
    """
    events, moved = _from_clip_start(clip, analysis.events, "events")
    turns, also = _from_clip_start(clip, analysis.speaker_turns, "speaker turns")
    return analysis.model_copy(update={"events": events, "speaker_turns": turns}), (*moved, *also)


def normalise(clip: Clip, noted: NotedAnalysis) -> NotedAnalysis:
    """Return a model's analysis, whose times count from the clip's start, in seconds of the video."""
    _, placed, repairs = on_video_time(clip, noted.analysis, "clip")
    return noted.but(placed, *repairs)


def on_video_time(
    clip: Clip, analysis: ClipAnalysis, time_base: TimeBase
) -> tuple[Clip, ClipAnalysis, tuple[str, ...]]:
    """Return (the clip, its analysis in seconds of the video, notes on repairs).

    Reversed times are swapped, and times outside of the clip are clamped to it. If they count from the video, the
    analyser knows all of it: an event that starts in the clip and runs beyond its end then stretches the clip.
    """
    offset = clip.t_start if time_base == "clip" else 0.0
    if time_base == "video":
        clip = _stretched(clip, analysis)
    repairs = _Repairs(clip, offset)
    events = tuple(repairs.placed(event, f"event {n}") for n, event in enumerate(analysis.events, start=1))
    turns = tuple(repairs.placed(turn, f"speaker turn {n}") for n, turn in enumerate(analysis.speaker_turns, start=1))
    placed = analysis.model_copy(update={"events": events, "speaker_turns": turns})
    return clip, placed, tuple(repairs.notes)


def _span(timed: AnalysedEvent | SpeakerTurn) -> TimeSpan:
    """Return (the earlier, the later) of start and end."""
    return min(timed.time_start, timed.time_end), max(timed.time_start, timed.time_end)


def _within(span: TimeSpan, start: float, end: float, *, slack: float) -> bool:
    return start - slack <= span[0] and span[1] <= end + slack


def _meets(span: TimeSpan, length: float) -> bool:
    return span[0] <= length + _SLACK and span[1] >= -_SLACK


def _from_clip_start(clip: Clip, timed: tuple[Timed, ...], what: str) -> tuple[tuple[Timed, ...], tuple[str, ...]]:
    # If a clip begins at 0, both ways of counting give the same times.
    if not clip.t_start or time_base_of(clip, timed) != "video":
        return timed, ()
    note = f"{what}: all times count from the video's start; {clip.t_start:g} s taken off each"
    return tuple(_shifted(each, -clip.t_start) for each in timed), (note,)


def _shifted(timed: Timed, by: float) -> Timed:
    return _with_boxes(shifted(timed, by), lambda seconds: seconds + by)


def _with_boxes(timed: Timed, place: Callable[[float], float]) -> Timed:
    """Return the event with its boxes moved to the seconds that `place` returns."""
    if not isinstance(timed, AnalysedEvent) or not timed.boxes:
        return timed
    boxes = tuple(box.model_copy(update={"time": place(box.time)}) for box in timed.boxes)
    return timed.model_copy(update={"boxes": boxes})


def _stretched(clip: Clip, analysis: ClipAnalysis) -> Clip:
    spans = [_span(event) for event in analysis.events]
    return replace(
        clip, t_end=max([clip.t_end, *(end for start, end in spans if clip.t_start <= start < clip.t_end)])
    )


class _Repairs:
    """Moves times into a clip, and notes each that did not fit."""

    def __init__(self, clip: Clip, offset: float) -> None:
        self._clip = clip
        self._offset = offset
        self.notes: list[str] = []

    def placed(self, timed: Timed, what: str) -> Timed:
        start, end = (seconds + self._offset for seconds in _span(timed))
        inside_start, inside_end = self._clamp(start), self._clamp(end)
        repairs: list[str] = []
        if timed.time_start - timed.time_end > _ROUNDING:
            repairs.append(f"{end:g}-{start:g} s ends before it starts; read as {start:g}-{end:g} s")
        if max(abs(inside_start - start), abs(inside_end - end)) > _ROUNDING:
            inside = f"{inside_start:g}-{inside_end:g} s"
            repairs.append(f"{start:g}-{end:g} s does not fit its clip; clamped to {inside}")
        if repairs:
            self.notes.append(f"{what}: {'; '.join(repairs)}")
        placed = timed.model_copy(update={"time_start": inside_start, "time_end": inside_end})
        return _with_boxes(placed, lambda seconds: self._clamp(seconds + self._offset))

    def _clamp(self, seconds: float) -> float:
        return min(max(round(seconds, 3), self._clip.t_start), self._clip.t_end)
