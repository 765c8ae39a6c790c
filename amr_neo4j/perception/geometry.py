"""Boxes in a picture, and where things are (specification 000 I.2.2): to each other, in the picture, from an actor.

Coordinates are pixels from the top left corner.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from amr_neo4j.language.nouns import HOLDING
from amr_neo4j.perception.classes import CONTAINERS, SURFACES


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
        """Return the box moved by this many pixels."""
        return Box(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def grown(self, share: float) -> Box:
        """Return the box with a margin of `share` of its own width and height on each side."""
        dx, dy = self.width * share, self.height * share
        return Box(self.left - dx, self.top - dy, self.right + dx, self.bottom + dy)


class Size(NamedTuple):
    """Width and height of the picture."""

    width: int
    height: int


def common(a: Box, b: Box) -> float:
    """Return the area that two boxes share."""
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return max(0.0, width) * max(0.0, height)


def overlap(a: Box, b: Box) -> float:
    """Return the intersection over union, 0 to 1."""
    shared = common(a, b)
    return shared / (a.area + b.area - shared) if shared else 0.0


def covered(a: Box, by: Box) -> float:
    """Return the share of `a` that lies within `by`."""
    return common(a, by) / a.area if a.area else 0.0


def distance(a: Box, b: Box) -> float:
    """Return the distance between the centres."""
    (ax, ay), (bx, by) = a.centre, b.centre
    return ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5


def gap(a: Box, b: Box) -> float:
    """Return the distance between the nearest edges; 0 if the boxes touch."""
    dx = max(0.0, a.left - b.right, b.left - a.right)
    dy = max(0.0, a.top - b.bottom, b.top - a.bottom)
    return (dx * dx + dy * dy) ** 0.5


def shift(a: Box, b: Box) -> float:
    """Return how far a box has moved or changed, in units of its own width or height; 0 for not at all."""
    across = max(abs(b.left - a.left), abs(b.right - a.right)) / max(1.0, a.width)
    down = max(abs(b.top - a.top), abs(b.bottom - a.bottom)) / max(1.0, a.height)
    return max(across, down)


class Facing(Enum):
    """The direction in which somebody faces, as the camera sees it."""

    LEFT = "left"
    RIGHT = "right"
    TOWARDS = "towards"
    AWAY = "away"


def part_of_picture(box: Box, size: Size) -> str:
    """Return the third of the picture: left, middle or right."""
    third = int(3 * box.centre[0] / size.width)
    return ("left", "middle", "right")[min(2, max(0, third))]


def edges(box: Box, size: Size) -> list[str]:
    """Return the edges of the picture that a box touches, the sides first."""
    margin = 0.02 * size.width
    touched = {
        "left": box.left <= margin,
        "right": box.right >= size.width - margin,
        "foreground": box.bottom >= size.height - margin,
        "background": box.top <= margin,
    }
    return [edge for edge, touches in touched.items() if touches]


def inwards(edge: str, dx: float, dy: float) -> float:
    """Return how many pixels a step leads away from an edge of the picture; negative towards it."""
    return {"left": dx, "right": -dx, "foreground": -dy, "background": dy}[edge]


def relation(box: Box, other: Box, label: str) -> str:
    """Return the relation of `box` to a thing of class `label`, as the camera sees it: "left of", "inside" ..."""
    if covered(box, other) > 0.9 and label in CONTAINERS:
        return "inside"
    if label in SURFACES and _rests_on(box, other):
        return "on top of"
    # Of two things that overlap, the lower one in the picture is nearer to the camera.
    if common(box, other):
        return "in front of" if box.bottom >= other.bottom else "behind"
    beside = "next to and " if gap(box, other) < 0.5 * min(box.width, other.width) else ""
    if box.left >= other.right or box.right <= other.left:
        return beside + ("right of" if box.left >= other.right else "left of")
    return "above" if box.bottom <= other.top else "below"


def neighbours(box: Box, others: Iterable[tuple[str, Box]]) -> list[tuple[str, str]]:
    """Return (relation, label) to what it lies on or in, then to what is nearest within reach."""
    near = sorted((gap(box, other), relation(box, other, label), label) for label, other in others)
    reach = 1.5 * max(box.width, box.height)
    holding = [(how, label) for _, how, label in near if how in HOLDING]
    beside = [(how, label) for far, how, label in near if far < reach and (how, label) not in holding]
    return holding[:1] + beside[:1]


def from_actor(actor: Box, facing: Facing, other: Box) -> str:
    """Return where `other` is for somebody who faces that way: "front", "behind", "left" or "right"."""
    (ax, _), (ox, _) = actor.centre, other.centre
    across = (ox - ax) / max(1.0, actor.width)
    # Lower in the picture means nearer to the camera, because the camera looks down at the ground.
    nearer = other.bottom > actor.bottom
    if facing in (Facing.LEFT, Facing.RIGHT):
        ahead = across if facing is Facing.RIGHT else -across
        if abs(ahead) > 0.3:
            return "front" if ahead > 0 else "behind"
        return "right" if nearer == (facing is Facing.RIGHT) else "left"
    if abs(across) > 0.5:
        return "right" if (across > 0) == (facing is Facing.AWAY) else "left"
    return "front" if common(actor, other) or nearer == (facing is Facing.TOWARDS) else "behind"


def heading(dx: float, dy: float, height: float) -> Facing | None:
    """Return the direction of a step (dx, dy) by somebody of this height, all in pixels.

    None if the step is shorter than a fifth of the height.
    """
    # A step towards the camera or away from it is foreshortened, so it counts double.
    if max(abs(dx), 2 * abs(dy)) < 0.2 * height:
        return None
    if abs(dx) > 1.5 * abs(dy):
        return Facing.RIGHT if dx > 0 else Facing.LEFT
    return Facing.TOWARDS if dy > 0 else Facing.AWAY


def _rests_on(box: Box, surface: Box) -> bool:
    """Return whether the foot of `box` is within the surface's upper three quarters and between its sides."""
    foot, middle = box.bottom, box.centre[0]
    lowest = surface.top + 0.75 * surface.height
    return surface.left <= middle <= surface.right and surface.top < foot <= lowest and box.top < lowest
