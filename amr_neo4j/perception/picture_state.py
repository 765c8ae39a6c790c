# pyright: basic
"""The picture as a whole: dark, over-exposed, or moved by the camera. Nothing is said to move before it then."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import cv2
import numpy as np

from amr_neo4j.domain.footage import Image

WIDTH = 160
"""Pixels of width at which pictures are compared."""
DARK = 40
"""A picture is dark where 95 % of it are below this level (of 255)."""
WHITE, MUCH = 245, 0.55
"""A picture is over-exposed where this share of it is above this level."""
LASTS, PAUSE = 0.8, 1.0
"""Seconds for which a state must last to be reported, and for which it may pause."""
STEP = 0.7
"""Pixels (of WIDTH) that the whole picture must shift between two pictures."""


class PictureState(Enum):
    """What can be so of the whole picture; the value is the verb that tells it."""

    DARK = "darken"
    BRIGHT = "overexpose"
    CAMERA = "camera moves"


@dataclass
class Stretch:
    """A stretch of time in which the picture was so, in seconds of the video. reported: it was reported."""

    state: PictureState
    start: float
    end: float
    reported: bool = False


class PictureWatch:
    """Follows the state of the whole picture."""

    def __init__(self) -> None:
        self._before: Image | None = None
        self._open: dict[PictureState, Stretch] = {}
        self._shifts: deque[bool] = deque(maxlen=5)
        self.stretches: list[Stretch] = []

    def see(self, t: float, image: Image) -> None:
        """Take in the picture at t (s)."""
        small: Any = cv2.resize(image, (WIDTH, max(16, round(WIDTH * image.shape[0] / image.shape[1]))))
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        for state in self._states(grey):
            stretch = self._open.get(state)
            if stretch is None or t - stretch.end > PAUSE:
                stretch = self._open[state] = Stretch(state, t, t)
                self.stretches.append(stretch)
            stretch.end = t
        self._before = grey

    def now(self, t: float) -> set[PictureState]:
        """The states that hold at t, or did within the last PAUSE."""
        return {state for state, stretch in self._open.items() if t - stretch.end <= PAUSE}

    def begun(self, since: float) -> Iterator[Stretch]:
        """The stretches that lasted long enough and were not reported yet; those over before `since` are dropped.

        A dark or bright one is reported again where it goes on for so long after `since`: nothing else is known then.
        """
        for stretch in self.stretches:
            goes_on = stretch.reported and stretch.state is not PictureState.CAMERA
            begin = max(stretch.start, since) if goes_on else stretch.start
            if (goes_on or not stretch.reported) and stretch.end - begin >= LASTS:
                stretch.reported = True
                yield replace(stretch, start=begin)
        self.stretches = [each for each in self.stretches if each.end >= since]

    def _states(self, grey: Image) -> Iterator[PictureState]:
        dark = float(np.percentile(grey, 95)) < DARK
        bright = float((grey >= WHITE).mean()) > MUCH
        self._shifts.append(not dark and not bright and self._before is not None and _shifted(self._before, grey))
        if dark:
            yield PictureState.DARK
        if bright:
            yield PictureState.BRIGHT
        if sum(self._shifts) >= 2 and self._shifts[-1]:
            yield PictureState.CAMERA


def _shifted(before: Image, now: Image) -> bool:
    """Whether one shift explains the change in most parts of the picture that have outlines: the camera moved."""
    if before.shape != now.shape:
        return False
    a, b = before.astype(np.float32), now.astype(np.float32)
    height, width = a.shape
    (dx, dy), _ = cv2.phaseCorrelate(a, b, cv2.createHanningWindow((width, height), cv2.CV_32F))
    if not STEP <= float(np.hypot(dx, dy)) <= min(width, height) / 4:
        return False
    moved = cv2.warpAffine(a, np.array([[1, 0, dx], [0, 1, dy]], np.float32), (width, height))
    margin = int(np.ceil(max(abs(dx), abs(dy)))) + 1
    still_error, moved_error = (_by_parts(np.abs(each - b), margin) for each in (a, moved))
    changed = still_error > 4.0
    return int(changed.sum()) >= 6 and float((moved_error < 0.75 * still_error)[changed].mean()) >= 0.7


def _by_parts(error: Any, margin: int) -> Any:
    """Mean errors in 4 x 4 parts, without a margin; shape (4, 4)."""
    inside = error[margin:-margin, margin:-margin]
    return cv2.resize(inside, (4, 4), interpolation=cv2.INTER_AREA)
