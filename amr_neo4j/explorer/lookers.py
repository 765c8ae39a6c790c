"""What looks at segments: the local analyser, the planner's own model, a separate vision model, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, SpeakerTurn, shifted
from amr_neo4j.domain.chat import Attachment, Usage
from amr_neo4j.domain.exploration import Find, Look, Segment, Span
from amr_neo4j.domain.ports import Analyser, ChatModel, Counting, Looker
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import ModelFailed
from amr_neo4j.explorer.question_reader import QuestionReader
from amr_neo4j.prompts.library import Plain, prompt, prompt_part

# A look returns at most this many finds.
_KEPT = 5
_INSTANT_S = 0.2
"""A find without a length gets this one, because a range must not be empty."""

Attach = Callable[[Segment], tuple[Attachment, ...]]
"""Makes attachments of a segment: a film, or pictures and the sound."""


class LocalLooker:
    """Looks with the local analyser, and weighs its finds by the question. Segments are analysed one at a time."""

    def __init__(self, analyser: Callable[[], Analyser], reader: QuestionReader, question: str) -> None:
        """analyser: makes the analyser. Called at the first look, because an analyser is slow to load."""
        self._make, self._reader = analyser, reader
        self._wanted = reader.wanted(question)
        self._analyser: Analyser | None = None
        self._lock = Lock()

    def look(self, segment: Segment) -> Look:
        """Returns what happens in the segment, best fit first. Times are seconds of the video."""
        clip = Clip("segment", 0.0, segment.span.seconds, segment.path)
        # The loop looks from several threads, and an analyser watches one video at a time.
        with self._lock:
            self._analyser = self._analyser or self._make()
            [watched] = self._analyser.watch(Video("", "segment", segment.path), [clip])
        if not isinstance(watched, AnalysedClip):
            return Look(notes=(watched.error,))
        analysis = _on_video_time(watched.analysis, segment.span.start_s)
        finds = [self._find(event, segment.span) for event in analysis.events]
        finds += [self._find(self._reader.spoken(turn), segment.span) for turn in analysis.speaker_turns]
        best = sorted(finds, key=lambda find: (-find.fit, -find.likeness))[:_KEPT]
        return Look(
            analysis.clip_summary, finds=tuple(best), analysis=analysis, notes=watched.notes, usage=watched.usage
        )

    def _find(self, event: AnalysedEvent, within: Span) -> Find:
        # The analyser may round a time past the end of the segment, and a find must lie inside.
        start = min(event.time_start, within.end_s - _INSTANT_S)
        end = min(max(event.time_end, start + _INSTANT_S), within.end_s)
        fit, likeness = self._reader.fit(self._wanted, event), self._reader.likeness(self._wanted, event)
        return Find(Span(max(0.0, start), end), event.summary, fit, likeness)


class WithWords:
    """What is said in each segment, for a model that does not get the sound, beside what another looker sees."""

    def __init__(self, looker: Looker, said: Callable[[Segment], Sequence[SpeakerTurn]]) -> None:
        """said: returns what is said in a segment, with times in seconds of the video."""
        self._looker, self._said = looker, said

    def look(self, segment: Segment) -> Look:
        """Returns the look with the words."""
        said = tuple(
            f"{turn.time_start:.1f}-{turn.time_end:.1f} s, {turn.speaker_id or 'somebody'}: {turn.utterance}"
            for turn in self._said(segment)
        )
        return replace(self._looker.look(segment), said=said)


class AttachedSegments:
    """The planner's own model sees each segment, as attachments. notes: what it does not get."""

    def __init__(self, attach: Attach, notes: tuple[str, ...] = ()) -> None:
        self._attach, self._notes = attach, notes

    def look(self, segment: Segment) -> Look:
        """Returns the segment as attachments."""
        return Look(attachments=self._attach(segment), notes=self._notes)


class DescribedSegments:
    """A vision model describes each segment, and the planner's model reads the description.

    notes: what it does not get.
    """

    def __init__(
        self, model: ChatModel, attach: Attach, counting: Counting, *, question: str, notes: tuple[str, ...] = ()
    ) -> None:
        self._model, self._attach, self._counting = model, attach, counting
        self._question, self._notes = question, notes

    def look(self, segment: Segment) -> Look:
        """Returns the segment in words."""
        start, end = round(segment.span.start_s, 3), round(segment.span.end_s, 3)
        unheard = Plain(prompt_part("look", "unheard") if self._notes else "")
        asked = prompt("look", question=self._question, start=start, end=end, unheard=unheard)
        asked = asked.showing(self._attach(segment))
        with self._counting() as calls:
            try:
                text = self._model.complete(asked)
            except ModelFailed as error:
                return Look(error=error, usage=Usage.of(calls))
        return Look(text.strip(), notes=self._notes, usage=Usage.of(calls))


class UnseenSegments:
    """Shows no segment to any model: the planner only learns its file, range and length."""

    @staticmethod
    def look(segment: Segment) -> Look:
        """Returns an empty look."""
        return Look()


def _on_video_time(analysis: ClipAnalysis, offset: float) -> ClipAnalysis:
    """Returns an analysis whose times count from the start of a segment, in seconds of the video."""
    events = tuple(shifted(event, offset) for event in analysis.events)
    turns = tuple(shifted(turn, offset) for turn in analysis.speaker_turns)
    return analysis.model_copy(update={"events": events, "speaker_turns": turns})
