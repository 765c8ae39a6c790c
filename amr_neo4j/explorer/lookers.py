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
_MOST_FINDS = 5
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
        """Return what happens in the segment, best fit first. Times are seconds of the video."""
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
        best = sorted(finds, key=lambda find: (-find.fit, -find.likeness))[:_MOST_FINDS]
        return Look(
            analysis.clip_summary, finds=tuple(best), analysis=analysis, notes=watched.notes, usage=watched.usage
        )

    def _find(self, event: AnalysedEvent, within: Span) -> Find:
        # The analyser may round a time past the end of the segment, and a find must lie inside.
        start = min(event.time_start, within.end_s - _INSTANT_S)
        end = min(max(event.time_end, start + _INSTANT_S), within.end_s)
        fit, likeness = self._reader.fit(self._wanted, event), self._reader.likeness(self._wanted, event)
        return Find(Span(max(0.0, start), end), event.summary, fit, likeness)


def with_words(look: Looker, said: Callable[[Segment], Sequence[SpeakerTurn]]) -> Looker:
    """Return a looker that adds what is said in each segment, for a model that does not get the sound.

    said: returns what is said in a segment, with times in seconds of the video.
    """

    def with_said(segment: Segment) -> Look:
        words = tuple(
            f"{turn.time_start:.1f}-{turn.time_end:.1f} s, {turn.speaker_id or 'somebody'}: {turn.utterance}"
            for turn in said(segment)
        )
        return replace(look(segment), said=words)

    return with_said


def attached(attach: Attach, notes: tuple[str, ...] = ()) -> Looker:
    """Return a looker whose segments the planner's own model sees, as attachments. notes: what it does not get."""
    return lambda segment: Look(attachments=attach(segment), notes=notes)


def described(
    model: ChatModel, attach: Attach, counting: Counting, *, question: str, notes: tuple[str, ...] = ()
) -> Looker:
    """Return a looker by a vision model, which describes each segment for the planner's model.

    notes: what the vision model does not get.
    """
    unheard = Plain(prompt_part("look", "unheard") if notes else "")

    def look(segment: Segment) -> Look:
        start, end = round(segment.span.start_s, 3), round(segment.span.end_s, 3)
        asked = prompt("look", question=question, start=start, end=end, unheard=unheard)
        asked = asked.showing(attach(segment))
        with counting() as calls:
            try:
                text = model.complete(asked)
            except ModelFailed as error:
                return Look(error=error, usage=Usage.of(calls))
        return Look(text.strip(), notes=notes, usage=Usage.of(calls))

    return look


def unseen(segment: Segment) -> Look:
    """A looker that shows no segment to any model: the planner only learns its file, range and length."""
    return Look()


def _on_video_time(analysis: ClipAnalysis, offset: float) -> ClipAnalysis:
    """Return an analysis whose times count from the start of a segment, in seconds of the video."""
    events = tuple(shifted(event, offset) for event in analysis.events)
    turns = tuple(shifted(turn, offset) for turn in analysis.speaker_turns)
    return analysis.model_copy(update={"events": events, "speaker_turns": turns})
