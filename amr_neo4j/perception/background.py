"""What pictures show without a detector: what is unchanged, what moves, where hands are, and whether it is dark."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product
from typing import Any

import cv2 as partly_typed_cv2
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.geometry import Box

# OpenCV's stubs leave the types of arrays unknown.
cv2: Any = partly_typed_cv2

WIDTH = 320
"""The width in pixels at which pictures are kept."""
MEMORY, EVERY = 10.0, 0.5
"""How many seconds of pictures are kept, and how many seconds apart."""
OUTLINE = 100.0
"""A pixel with a larger Sobel gradient belongs to an outline."""
UNLIKE = 6.0
"""Noise and compression cause at most this mean difference between two patches (levels of 255)."""


class Background:
    """The picture now and in the last seconds, scaled down. Boxes are in pixels of the full frames."""

    def __init__(self) -> None:
        self._now: Image = np.zeros((1, 1, 3), np.uint8)
        self._before = self._now
        self._past: deque[tuple[float, Image]] = deque()
        self._scale = 1.0
        self._t = 0.0
        self.moving = np.zeros((1, 1), np.uint8)
        self.camera_moved_at = -1.0

    @property
    def still(self) -> bool:
        """Whether the camera is still."""
        return self.camera_moved_at < self._t

    def show(self, t: float, image: Image) -> None:
        """Take in the picture at t (s)."""
        self._scale = min(1.0, WIDTH / image.shape[1])
        small = cv2.resize(image, None, fx=self._scale, fy=self._scale, interpolation=cv2.INTER_AREA)
        # The first picture, or one of another size, has no picture before it: compare it with itself.
        self._before = self._now if self._now.shape == small.shape else small
        self._now = small
        self.moving = (cv2.absdiff(self._now, self._before).max(axis=2) > 20).astype(np.uint8)
        if self._camera_moves():
            # Pictures from before the camera moved say nothing about what is at a place now.
            self.camera_moved_at = t
            self._past.clear()
        self._t = t
        # The 1e-6 allows for rounding: frames come at multiples of their step.
        if not self._past or t - self._past[-1][0] >= EVERY - 1e-6:
            self._past.append((t, self._now))
        while self._past[0][0] < t - MEMORY:
            self._past.popleft()

    def patch(self, box: Box) -> Image:
        """Return the part of the current picture within a box."""
        return self._at(self._now, box)

    def unchanged(self, box: Box, patch: Image) -> bool:
        """Return whether the picture at a place still shows `patch`."""
        return alike(self._at(self._now, box), patch)

    def looked_alike(self, box: Box) -> Iterator[tuple[float, bool]]:
        """Yield (t, whether the place looked then as it does now) of the pictures that are kept, latest first."""
        now = self._at(self._now, box)
        return ((t, alike(self._at(past, box), now)) for t, past in reversed(self._past))

    def find(self, box: Box, patch: Image) -> Box | None:
        """Return the place near `box` where the picture shows `patch`; None if there is none."""
        area = box.grown(0.25)
        where = self._at(self._now, area)
        # matchTemplate raises an error if the patch is larger than the area, as it may be at the edge of the picture.
        if any(there < wanted for there, wanted in zip(where.shape, patch.shape, strict=True)) or not patch.size:
            return None
        scores = cv2.matchTemplate(where, patch, cv2.TM_CCOEFF_NORMED)
        _, best, _, (x, y) = cv2.minMaxLoc(scores)
        left, top = (
            (max(0, round(edge * self._scale)) + at) / self._scale for edge, at in zip(area, (x, y), strict=False)
        )
        return Box(left, top, left + box.width, top + box.height) if best > 0.75 else None

    def motion(self, box: Box) -> float:
        """Return the share of a place that changed since the picture before."""
        part = self._at(self.moving, box)
        return float(part.mean()) if part.size else 0.0

    def hands(self) -> list[Box]:
        """Return patches of moving skin of a hand's size (0.1 % to 8 % of the picture)."""
        channels = cv2.split(cv2.cvtColor(self._now, cv2.COLOR_BGR2YCrCb))
        _, red, blue = channels
        # Skin of any tone has these values in YCrCb (Chai and Ngan 1999).
        tone = (red > 136) & (red < 174) & (blue > 76) & (blue < 128)
        # Only what moves is a hand: wood and walls may have the colour of skin.
        skin = tone & (cv2.dilate(self.moving, np.ones((5, 5))) > 0)
        # Opening removes single pixels.
        solid = cv2.morphologyEx(skin.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3)))
        _, _, stats, _ = cv2.connectedComponentsWithStats(solid)
        low, high = 0.001 * skin.size, 0.08 * skin.size
        corners = [(x, y, x + w, y + h) for x, y, w, h, area in stats[1:] if low <= area <= high]
        return [Box(*(float(edge) / self._scale for edge in each)) for each in corners]

    def _at(self, picture: Image, box: Box) -> Image:
        left, top, right, bottom = (max(0, round(edge * self._scale)) for edge in box)
        return picture[top:bottom, left:right]

    def _camera_moves(self) -> bool:
        """Return whether the camera moves. Outlines then change in all parts of the picture, not only in some."""
        grey = cv2.cvtColor(self._before, cv2.COLOR_BGR2GRAY)
        outlines = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) > OUTLINE
        changed = [
            float(moving[edges].mean()) for edges, moving in _parts(outlines, self.moving) if edges.sum() >= 20
        ]
        # The 10 % quantile, so that even the parts that change least must change.
        return len(changed) >= 4 and float(np.quantile(changed, 0.1)) > 0.1


