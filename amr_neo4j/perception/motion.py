"""What moves in front of a still camera, with or without a name: background subtraction, and the courses it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.appearance import COLOURS, Look, colour_shares
from amr_neo4j.perception.classes import UNNAMED, Kind
from amr_neo4j.perception.detector import Detection
from amr_neo4j.perception.geometry import Box, Size, covered, distance, gap, overlap, part_of_picture
from amr_neo4j.perception.happenings import Happening
from amr_neo4j.perception.track import ColouredDetection, Track, Tracker

WIDTH = 320
"""The width in pixels at which pictures are compared."""
WARM_UP = 1.0
"""After a cut or a movement of the camera, nothing is taken for moving for this many seconds."""
SMALLEST, MOST = 0.001, 0.4
"""A patch under the first share of the picture is ignored. If patches exceed the second, the light has changed."""
LOST = 0.8
"""Something has gone after this many seconds unseen."""
TRAVELS = 0.05
"""Something must travel this share of the picture's width, and half its own size."""
STRAIGHT, ONWARD = 0.5, 0.7
"""At least these shares of its way and of its steps must lead onwards. Leaves in the wind go to and fro."""
ACROSS = 0.15
"""Something that neither came nor went over an edge must travel this share of the picture's width."""
SMALL, LARGE = 0.012, 0.12
SLOW, FAST = 0.07, 0.3
"""Small things stay under the share SMALL of the picture, and large ones exceed LARGE.

Slow ones move by less than SLOW widths of the picture a second, fast ones by more than FAST.
"""
WALKERS = (Kind.PERSON, Kind.TRAVELLER)
HANDLED = ("pick up", "put down", "move")
EXPLAINED = 0.3
"""A mover is the named thing that the detector sees at its place in at least this share of its pictures."""


@dataclass(eq=False)
class Mover(Track):
    """Something that moves.

    named: how often each track with a class was at its place.
    beside: how often a person or a vehicle was there.
    way: the length of all its steps.
    steps, onward: how many steps it made, and how many of them led away from its start.
    farthest: the greatest distance from its start.
    """

    areas: list[float] = field(default_factory=list[float])
    named: Counter[Track] = field(default_factory=Counter[Track])
    beside: int = 0
    way: float = 0.0
    steps: int = 0
    onward: int = 0
    farthest: float = 0.0
    reported: bool = False
    left: bool = False

    @property
    def kind(self) -> Kind:
        return Kind.UNNAMED

    @property
    def is_sure(self) -> bool:
        return True

    def travels(self, size: Size) -> bool:
        """Return whether it went far and straight enough to be a thing that moves, and not a shadow or a leaf."""
        own = max((self.box.width, self.box.height, self.first_box.width, self.first_box.height))
        far = self.farthest >= max(TRAVELS * size.width, 0.5 * min(own, 0.4 * size.width))
        return self.hits >= 3 and far and self.is_steady

    @property
    def is_steady(self) -> bool:
        """Whether it keeps going in one direction instead of back and forth."""
        return self.farthest >= STRAIGHT * self.way and self.onward >= ONWARD * self.steps

    def appearance(self, size: Size) -> tuple[str, str]:
        """Return (size, colour) in plain words, empty if they are not notable."""
        area = float(np.median(self.areas)) / (size.width * size.height) if self.areas else 0.0
        large = "large" if area > LARGE else ""
        big = "small" if area < SMALL else large
        total = self.colours.sum()
        best = int(self.colours.argmax())
        return big, COLOURS[best] if total and self.colours[best] > 0.35 * total else ""

    def pace(self, size: Size) -> str:
        """Return "slowly", "fast", or nothing."""
        speed = self.farthest / size.width / max(0.2, self.last_t - self.first_t)
        if speed < SLOW:
            return "slowly"
        return "fast" if speed > FAST else ""

    def follow(self) -> None:
        """Take in the step that it has just made."""
        before, now = self.farthest, distance(self.first_box, self.box)
        step = distance(self.trail[-2][1], self.box) if len(self.trail) > 1 else 0.0
        # Smaller steps are noise of the outline.
        if step > 0.1 * max(self.box.width, self.box.height):
            self.steps += 1
            self.onward += now > before
        self.way += step
        self.farthest = max(before, now)


