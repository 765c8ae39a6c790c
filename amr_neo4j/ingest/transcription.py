"""Has a chat model that hears sound write down what is said."""

from __future__ import annotations

import io
import wave
from collections import deque

import numpy as np

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.footage import Sound
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import Transcript
from amr_neo4j.prompts.library import prompt

_RATE = 16_000
_LINES_BEFORE = 12
"""Earlier lines of speech that the model is shown, so that a voice keeps its name."""
_SILENCE = 1e-3
"""Sound that is nowhere louder than this, of 1, is not sent."""


class Transcription:
    """What a chat model hears in one file, stretch after stretch."""

    def __init__(self, model: ChatModel, sound: Sound, *, tokens_second: float) -> None:
        """tokens_second: how many tokens a second of sound counts as."""
        self._model, self._sound, self._tokens_second = model, sound, tokens_second
        self._before: deque[str] = deque(maxlen=_LINES_BEFORE)

    def __call__(self, start: float, end: float) -> list[SpeakerTurn]:
        """Return what is said between two seconds of the file. Raises ModelError."""
        samples = self._sound(start, end)
        if not np.any(np.abs(samples) > _SILENCE):
            return []
        seconds = len(samples) / _RATE
        with io.BytesIO() as wav:
            with wave.open(wav, "wb") as file:
                file.setparams((1, 2, _RATE, 0, "NONE", ""))
                file.writeframes((np.clip(samples, -1, 1) * 32_767).astype("<i2").tobytes())
            sent = Attachment("audio/wav", wav.getvalue(), "The sound:", round(seconds * self._tokens_second))
        asked = prompt("transcribe", seconds=round(seconds, 1), before="\n".join(self._before) or "nothing")
        heard, _ = self._model.ask(asked.showing([sent]), Transcript)
        turns = [
            SpeakerTurn(
                speaker_id=turn.speaker.strip(),
                utterance=turn.words.strip(),
                time_start=round(start + min(turn.time_start, seconds), 2),
                time_end=round(start + min(max(turn.time_start, turn.time_end), seconds), 2),
            )
            for turn in heard.turns
            if turn.words.strip()
        ]
        self._before += [f"{turn.speaker_id or 'somebody'}: {turn.utterance}" for turn in turns]
        return turns
