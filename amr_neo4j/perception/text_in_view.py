"""Reads text in view, such as signs, labels, plates and screens, from stills that show news (extra [ocr])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import cv2
import numpy as np
from rapidfuzz import fuzz

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.perception.geometry import Box

WIDTH = 1280
"""The width of the stills in pixels. Letters need more than things do."""
EVERY = 4.0
"""Seconds between stills."""
SURE, LETTERS = 0.8, 3
"""Text that is read with less certainty, or has fewer letters and digits, is left out."""
SAME = 80
"""Two readings that agree in this per cent of their letters are of one text."""
FORGET = 60.0
"""A text is reported again after this many seconds unseen."""
CHANGED, LEVELS = 0.004, 16
"""A still is read only if at least the share CHANGED of its pixels differs by at least LEVELS (of 255) from the still
that was read last."""
MANY = 12
"""At most this many texts are reported of one still. If a whole page is in view, its first lines are enough."""


@dataclass(frozen=True)
class TextLine:
    """A line of text.

    confidence: 0 to 1.
    box: in pixels of the still.
    """

    words: str
    confidence: float
    box: Box


ReadText = Callable[[Image], Sequence[TextLine]]
"""Reads the text in a picture."""


@dataclass(frozen=True)
class TextSeen:
    """What is read in one still. size: its (width, height)."""

    t: float
    size: tuple[int, int]
    lines: tuple[TextLine, ...]


class RapidOcr:
    """PP-OCR on onnxruntime. The wheel of rapidocr-onnxruntime has its models. A still takes under a second."""

    def __init__(self) -> None:
        """Raises ModuleNotFoundError: the extra [ocr] is not installed."""
        engine = import_module("rapidocr_onnxruntime").RapidOCR
        self._engine: Any = engine(intra_op_num_threads=1, inter_op_num_threads=1)

    def __call__(self, image: Image) -> list[TextLine]:
        """Return the lines of text, from top to bottom."""
        found: list[Any] | None = self._engine(np.ascontiguousarray(image))[0]
        return [TextLine(str(words).strip(), float(sure), _box(corners)) for corners, words, sure in found or []]


@dataclass
class KnownTexts:
    """The texts that were read in the pictures of a video so far.

    last: the still that was read last, scaled down.
    seen: {text: the second at which it was last in view}.
    """

    last: Image | None = None
    seen: dict[str, float] = field(default_factory=dict[str, float])


class TextWatch:
    """Reads the stills of one file. A text that stays in view is reported once."""

    def __init__(self, read: ReadText, stills: Iterator[Frame], known: KnownTexts | None = None) -> None:
        """stills: in time order, at seconds of the video.
        known: what was read in the files of the video before this one.
        """
        self._read = read
        self._stills = stills
        self._next: Frame | None = None
        self._known = known or KnownTexts()

    def see(self, until: float) -> Iterator[TextSeen]:
        """Yield text up to `until` (s) that was not in view lately."""
        for still in self._until(until):
            small: Any = cv2.resize(still.image, (96, 54), interpolation=cv2.INTER_AREA)
            if self._known.last is not None and not _differs(small, self._known.last):
                # The still shows nothing new, so every known text is taken to be still in view.
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

    def _new(self, t: float, lines: Iterable[TextLine]) -> list[TextLine]:
        known = self._known.seen = {words: at for words, at in self._known.seen.items() if t - at <= FORGET}
        new: list[TextLine] = []
        for line in lines:
            # Spaces and punctuation are read differently from still to still.
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