def _parts(*pictures: npt.NDArray[Any]) -> Iterator[tuple[npt.NDArray[Any], ...]]:
    """Yield the same part of each picture, for 4 x 4 parts."""
    height, width = pictures[0].shape
    for row, column in product(range(4), range(4)):
        rows = slice(row * height // 4, (row + 1) * height // 4)
        columns = slice(column * width // 4, (column + 1) * width // 4)
        yield tuple(picture[rows, columns] for picture in pictures)


def alike(a: Image, b: Image) -> bool:
    """Return whether two patches of one place show the same, apart from noise."""
    if a.shape != b.shape or not a.size:
        return False
    # int16, because a difference of unsigned bytes would wrap around. A patch with much contrast (std) may differ
    # more.
    difference = float(np.abs(a.astype(np.int16) - b).mean())
    return difference < max(UNLIKE, 0.2 * float(a.std()))


STATE_WIDTH = 160
"""The width in pixels at which pictures are compared."""
DARK = 40
"""A picture is dark if 95 % of it are below this level (of 255)."""
WHITE, MUCH = 245, 0.55
"""A picture is over-exposed if more than this share of it reaches this level."""
LASTS, PAUSE = 0.8, 1.0
"""A state must last this many seconds to be reported, and may pause for this many."""
STEP = 0.7
"""Pixels (of STATE_WIDTH) that the whole picture must shift between two pictures."""


class PictureState(Enum):
    """A state of the whole picture. The value is the verb that reports it."""

    DARK = "darken"
    BRIGHT = "overexpose"
    CAMERA = "camera moves"


@dataclass
class PictureStretch:
    """How long the picture was in a state, in seconds of the video. reported: whether that was reported."""

    state: PictureState
    start: float
    end: float
    reported: bool = False


class PictureWatch:
    """Follows the states of the whole picture: dark, over-exposed, moved by the camera."""

    def __init__(self) -> None:
        self._before: Image | None = None
        self._open: dict[PictureState, PictureStretch] = {}
        self._shifts: deque[bool] = deque(maxlen=5)
        self.stretches: list[PictureStretch] = []

    def see(self, t: float, image: Image) -> None:
        """Take in the picture at t (s)."""
        small = cv2.resize(image, (STATE_WIDTH, max(16, round(STATE_WIDTH * image.shape[0] / image.shape[1]))))
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        for state in self._states(grey):
            stretch = self._open.get(state)
            if stretch is None or t - stretch.end > PAUSE:
                stretch = self._open[state] = PictureStretch(state, t, t)
                self.stretches.append(stretch)
            stretch.end = t
        self._before = grey

    def now(self, t: float) -> set[PictureState]:
        """Return the states that hold at t, or did within the last PAUSE seconds."""
        return {state for state, stretch in self._open.items() if t - stretch.end <= PAUSE}

    def begun(self, since: float) -> Iterator[PictureStretch]:
        """Yield the stretches that are to be reported: those that lasted long enough and were not reported yet.

        A dark or over-exposed stretch that goes on for long enough after `since` is reported again, because nothing
        else is known of that time. Stretches that ended before `since` are dropped.
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
        # In a dark or over-exposed picture there are no outlines to follow.
        self._shifts.append(not dark and not bright and self._before is not None and _shifted(self._before, grey))
        if dark:
            yield PictureState.DARK
        if bright:
            yield PictureState.BRIGHT
        # Two shifts in five pictures, so that one jolt is not a movement of the camera.
        if sum(self._shifts) >= 2 and self._shifts[-1]:
            yield PictureState.CAMERA


def _shifted(before: Image, now: Image) -> bool:
    """Return whether the camera moved, so that one shift explains the change in most parts that changed."""
    if before.shape != now.shape:
        return False
    a, b = before.astype(np.float32), now.astype(np.float32)
    height, width = a.shape
    (dx, dy), _ = cv2.phaseCorrelate(a, b, cv2.createHanningWindow((width, height), cv2.CV_32F))
    # A larger shift than a quarter of the picture is a cut or a wrong estimate.
    if not STEP <= float(np.hypot(dx, dy)) <= min(width, height) / 4:
        return False
    moved = cv2.warpAffine(a, np.array([[1, 0, dx], [0, 1, dy]], np.float32), (width, height))
    # At the edges the shifted picture has nothing to compare.
    margin = int(np.ceil(max(abs(dx), abs(dy)))) + 1
    still_error, moved_error = (_by_parts(np.abs(each - b), margin) for each in (a, moved))
    # Plain parts look the same wherever the camera points, so only parts that changed count.
    changed = still_error > 4.0
    return int(changed.sum()) >= 6 and float((moved_error < 0.75 * still_error)[changed].mean()) >= 0.7


def _by_parts(error: Any, margin: int) -> Any:
    """Return the mean error in each of 4 x 4 parts, without a margin, shape (4, 4)."""
    inside = error[margin:-margin, margin:-margin]
    return cv2.resize(inside, (4, 4), interpolation=cv2.INTER_AREA)
