"""The local analyser: a detector, a tracker and the transcript; no key, no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain, groupby

from amr_neo4j.domain.analysis import ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.footage import Footage, Frame, Hearing, Listen
from amr_neo4j.domain.video import AnalysedClip, Clip, Video, content_sha256
from amr_neo4j.language.base import Language
from amr_neo4j.perception.clip_watcher import ClipWatcher, Seen
from amr_neo4j.perception.detect import Detector
from amr_neo4j.perception.dialogue import dialogue_of
from amr_neo4j.perception.event_builder import EventBuilder
from amr_neo4j.perception.person_registry import PersonRegistry

WIDTH = 640
"""Pixels of width at which frames are analysed."""
FORGET = 60.0
"""Seconds after which an ended track is dropped."""


class LocalAnalyser:
    """Watches videos through a detector that runs on this machine (an Analyser of domain/ports.py)."""

    name = "local"

    def __init__(
        self, detector: Detector, footage: Footage, listen: Listen, language: Language, *, fps: float = 5.0
    ) -> None:
        """language: of the sentences. fps: frames analysed per second."""
        self.model = detector.name
        self._detector = detector
        self._footage = footage
        self._listen = listen
        self._language = language
        self._fps = fps

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        """Analyse clips in time order, each before a frame of the next is read.

        Clips that are files of their own are read from there, all others from the video.
        Raises NoSuchFile, InputError, ToolError: a file cannot be read.
        """
        people = PersonRegistry(self._language)
        for path, stretch in groupby(clips, key=lambda clip: clip.uri or video.uri):
            yield from self._watch_file(video, path, stretch, people)

    def _watch_file(
        self, video: Video, path: str, clips: Iterator[Clip], people: PersonRegistry
    ) -> Iterator[AnalysedClip]:
        first = next(clips)
        offset = 0.0 if path == video.uri else first.t_start - first.uri_offset
        # a run that starts in the middle watches one clip's length before, to know who is there
        begin = max(0.0, 2 * first.t_start - first.t_end - offset)
        hearing = _shifted_words(self._listen(path), offset)
        with closing(self._footage(path, fps=self._fps, width=WIDTH, start=begin)) as frames:
            watching = ClipWatcher(self._detector, _shifted(frames, offset), begin + offset, self._fps)
            for clip in chain([first], clips):
                yield self._analysed(video, clip, watching.see(clip), hearing, people)
                people.forget(clip.t_end - FORGET)

    def _analysed(
        self, video: Video, clip: Clip, seen: Seen, hearing: Hearing, people: PersonRegistry
    ) -> AnalysedClip:
        builder = EventBuilder(clip, people, seen.size, self._language)
        events = builder.events(seen.happenings)
        dialogue = dialogue_of(clip, hearing(clip.t_start, clip.t_end))
        speak = self._language.scenes.speak(dialogue.names, unknown=dialogue.has_unknown_speaker)
        analysis = ClipAnalysis(
            clip_summary=f"{builder.summary(events, seen.present)} {speak}".rstrip(),
            characters=(*builder.characters, *dialogue.speakers),
            speaker_turns=dialogue.turns,
            events=tuple(events),
        )
        notes = (*filter(None, [self._detector.note]), *seen.notes)
        return AnalysedClip(video, clip, analysis, self.name, content_sha256(video, clip), self.model, notes)


def _shifted(frames: Iterable[Frame], offset: float) -> Iterator[Frame]:
    """Frames of a file at their seconds of the video."""
    return (replace(frame, t=frame.t + offset) for frame in frames)


def _shifted_words(hearing: Hearing, offset: float) -> Hearing:
    def hear(start: float, end: float) -> list[SpeakerTurn]:
        turns = hearing(start - offset, end - offset)
        return [
            turn.model_copy(update={"time_start": turn.time_start + offset, "time_end": turn.time_end + offset})
            for turn in turns
        ]

    return hear
