"""The local analyser as the eyes of an exploration: what it finds in a segment, weighed by the question."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis
from amr_neo4j.domain.chat import Attachment, Usage
from amr_neo4j.domain.exploration import Find, Look, Segment, Span
from amr_neo4j.domain.ports import Analyser, ChatModel, Counting
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.explorer.wanted import Reader
from amr_neo4j.prompts.library import prompt

_KEPT = 5
_INSTANT_S = 0.2
"""Length that a find of no length gets."""


class LocalLooker:
    """Looks at segments with the local analyser (a Looker of domain/ports.py); one at a time."""

    def __init__(self, analyser: Callable[[], Analyser], reader: Reader, question: str) -> None:
        """analyser: makes it at the first look."""
        self._make, self._reader = analyser, reader
        self._wanted = reader.wanted(question)
        self._analyser: Analyser | None = None
        self._lock = Lock()

    def look(self, segment: Segment) -> Look:
        """What happens in the segment, best fit first; times are seconds of the video."""
        clip = Clip("segment", 0.0, segment.span.seconds, segment.path)
        with self._lock:
            self._analyser = self._analyser or self._make()
            [watched] = self._analyser.watch(Video("", "segment", segment.path), [clip])
        if not isinstance(watched, AnalysedClip):
            return Look(notes=(watched.error,))
        analysis = shifted(watched.analysis, segment.span)
        finds = [self._find(event, segment.span) for event in analysis.events]
        best = sorted(finds, key=lambda find: (-find.fit, -find.likeness))[:_KEPT]
        return Look(analysis.clip_summary, (), tuple(best), analysis, watched.notes, watched.usage)

    def _find(self, event: AnalysedEvent, within: Span) -> Find:
        start = min(event.time_start, within.end_s - _INSTANT_S)
        end = min(max(event.time_end, start + _INSTANT_S), within.end_s)
        span, wanted = Span(max(0.0, start), end), self._wanted
        return Find(span, event.summary, self._reader.fit(wanted, event), self._reader.likeness(wanted, event))


def shifted(analysis: ClipAnalysis, span: Span) -> ClipAnalysis:
    """An analysis whose times count from the start of a segment, in seconds of the video."""
    by = span.start_s
    return analysis.model_copy(
        update={
            "events": tuple(
                each.model_copy(update={"time_start": each.time_start + by, "time_end": each.time_end + by})
                for each in analysis.events
            ),
            "speaker_turns": tuple(
                each.model_copy(update={"time_start": each.time_start + by, "time_end": each.time_end + by})
                for each in analysis.speaker_turns
            ),
        }
    )


Attach = Callable[[Segment], tuple[Attachment, ...]]
"""A segment as attachments: a film, or pictures and the sound."""


class AttachedSegments:
    """The planner's own model sees each segment (a Looker of domain/ports.py)."""

    def __init__(self, attach: Attach) -> None:
        self._attach = attach

    def look(self, segment: Segment) -> Look:
        """The segment as attachments."""
        return Look(attachments=self._attach(segment))


class DescribedSegments:
    """A vision model says what it sees, and the planner's model reads it (a Looker of domain/ports.py)."""

    def __init__(self, model: ChatModel, attach: Attach, counting: Counting, question: str) -> None:
        self._model, self._attach, self._counting, self._question = model, attach, counting, question

    def look(self, segment: Segment) -> Look:
        """The segment in words."""
        start, end = round(segment.span.start_s, 3), round(segment.span.end_s, 3)
        asked = prompt("look", question=self._question, start=start, end=end).showing(self._attach(segment))
        with self._counting() as calls:
            text = self._model.complete(asked)
        return Look(text.strip(), usage=Usage.of(calls))


class UnseenSegments:
    """No model sees them: the planner learns path, range and length alone (a Looker of domain/ports.py)."""

    @staticmethod
    def look(segment: Segment) -> Look:
        """Nothing beside what the tool returned."""
        return Look()
