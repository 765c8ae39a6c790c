"""Returns the words of a video: its subtitles if it has any, else the transcript of a speech model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.footage import Heard, Hearing, Listen, silent
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import install_command
from amr_neo4j.media import ffmpeg, subtitles

LEAD, TAIL = 1.0, 6.0
"""This many seconds before and after a stretch are transcribed too, so that words at its boundaries are complete."""


class Transcriber:
    """Whisper on this machine. Its weights are in a folder that the user names; nothing is ever downloaded."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelMissing: no model in the folder; ConfigError: the extra [speech] is not installed."""
        # faster-whisper would download tokenizer.json if it is missing.
        missing = [name for name in ("model.bin", "tokenizer.json") if not (folder / name).is_file()]
        if missing:
            hint = "set speech_model to a folder in faster-whisper's format"
            raise ModelMissing(f"no {' and no '.join(missing)} in {folder}", hint=hint)
        self._model = _whisper_model()(str(folder), device="cpu", compute_type="int8", local_files_only=True)

    def hear(self, path: str, known: object = None, *, track: str = "") -> Hearing:
        """Implements Listen. It tells no voices apart."""
        return StretchTranscriber(partial(self.turns, path, track=track))

    def turns(self, path: Path | str, start: float, end: float, *, track: str = "") -> list[SpeakerTurn]:
        """Return what is said from `start` to `end` (s of the file). track: as in Probe.sound."""
        # At temperature 0 the same sound always gives the same words. The filter leaves out silence, where Whisper
        # may hear words that nobody says.
        sound = ffmpeg.audio(path, start, end, track=track)
        segments, _ = self._model.transcribe(sound, temperature=0.0, vad_filter=True)
        return [_turn(segment, start) for segment in segments]


def listen(path: str, known: object = None, *, hear: Listen | None = None, use_subtitles: bool = True) -> Hearing:
    """Return what hears a video file: its subtitles if it has any, else what `hear` returns.

    Forced subtitles have a few of the words, so they are used only if the sound cannot be transcribed. A file without
    subtitles has no turns if there is no `hear` or no sound.
    known: as in Listen.
    """
    has_sound = hear is not None and ffmpeg.probe(path).has_audio
    found = subtitles.read(path) if use_subtitles else subtitles.Subtitles()
    if found.turns and not (found.is_forced and has_sound):
        return lambda start, end: Heard(within(found.turns, start, end))
    return hear(path, known) if hear and has_sound else silent


def unheard(path: str) -> bool:
    """Return whether a file has sound and no subtitles of it, so that words are lost without a transcriber."""
    found = subtitles.read(path)
    return ffmpeg.probe(path).has_audio and (not found.turns or found.is_forced)


class StretchTranscriber:
    """Transcribes a file stretch by stretch, in order. A turn belongs to the stretch that it starts in."""

    def __init__(self, transcribe: Callable[[float, float], Sequence[SpeakerTurn]]) -> None:
        """transcribe: returns what is said between two seconds of the file."""
        self._transcribe = transcribe
        self._transcribed_to = 0.0

    def __call__(self, start: float, end: float) -> Heard:
        begin = max(start - LEAD, self._transcribed_to)
        if begin >= end:
            return Heard()
        turns = within(self._transcribe(begin, end + TAIL), start, end)
        # A turn that runs beyond this stretch must not be transcribed a second time.
        self._transcribed_to = max([self._transcribed_to, *(turn.time_end for turn in turns)])
        return Heard(turns)


def within(turns: Sequence[SpeakerTurn], start: float, end: float) -> list[SpeakerTurn]:
    """Return the turns that start in [start, end)."""
    return [turn for turn in turns if start <= turn.time_start < end]


def _turn(segment: Any, offset: float) -> SpeakerTurn:
    return SpeakerTurn(
        utterance=segment.text.strip(),
        time_start=round(offset + segment.start, 2),
        time_end=round(offset + segment.end, 2),
    )


def _whisper_model() -> Any:
    try:
        return import_module("faster_whisper").WhisperModel
    except ModuleNotFoundError as error:
        hint = f"run: {install_command('speech')}; or leave speech_model unset"
        raise ConfigError(f"speech_model is set, but {error.name} is not installed", hint=hint) from error
