"""Times of an analysis as seconds of the video, inside their clip."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeVar

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.video import Clip

TimeBase = Literal["clip", "video"]
# Times are kept to the millisecond, the finest a clip is named by; a shift by no more than that is no repair.
_ROUNDING = 0.001
Timed = TypeVar("Timed", AnalysedEvent, SpeakerTurn)


def on_video_time(
    clip: Clip, analysis: ClipAnalysis, time_base: TimeBase
) -> tuple[Clip, ClipAnalysis, tuple[str, ...]]:
    """The clip, its analysis in seconds of the video, and what had to be repaired.

    Times that count from the clip are clamped to it. Times that count from the video come from somebody who knows
    the whole of it: an event that starts in the clip and runs over its end stretches the clip.
    """
    offset = clip.t_start if time_base == "clip" else 0.0
    if time_base == "video":
        clip = _stretched(clip, analysis)
    repairs = _Repairs(clip, offset)
    events = tuple(repairs.placed(event, f"event {n}") for n, event in enumerate(analysis.events, start=1))
    turns = tuple(repairs.placed(turn, f"speaker turn {n}") for n, turn in enumerate(analysis.speaker_turns, start=1))
    placed = analysis.model_copy(update={"events": events, "speaker_turns": turns})
    return clip, placed, tuple(repairs.notes)


def _stretched(clip: Clip, analysis: ClipAnalysis) -> Clip:
    ends = [event.time_end for event in analysis.events if clip.t_start <= event.time_start < clip.t_end]
    return replace(clip, t_end=max([clip.t_end, *ends]))


class _Repairs:
    """Moves times into a clip and keeps a note of each that did not fit."""

    def __init__(self, clip: Clip, offset: float) -> None:
        self._clip = clip
        self._offset = offset
        self.notes: list[str] = []

    def placed(self, timed: Timed, what: str) -> Timed:
        start, end = timed.time_start + self._offset, timed.time_end + self._offset
        inside_start = self._clamp(start)
        inside_end = max(inside_start, self._clamp(end))
        if max(abs(inside_start - start), abs(inside_end - end)) > _ROUNDING:
            self.notes.append(
                f"{what}: {start:g}-{end:g} s does not fit its clip, taken as {inside_start:g}-{inside_end:g} s"
            )
        return timed.model_copy(update={"time_start": inside_start, "time_end": inside_end})

    def _clamp(self, seconds: float) -> float:
        return min(max(round(seconds, 3), self._clip.t_start), self._clip.t_end)
