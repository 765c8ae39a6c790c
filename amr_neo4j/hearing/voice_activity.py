"""Finds speech in sound: Silero's network on onnxruntime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from amr_neo4j.hearing.limits import RATE, limits
from amr_neo4j.onnx_session import open_session

Samples = npt.NDArray[np.float32]

FRAME = 512
"""Samples for which the network gives one probability: 32 ms."""
_CONTEXT = 64
"""Samples of the frame before that it gets with each frame."""
_FRAMES_AT_ONCE = 512
"""Frames of one call."""


@dataclass(frozen=True)
class SpeechStretch:
    """A stretch of speech, with some sound before and after it.

    start: second of the file at which `samples` begin.
    speech: (start, end) of the speech in it, in seconds of the file.
    """

    start: float
    samples: Samples
    speech: tuple[float, float]


class VoiceActivity:
    """The network. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """folder: has silero_vad_16k_sequence.onnx, as `amr models install` leaves it."""
        self._session = open_session(folder / "silero_vad_16k_sequence.onnx")

    def probabilities(self, blocks: Iterable[Samples]) -> Iterator[tuple[Samples, npt.NDArray[np.float32]]]:
        """Yield the sound in blocks of whole frames, with a probability of speech for each frame.

        The last frame is filled with silence.
        """
        hidden, cell = (np.zeros((1, 1, 128), np.float32) for _ in range(2))
        before, rest = np.zeros(_CONTEXT, np.float32), np.zeros(0, np.float32)
        for block in _framed(blocks, rest):
            for first in range(0, len(block), FRAME * _FRAMES_AT_ONCE):
                samples = block[first : first + FRAME * _FRAMES_AT_ONCE]
                frames = samples.reshape(-1, FRAME)
                contexts = np.concatenate([before[None], frames[:-1, -_CONTEXT:]])
                before = frames[-1, -_CONTEXT:]
                given = {"input": np.concatenate([contexts, frames], axis=1), "h": hidden, "c": cell}
                found, hidden, cell = self._session.run(["speech_probs", "hn", "cn"], given)
                yield samples, found

    def segments(self, blocks: Iterable[Samples]) -> Iterator[SpeechStretch]:
        """Yield the speech of a file, in order, each as soon as its end is heard.

        blocks: the sound from the start of the file, in pieces of any length.
        """
        window = _Window()
        for samples, found in self.probabilities(blocks):
            for frame, probability in zip(samples.reshape(-1, FRAME), found.tolist(), strict=True):
                yield from window.take(frame, probability)
        yield from window.finish()


class _Window:
    """The sound of the speech that goes on, or what may stand before the next, as frames."""

    def __init__(self) -> None:
        self._frames: list[Samples] = []
        self._probabilities: list[float] = []
        self._first = 0  # the number of the first frame that is held
        self._start: int | None = None  # of the speech, among the frames held
        self._end = 0
        wanted = limits()
        self._padding, self._pause, self._longest, self._shortest = (
            round(seconds * RATE / FRAME)
            for seconds in (wanted.padding, wanted.pause, wanted.longest, wanted.shortest)
        )

    def take(self, frame: Samples, probability: float) -> Iterator[SpeechStretch]:
        self._frames.append(frame)
        self._probabilities.append(probability)
        count = len(self._frames)
        if self._start is None:
            if probability >= limits().speech_from:
                self._start, self._end = count - 1, count
            else:
                self._drop(count - self._padding)
            return
        if probability >= limits().speech_until:
            self._end = count
        if count - self._end > self._pause:
            yield from self.finish()
        elif count - self._start > self._longest:
            # Somebody who speaks on and on is cut at the least speech of the second half, which is no word.
            half = self._start + self._longest // 2
            cut = half + int(np.argmin(self._probabilities[half:]))
            yield from self._cut(self._start, cut, padding=0)
            self._start = cut
            self._drop(cut)

    def finish(self) -> Iterator[SpeechStretch]:
        """Yield the speech that goes on, if it is long enough, and begin anew."""
        if self._start is not None:
            yield from self._cut(self._start, self._end, padding=self._padding)
        self._start = None
        self._drop(len(self._frames) - self._padding)

    def _cut(self, start: int, end: int, *, padding: int) -> Iterator[SpeechStretch]:
        if end - start < self._shortest:
            return
        before = max(0, start - self._padding)
        samples = np.concatenate(self._frames[before : end + padding])
        at = [(self._first + each) * FRAME / RATE for each in (before, start, end)]
        yield SpeechStretch(at[0], samples, (at[1], at[2]))

    def _drop(self, count: int) -> None:
        if count <= 0:
            return
        del self._frames[:count], self._probabilities[:count]
        self._first += count
        if self._start is not None:
            self._start -= count
            self._end = max(0, self._end - count)


def _framed(blocks: Iterable[Samples], rest: Samples) -> Iterator[Samples]:
    for block in blocks:
        whole = np.concatenate([rest, block])
        count = len(whole) // FRAME * FRAME
        rest = whole[count:]
        if count:
            yield whole[:count]
    if len(rest):
        yield np.pad(rest, (0, FRAME - len(rest)))
