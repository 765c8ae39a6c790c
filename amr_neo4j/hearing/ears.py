"""From sound to speaker turns: voice activity, words, voices."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from statistics import mean

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.footage import Heard, Sound
from amr_neo4j.hearing.limits import RATE, limits
from amr_neo4j.hearing.noise import without_noise
from amr_neo4j.hearing.voice_activity import Samples, SpeechStretch, VoiceActivity
from amr_neo4j.hearing.voices import VoiceEncoder, Voices
from amr_neo4j.hearing.words import Recognition, SpeechToText, Word

_BLOCK_S = 60.0
"""Seconds of sound that are read at once."""
_LEAD_S = 0.5
"""Seconds before a block that are read and dropped: a decoder that begins in the middle needs some to be right."""
TOGETHER = "several people may have spoken at once; whose voice that is, and the words, are uncertain"
NOT_ENGLISH = "speech was left out that is no clear English (other languages: docs/local-analyser.md)"


class Ears:
    """Hears files. One serves all files and threads. A model is loaded when it is first needed."""

    def __init__(self, activity: Path, words: Path, voices: Path) -> None:
        """activity, words, voices: the folders of the installed models."""
        self._folders = activity, words, voices

    @cached_property
    def activity(self) -> VoiceActivity:
        """Where somebody speaks."""
        return VoiceActivity(self._folders[0])

    @cached_property
    def words(self) -> SpeechToText:
        """What is said."""
        return SpeechToText(self._folders[1])

    @cached_property
    def voices(self) -> VoiceEncoder:
        """Who says it."""
        return VoiceEncoder(self._folders[2])

    def hear(self, sound: Sound, known: object = None) -> FileHearing:
        """Return what hears a file.

        sound: reads it.
        known: a HeardSoFar, if something is known of the video.
        """
        return FileHearing(self, sound, known if isinstance(known, HeardSoFar) else HeardSoFar())


@dataclass
class HeardSoFar:
    """What is known of a video from what was heard so far.

    voices: its voices.
    remembers: whether the group remembers them.
    certainties: of the last segments, kept or not.
    """

    voices: Voices = field(default_factory=Voices)
    remembers: bool = False
    certainties: deque[float] = field(default_factory=lambda: deque[float](maxlen=limits().segments_before))

    def is_english(self, certainty: float) -> bool:
        """Return whether a segment whose words have this certainty is clear English.

        Most films keep their language, so the segments before count for half, unless it is very clear or unclear.
        """
        before = mean(self.certainties) if self.certainties else certainty
        self.certainties.append(certainty)
        wanted = limits()
        if not wanted.unclear <= certainty < wanted.clear:
            return certainty >= wanted.clear
        return (certainty + before) / 2 >= wanted.least_certainty


class FileHearing:
    """Hears one file from its start on, in order. Implements Hearing.

    Words and voices depend only on the file. So a run that begins in the middle of the file also hears what comes
    before.
    """

    def __init__(self, ears: Ears, sound: Sound, known: HeardSoFar) -> None:
        """known: what is known of the video. It learns what is heard."""
        self._known = known
        self._ears = ears
        self._segments = ears.activity.segments(_blocks(sound))
        self._ahead: list[SpeakerTurn] = []
        self._heard_to = 0.0
        self._noted: list[tuple[float, str]] = []

    def __call__(self, start: float, end: float) -> Heard:
        """Return the turns that start between two seconds of the file. Calls go forward in time."""
        # A segment is whole only when the next one begins, so that this reads up to one segment further.
        while self._heard_to < end:
            segment = next(self._segments, None)
            if segment is None:
                break
            self._heard_to = segment.speech[0]
            self._ahead += self._turns(segment)
        turns = tuple(turn for turn in self._ahead if start <= turn.time_start < end)
        self._ahead = [turn for turn in self._ahead if turn.time_start >= end]
        notes = dict.fromkeys(note for second, note in self._noted if start <= second < end)
        speakers = {turn.speaker_id for turn in turns}
        vectors = self._known.voices.vectors() if self._known.remembers else {}
        voices = {name: voice for name, voice in vectors.items() if name in speakers}
        return Heard(turns, tuple(notes), voices)

    def _transcript(self, samples: Samples) -> Recognition:
        """Return the surer words: of a sound, or of it without its noise, if the former are unsure."""
        words = self._ears.words(samples)
        if words.certainty >= limits().unsure:
            return words
        return max(words, self._ears.words(without_noise(samples)), key=attrgetter("certainty"))

    def _turns(self, segment: SpeechStretch) -> list[SpeakerTurn]:
        transcript = self._transcript(segment.samples)
        if not self._known.is_english(transcript.certainty):
            self._noted.append((segment.speech[0], NOT_ENGLISH))
            return []
        first, last = (second - segment.start for second in segment.speech)
        turns: list[SpeakerTurn] = []
        for sentence in transcript.sentences():
            start, end = spoken_span(sentence, (first, last))
            samples = segment.samples[int(start * RATE) : int(end * RATE)]
            voice = None
            if len(samples):
                sound = self._ears.voices(samples)
                if self._known.voices.are_two(sound, end - start):
                    self._noted.append((segment.start + start, TOGETHER))
                voice = self._known.voices.number(sound, end - start)
            turns.append(
                SpeakerTurn(
                    speaker_id="" if voice is None else self._known.voices.name(voice),
                    utterance=" ".join(word.text for word in sentence),
                    time_start=round(segment.start + start, 2),
                    time_end=round(segment.start + end, 2),
                )
            )
        return turns


def spoken_span(sentence: Sequence[Word], speech: tuple[float, float]) -> tuple[float, float]:
    """Return the start and end of a sentence within the speech of its segment, in seconds.

    The alignment gives the silence before and after the words to them, and may put a whole sentence into it.
    """
    first, last = speech
    start = min(max(sentence[0].start, first), last)
    return start, max(start, min(sentence[-1].end, last))


def _blocks(sound: Sound) -> Iterator[Samples]:
    """Yield the sound of a file, from its start to its end."""
    at = 0.0
    while True:
        lead = min(_LEAD_S, at)
        block = sound(at - lead, at + _BLOCK_S)[round(lead * RATE) :]
        if not len(block):
            return
        yield block
        if len(block) < _BLOCK_S * RATE:
            return
        at += _BLOCK_S