class Movers:
    """Follows what moves in one shot, and reports it clip by clip."""

    def __init__(self) -> None:
        self._tracker = Tracker(make=Mover.begin, cost=_cost)
        self._ended: list[Mover] = []
        self._model = _model()
        self._since: float | None = None
        self._t = 0.0

    def see(self, t: float, image: Image, tracks: Sequence[Track], *, clear: bool) -> None:
        """Take in a picture.

        tracks: the detector's tracks.
        clear: whether the camera is still and the light good.
        """
        self._t = t
        # A moving camera or a change of light makes everything differ from the background.
        if not clear or self._since is None:
            self._restart(t)
        small, scale = _scaled(image)
        # -1 lets OpenCV choose how fast the background is learnt.
        mask = self._model.apply(small, learningRate=-1)
        patches = _patches(mask, small) if t - (self._since or 0.0) >= WARM_UP else []
        sightings = [
            ColouredDetection(Detection(UNNAMED, 1.0, _times(box, scale)), look, shares)
            for box, shares, look in patches
        ]
        unseen = self._tracker.step(t, sightings)
        self._describe(t, tracks)
        for mover in [each for each in unseen if t - each.last_t > LOST]:
            self._end(mover)

    def report(self, size: Size, since: float, reported: Iterable[Happening]) -> Iterator[Happening]:
        """Yield what moved from `since` (s) to now, without what `reported` already names."""
        others = [each for each in reported if each.by_hand or each.actor]
        for mover in [*self._ended, *self._live()]:
            if (
                mover.last_t > since
                and mover.travels(size)
                and not _explained(mover)
                and not any(_is_of(mover, each) for each in others)
            ):
                yield from _happening(mover, size, since=since, now=self._t)
        self._ended = []

    def _live(self) -> list[Mover]:
        return [each for each in self._tracker.tracks if isinstance(each, Mover)]

    def _end(self, mover: Track) -> None:
        self._tracker.drop(mover)
        if isinstance(mover, Mover):
            # A limit on memory: a street sees many movers in a long clip.
            self._ended = [*self._ended[-99:], mover]

    def _restart(self, t: float) -> None:
        """End all movers and learn the background anew, because the camera moved or the light changed."""
        for mover in list(self._tracker.tracks):
            self._end(mover)
        self._model, self._since = _model(), t

    def _describe(self, t: float, tracks: Sequence[Track]) -> None:
        for mover in self._live():
            if mover.last_t != t:
                continue
            mover.follow()
            mover.areas.append(mover.box.area)
            seen = [track for track in tracks if track.last_t == t]
            mover.named.update(track for track in seen if _same_place(track.box, mover.box))
            mover.beside += any(track.kind in WALKERS and _touches(mover.box, track.box) for track in seen)


def _model() -> Any:
    model = cv2.createBackgroundSubtractorMOG2(history=300, varThreshold=30, detectShadows=True)
    model.setBackgroundRatio(0.7)
    return model


def _scaled(image: Image) -> tuple[Image, float]:
    """Return (the picture at WIDTH, how many times as wide the original is)."""
    scale = max(1.0, image.shape[1] / WIDTH)
    size = (round(image.shape[1] / scale), max(1, round(image.shape[0] / scale)))
    small: Any = cv2.GaussianBlur(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (3, 3), 0)
    return small, scale


def _times(box: Box, scale: float) -> Box:
    return Box(*(edge * scale for edge in box))


def _patches(mask: Image, image: Image) -> list[tuple[Box, npt.NDArray[np.float64], Look]]:
    """Return boxes of what stands out, each with its colours (13,) and its look; none if the light changed."""
    # 255 is foreground and 127 is shadow. Opening removes specks, closing joins the parts of one thing.
    solid = cv2.morphologyEx((mask == 255).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3)))
    solid = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((9, 9)))
    if not 0 < float(solid.mean()) < MOST:
        return []
    _, labels, stats, _ = cv2.connectedComponentsWithStats(solid)
    found: list[tuple[Box, npt.NDArray[np.float64], Look]] = []
    for number, (x, y, w, h, area) in enumerate(stats[1:], start=1):
        if area >= SMALLEST * solid.size:
            part = (slice(y, y + h), slice(x, x + w))
            shares = colour_shares(image[part][(labels[part] == number) & (mask[part] == 255)])
            look = np.stack([shares, shares]).astype(np.float32)
            found.append((Box(float(x), float(y), float(x + w), float(y + h)), shares, look))
    return found


def _cost(track: Track, sighting: ColouredDetection, t: float) -> float:
    """Return the cost of joining a patch to a mover, by its expected place, size and colours; 9 if impossible."""
    box, away = sighting.detection.box, t - track.last_t
    expected = track.expected(t)
    apart = distance(expected, box) / max(20.0, expected.height, expected.width, box.height, box.width)
    larger = max(box.area, track.box.area) / max(1.0, min(box.area, track.box.area))
    # After one sighting its direction is unknown, so it may be anywhere around.
    reach = 1.0 if track.hits > 1 else 1.6
    if apart > reach + 0.3 * min(away, 1.0) or larger > 6:
        return 9.0
    unlike = 1 - float(np.minimum(track.look[0], sighting.look[0]).sum())
    return 0.4 * min(apart / 1.6, 1.0) + 0.25 * (1 - overlap(expected, box)) + 0.25 * unlike


