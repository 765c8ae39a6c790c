"""Boxes in a picture: pixels, origin at the top left, y downwards."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """The corners of a box: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def shifted(self, dx: float, dy: float) -> Box:
        """The box moved by so many pixels."""
        return Box(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def grown(self, share: float) -> Box:
        """The box with a margin of `share` of its own width and height on each side."""
        dx, dy = self.width * share, self.height * share
        return Box(self.left - dx, self.top - dy, self.right + dx, self.bottom + dy)


class Size(NamedTuple):
    """Width and height of the picture."""

    width: int
    height: int


def common(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return max(0.0, width) * max(0.0, height)


def overlap(a: Box, b: Box) -> float:
    """Intersection over union, 0 to 1."""
    shared = common(a, b)
    return shared / (a.area + b.area - shared) if shared else 0.0


def covered(a: Box, by: Box) -> float:
    """The share of `a` that lies within `by`."""
    return common(a, by) / a.area if a.area else 0.0


def distance(a: Box, b: Box) -> float:
    """Between the centres."""
    (ax, ay), (bx, by) = a.centre, b.centre
    return ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5


def gap(a: Box, b: Box) -> float:
    """Between the nearest edges; 0 where the boxes touch."""
    dx = max(0.0, a.left - b.right, b.left - a.right)
    dy = max(0.0, a.top - b.bottom, b.top - a.bottom)
    return (dx * dx + dy * dy) ** 0.5


def shift(a: Box, b: Box) -> float:
    """How far a box has moved or changed, in units of its own width or height; 0 for not at all."""
    across = max(abs(b.left - a.left), abs(b.right - a.right)) / max(1.0, a.width)
    down = max(abs(b.top - a.top), abs(b.bottom - a.bottom)) / max(1.0, a.height)
    return max(across, down)
