"""Text in view: signs, labels, plates and screens, read from stills that show something new (extra [ocr])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from rapidfuzz import fuzz

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.perception.geometry import Box

WIDTH = 1280
"""Pixels of width of the stills: letters need more than things do."""
EVERY = 4.0
"""Seconds between stills."""
SURE, LETTERS = 0.8, 3
"""What is read with less certainty, or has fewer letters and digits, is left out."""
SAME = 80
"""Likeness of two readings (per cent of their letters) from which they are of one text."""
FORGET = 60.0
"""Seconds unseen after which a text is reported again."""
CHANGED, LEVELS = 0.004, 16
"""The share of a still that differs by so many levels (of 255) from the one read before, from which on it is read."""
MANY = 12
"""Texts that are reported of one still; of a page in view the first lines are enough."""


@dataclass(frozen=True)
class Written:
    """A line of text. box: pixels of the still; confidence: 0 to 1."""

    words: str
    confidence: float
    box: Box


ReadText = Callable[[Image], Sequence[Written]]
"""Reads the text in a picture."""


@dataclass(frozen=True)
class TextSeen:
    """What is read in one still. size: (width, height) of it."""

    t: float
    size: tuple[int, int]
    lines: tuple[Written, ...]


class RapidOcr:
    """PP-OCR on onnxruntime, by rapidocr-onnxruntime, whose wheel has the models; under a second a still."""

    def __init__(self) -> None:
        """Raises ModuleNotFoundError: the extra [ocr] is not installed."""
        from rapidocr_onnxruntime import (  # noqa: PLC0415 - an extra  # pyright: ignore[reportMissingImports]
            RapidOCR,
        )

        self._engine: Any = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1)

    def __call__(self, image: Image) -> list[Written]:
        """The lines of text, from top to bottom."""
        found, _ = self._engine(np.ascontiguousarray(image))
        return [Written(str(words).strip(), float(sure), _box(corners)) for corners, words, sure in found or []]


@dataclass
class KnownTexts:
    """What was read of a video so far. last: the still that was read last, scaled down; seen: when each text was."""

    last: Image | None = None
    seen: dict[str, float] = field(default_factory=dict[str, float])


class TextWatch:
    """Reads the stills of one file; a text that stays in view is reported once."""

    def __init__(self, read: ReadText, stills: Iterator[Frame], known: KnownTexts | None = None) -> None:
        """stills: in time order, at seconds of the video. known: of the video's files before this one."""
        self._read = read
        self._stills = stills
        self._next: Frame | None = None
        self._known = known or KnownTexts()

    def see(self, until: float) -> Iterator[TextSeen]:
        """What is read that was not in view lately, up to `until` (s)."""
        for still in self._until(until):
            small: Any = cv2.resize(still.image, (96, 54), interpolation=cv2.INTER_AREA)
            if self._known.last is not None and not _differs(small, self._known.last):
                self._known.seen = dict.fromkeys(self._known.seen, still.t)
                continue
            self._known.last = small
            lines = self._new(still.t, self._read(still.image))
            if lines:
                yield TextSeen(still.t, (still.image.shape[1], still.image.shape[0]), tuple(lines[:MANY]))

    def _until(self, until: float) -> Iterator[Frame]:
        while True:
            still = self._next or next(self._stills, None)
            self._next = still
            if still is None or still.t >= until:
                return
            self._next = None
            yield still

    def _new(self, t: float, lines: Iterable[Written]) -> list[Written]:
        known = self._known.seen = {words: at for words, at in self._known.seen.items() if t - at <= FORGET}
        new: list[Written] = []
        for line in lines:
            key = "".join(filter(str.isalnum, line.words)).casefold()
            if line.confidence < SURE or len(key) < LETTERS:
                continue
            same = next((words for words in known if fuzz.ratio(words, key) >= SAME), None)
            known[same or key] = t
            if same is None:
                new.append(line)
        return new


def _differs(a: Image, b: Image) -> bool:
    return float((np.abs(a.astype(np.int16) - b).max(axis=2) > LEVELS).mean()) > CHANGED


def _box(corners: Any) -> Box:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return Box(min(across), min(down), max(across), max(down))
