"""Tells voices apart: Resemblyzer's encoder on onnxruntime, and the voices of a video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from amr_neo4j.hearing.limits import RATE, limits
from amr_neo4j.hearing.voice_activity import Samples
from amr_neo4j.onnx_session import open_session

Voice = npt.NDArray[np.float32]
"""A unit vector, shape (256,)."""

_WINDOW, _HOP, _BANDS = 400, 160, 40
_PARTIAL, _STEP = 160, 40
"""Windows that the encoder hears at once, 1.6 s, and from one of these to the next."""
_LOUDNESS = 10 ** (-30 / 20)
"""Quieter sound is raised to this root mean square. The encoder was trained on speech that is no quieter."""


class VoiceEncoder:
    """The encoder. Thread-safe. A second of speech takes about 15 ms of one thread."""

    def __init__(self, folder: Path) -> None:
        """folder: has voice.onnx, as `amr models install` leaves it."""
        self._session = open_session(folder / "voice.onnx")
        self._bands = _mel_bands().T

    def __call__(self, samples: Samples) -> Voice:
        """Return the voice in a sound, the mean over its parts of 1.6 s."""
        found = self.partials(samples).mean(axis=0)
        return found / max(1e-9, float(np.linalg.norm(found)))

    def partials(self, samples: Samples) -> npt.NDArray[np.float32]:
        """Return the voice in each part of 1.6 s, one every 0.4 s, shape (parts, 256).

        A shorter sound is repeated.
        """
        loudness = float(np.sqrt(np.mean(samples**2)))
        mels = self._mels(samples * max(1.0, _LOUDNESS / max(loudness, 1e-6)))
        if len(mels) < _PARTIAL:
            mels = np.resize(mels, (_PARTIAL, _BANDS))
        parts = np.stack([mels[at : at + _PARTIAL] for at in range(0, len(mels) - _PARTIAL + 1, _STEP)])
        return self._session.run(["voices"], {"mels": parts.astype(np.float32)})[0]

    def _mels(self, samples: Samples) -> npt.NDArray[np.float32]:
        """Return the power in mel bands, shape (windows, 40), as librosa computes it."""
        padded = np.pad(samples, _WINDOW // 2)
        windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP]
        # A periodic window of Hann.
        spectrum = np.fft.rfft(windows * np.hanning(_WINDOW + 1)[:-1])
        return (np.abs(spectrum) ** 2 @ self._bands).astype(np.float32)


def _mel_bands() -> npt.NDArray[np.float64]:
    """Return the weights of the frequencies in each band, shape (40, 201), on Slaney's scale.

    The scale is linear up to 1 kHz, and logarithmic above it.
    """
    highest = 15 + np.log(RATE / 2 / 1000) / (np.log(6.4) / 27)
    mels = np.arange(_BANDS + 2) * float(highest / (_BANDS + 1))
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(np.log(6.4) / 27 * (mels - 15)))
    frequencies = np.arange(_WINDOW // 2 + 1) * (RATE / _WINDOW)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    nearer = np.minimum((frequencies - low) / (middle - low), (high - frequencies) / (high - middle))
    return np.maximum(0, nearer) * 2 / (high - low)


class Voices:
    """The voices of a video, named in the order in which they first speak. It learns them as it hears them."""

    def __init__(
        self,
        named: Sequence[tuple[str, Sequence[float]]] = (),
        heard: Mapping[int, Sequence[float] | None] = MappingProxyType({}),
    ) -> None:
        """named: voices of the group, each with the name of a person. What is heard does not change them.

        heard: the voices of the video so far, by number. One that was not kept (None), or has a name (empty), is not
            known again, but no other voice gets its number. What is much like a named voice is that one.
        """
        self._names = [name for name, _ in named]
        self._sums: list[Voice] = [np.array(voice, np.float32) for _, voice in named]
        self._named = len(named)
        for number, kept in heard.items():
            voice = np.array(() if kept is None else kept, np.float32)
            if len(voice) and not self._is_of_named(voice):
                self._names.append(f"voice {number}")
                self._sums.append(voice)
        self._numbers = count(max(heard, default=0) + 1)

    def name(self, number: int) -> str:
        """Return the name of a voice for people: "voice 1", or that of the person."""
        return self._names[number]

    def heard(self) -> dict[int, Sequence[float]]:
        """Return {number: sum of what was heard} of the voices that nobody has named, as `heard` takes them."""
        sums = zip(self._names[self._named :], self._sums[self._named :], strict=True)
        return {int(name.removeprefix("voice ")): each.tolist() for name, each in sums}

    def vectors(self) -> dict[str, list[float]]:
        """Return {name: unit vector} of the voices that nobody has named."""
        sums = zip(self._names[self._named :], self._sums[self._named :], strict=True)
        return {name: np.round(each / np.linalg.norm(each), 4).tolist() for name, each in sums}

    def number(self, voice: Voice, seconds: float) -> int | None:
        """Return the number of the voice that speaks, which may be a new one; None if it cannot be told.

        seconds: how long it speaks. Short speech begins no voice and does not change one.
        """
        wanted = limits()
        cosines = self._cosines(voice)
        # A known person is named only if the voice is very like theirs. Otherwise somebody might be taken for them.
        known = cosines.copy()
        known[: self._named][known[: self._named] < wanted.known_voice] = -1
        best = int(np.argmax(known)) if len(known) and known.max() > -1 else None
        if seconds < wanted.own_voice:
            return best
        if self.are_two(voice, seconds):
            return None
        if best is None or known[best] < wanted.same_voice:
            self._sums.append(voice * seconds)
            self._names.append(f"voice {next(self._numbers)}")
            return len(self._sums) - 1
        # A person may have several voices, one from each film in which they were named.
        others = cosines[[name != self._names[best] for name in self._names]]
        if len(others) and cosines[best] - others.max() < wanted.distinct:
            return None
        if best >= self._named:
            self._sums[best] = (self._sums[best] + voice * seconds).astype(np.float32)
        return best

    def are_two(self, voice: Voice, seconds: float) -> bool:
        """Return whether a sound is like two of the voices together, and clearly less like either of them alone.

        Short speech is too unlike its own voice to tell.
        """
        cosines, wanted = self._cosines(voice), limits()
        order: list[int] = np.argsort(-cosines).tolist()
        others = [each for each in order if self._names[each] != self._names[order[0]]]
        if seconds < wanted.own_voice or not others:
            return False
        pair = np.array([self._sums[each] for each in (order[0], others[0])]).T
        together = float(np.linalg.norm(np.linalg.qr(pair).Q.T @ voice))
        return together >= wanted.same_voice and together - float(cosines[order[0]]) >= wanted.two_voices

    def _is_of_named(self, voice: Voice) -> bool:
        cosines = self._cosines((voice / np.linalg.norm(voice)).astype(np.float32))[: self._named]
        return len(cosines) > 0 and float(cosines.max()) >= limits().known_voice

    def _cosines(self, voice: Voice) -> npt.NDArray[np.float32]:
        if not self._sums:
            return np.zeros(0, np.float32)
        sums: Sequence[Voice] = self._sums
        return np.array([each @ voice / np.linalg.norm(each) for each in sums], np.float32)
