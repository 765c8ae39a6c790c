"""The speech of a video: its subtitles if it has any, else the transcript of a speech model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.footage import Hearing
from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import install_command
from amr_neo4j.media import ffmpeg, subtitles

LEAD, TAIL = 1.0, 6.0
"""Seconds transcribed before and after a stretch, so that words at its boundaries are complete."""


class Transcriber:
    """Whisper on this machine. The weights are in a folder that the user names; nothing is ever downloaded."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelMissing: no model in the folder; ConfigError: the extra [speech] is not installed."""
        # faster-whisper would download a missing tokenizer.json
        missing = [name for name in ("model.bin", "tokenizer.json") if not (folder / name).is_file()]
        if missing:
            hint = "set speech_model to a folder in faster-whisper's format"
            raise ModelMissing(f"no {' and no '.join(missing)} in {folder}", hint=hint)
        self._model = _whisper_model()(str(folder), device="cpu", compute_type="int8", local_files_only=True)

    def turns(self, path: Path | str, start: float, end: float) -> list[SpeakerTurn]:
        """Transcribe from `start` to `end` (s of the file)."""
        segments, _ = self._model.transcribe(ffmpeg.audio(path, start, end), temperature=0.0, vad_filter=True)
        return [_turn(segment, start) for segment in segments]


def listen(path: str, transcriber: Transcriber | None = None) -> Hearing:
    """Return a function (start, end) -> speaker turns of a video file; subtitles are preferred over transcription.

    Without subtitles, and without a transcriber or a sound track, it returns no turns.
    """
    if turns := subtitles.turns_of(path):
        return partial(within, turns)
    if transcriber and ffmpeg.probe(path).has_audio:
        return _StretchTranscriber(path, transcriber)
    return partial(within, ())


def unheard(path: str) -> bool:
    """Whether a file has sound, and no subtitles for it: without a transcriber its words are lost."""
    return ffmpeg.probe(path).has_audio and not subtitles.turns_of(path)


class _StretchTranscriber:
    """Transcribes one file stretch by stretch, in order; a turn belongs to the stretch that it starts in."""

    def __init__(self, path: str, transcriber: Transcriber) -> None:
        self._path = path
        self._transcriber = transcriber
        self._transcribed_to = 0.0

    def __call__(self, start: float, end: float) -> list[SpeakerTurn]:
        begin = max(start - LEAD, self._transcribed_to)
        if begin >= end:
            return []
        turns = within(self._transcriber.turns(self._path, begin, end + TAIL), start, end)
        # A turn that runs over the end of this stretch must not be transcribed again.
        self._transcribed_to = max([self._transcribed_to, *(turn.time_end for turn in turns)])
        return turns


def within(turns: Sequence[SpeakerTurn], start: float, end: float) -> list[SpeakerTurn]:
    """The turns that start in [start, end)."""
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
