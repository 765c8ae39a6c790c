"""What a person has drawn into a camera's picture: what is blacked out, zones, and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.tables import Share

Name = Annotated[str, Field(min_length=1, max_length=100)]
Point = tuple[Share, Share]
"""Shares of the picture's width and height, from its upper left corner."""
Polygon = Annotated[tuple[Point, ...], Field(min_length=3, max_length=100)]
Area = tuple[float, float, float, float]
"""Left, top, right, bottom, as shares of the picture."""
_STRIPS = 64
"""A polygon is blacked out as this many horizontal strips, each as wide as the polygon is anywhere in it."""


class View(BaseModel):
    """An entry of the setting `views`, for the camera of a place.

    Who enters or leaves a zone, or crosses a line, is reported.

    mask: what nobody may see. It is blacked out wherever pictures are read.
    zones: {name: corners}.
    lines: {name: its two ends}.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mask: tuple[Polygon, ...] = ()
    zones: dict[Name, Polygon] = {}
    lines: dict[Name, tuple[Point, Point]] = {}

    @property
    def masked(self) -> tuple[Area, ...]:
        """The areas that are blacked out: the polygons of `mask`, and a little more at their edges."""
        return tuple(area for polygon in self.mask for area in _strips(polygon))


NO_VIEW = View()


def masked_at(views: Mapping[str, View], place: str) -> tuple[Area, ...]:
    """Return what is blacked out in pictures of a place.

    place: empty if damage took it from the video. Then everything is blacked out that any view hides.
    """
    seen = [views.get(place, NO_VIEW)] if place else views.values()
    return tuple(area for view in seen for area in view.masked)


def is_inside(polygon: Sequence[tuple[float, float]], x: float, y: float) -> bool:
    """Return whether a point is inside of a polygon, by the even-odd rule."""
    inside = False
    for (ax, ay), (bx, by) in _sides(polygon):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def crosses(line: tuple[Point, Point], before: tuple[float, float], now: tuple[float, float]) -> bool:
    """Return whether the way from one point to another crosses a line."""
    first, second = line
    return (
        _side(line, before) * _side(line, now) < 0 and _side((before, now), first) * _side((before, now), second) < 0
    )


def _side(line: tuple[tuple[float, float], tuple[float, float]], point: tuple[float, float]) -> float:
    """Return a number whose sign tells on which side of a line a point is."""
    (ax, ay), (bx, by) = line
    return (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)


def _sides(polygon: Sequence[tuple[float, float]]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return list(zip(polygon, [*polygon[1:], polygon[0]], strict=True))


def _strips(polygon: Sequence[tuple[float, float]]) -> list[Area]:
    """Return boxes that cover a polygon."""
    top, bottom = min(y for _, y in polygon), max(y for _, y in polygon)
    found: list[Area] = []
    for number in range(_STRIPS):
        upper = top + (bottom - top) * number / _STRIPS
        lower = top + (bottom - top) * (number + 1) / _STRIPS
        # The corners within the strip, and where the sides cross its edges.
        xs = [x for x, y in polygon if upper <= y <= lower]
        for (ax, ay), (bx, by) in _sides(polygon):
            xs += [ax + (y - ay) / (by - ay) * (bx - ax) for y in (upper, lower) if (ay > y) != (by > y)]
        if not xs:
            continue
        if found and found[-1][0] == min(xs) and found[-1][2] == max(xs):
            found[-1] = (min(xs), found[-1][1], max(xs), lower)
        else:
            found.append((min(xs), upper, max(xs), lower))
    return found