def _same_place(named: Box, mover: Box) -> bool:
    return overlap(named, mover) > 0.3 or covered(named, mover) > 0.7 or covered(mover, named) > 0.7


def _touches(mover: Box, walker: Box) -> bool:
    """Return whether it may be a part of somebody, or their shadow."""
    return covered(mover, walker.grown(0.2)) > 0.3


def _explained(mover: Mover) -> bool:
    """Return whether it needs no report of its own.

    It is then a person or vehicle that is reported by its class, or is beside one most of the time.
    """
    of_class = [(track, seen) for track, seen in mover.named.items() if track.is_reliable]
    walkers = [(track, seen) for track, seen in of_class if track.kind in WALKERS]
    named = sum(seen for _, seen in walkers) >= EXPLAINED * mover.hits
    return named or mover.beside >= 0.5 * mover.hits or any(seen >= 0.5 * track.hits for track, seen in walkers)


def _is_of(mover: Mover, what: Happening) -> bool:
    """Return whether a mover is the hand, the person or the thing of an event that is reported already."""
    if what.subject is None or what.subject is mover:
        return False
    if what.verb in HANDLED and what.subject.label in {track.label for track in mover.named}:
        return True
    if not mover.first_t - 1.0 <= what.t_start <= mover.last_t + 2.0:
        return False
    _, there = mover.nearest(what.t_start, mover.first_t, mover.last_t)
    _, place = what.subject.nearest(what.t_start, 0.0, what.t_start)
    return gap(there, place) < 0.5 * max(place.width, place.height)


def best_name(mover: Mover) -> Track | None:
    """Return the track of the thing that it is, if the detector knew it while it moved; else None."""
    things = [
        (seen, track.certainty, track.number, track)
        for track, seen in mover.named.items()
        if track.is_reliable and track.kind in (Kind.THING, Kind.FIXTURE) and seen >= 0.5 * track.hits
    ]
    seen, _, _, track = max(things, default=(0, 0.0, 0, None))
    return track if seen >= 0.2 * mover.hits else None


def _happening(mover: Mover, size: Size, *, since: float, now: float) -> Iterator[Happening]:
    """Yield the course of a mover within the clip as one event.

    Yields nothing if it was reported before and has not left since.
    """
    origin = _edge(mover.first_box, mover.trail_start(), size, into=True)
    gone = mover.last_t < now - 0.3
    goal = _edge(mover.box, mover.velocity, size, into=False) if gone else ""
    came = mover.first_t >= since
    verb = ""
    if origin and goal and not mover.reported:
        verb = "cross"
    elif goal:
        verb = "leave"
    elif came and origin:
        verb = "enter"
    elif not mover.reported and mover.farthest >= ACROSS * size.width:
        verb = "move"
    if not verb or mover.left:
        return
    mover.reported, mover.left = True, bool(goal)
    start = max(since, mover.last_t - 1.0) if verb == "leave" and not came else max(since, mover.first_t)
    if verb == "move":
        origin, goal = _parts(mover, size)
    elif verb == "enter":
        goal = ""
    elif verb == "leave":
        origin = ""
    yield Happening(verb, start, mover.last_t, subject=mover, origin=origin, goal=goal)


def _edge(box: Box, step: tuple[float, float], size: Size, *, into: bool) -> str:
    """Return the edge over which a mover comes into the picture (into) or leaves it; empty if there is none."""
    dx, dy = step if into else (-step[0], -step[1])
    # It is first and last seen up to one picture's time away from the edge.
    before = box.shifted(-0.3 * dx, -0.3 * dy)
    margin = 0.02 * size.width
    reached = {
        "left": (before.left <= margin, dx),
        "right": (before.right >= size.width - margin, -dx),
        "top": (before.top <= margin, dy),
        "bottom": (before.bottom >= size.height - margin, -dy),
    }
    ways = [(way, edge) for edge, (touches, way) in reached.items() if touches and way > 0.02 * size.width]
    return max(ways, default=(0.0, ""))[1]


def _parts(mover: Mover, size: Size) -> tuple[str, str]:
    """Return (from, to), the parts of the picture between which it went: ("left", "middle").

    If it stayed in one part, returns its direction: ("", "right").
    """
    first, last = (part_of_picture(box, size) for box in (mover.first_box, mover.box))
    if first != last:
        return first, last
    (ax, ay), (bx, by) = mover.first_box.centre, mover.box.centre
    dx, dy = bx - ax, by - ay
    across, along = ("right" if dx > 0 else "left"), ("bottom" if dy > 0 else "top")
    return "", across if abs(dx) > abs(dy) else along
