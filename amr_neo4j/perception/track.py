"""Tracks: detections of one person or thing, joined from picture to picture by overlap, distance and colours."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import count
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from amr_neo4j.perception.appearance import COLOURS, Look, likeness
from amr_neo4j.perception.classes import PERSON, Kind, kind_of, table, thresholds
from amr_neo4j.perception.detector import Detection
from amr_neo4j.perception.geometry import Box, Facing, distance, heading, overlap, shift

# scipy has no types.
linear_sum_assignment: Any = import_module("scipy.optimize").linear_sum_assignment

MEMORY = 3.0
"""How many seconds of a track's past are kept."""
EVERY, PLACES = 0.4, 64
"""How many seconds apart the places of a track's whole course are kept, and how many of them."""
STILL = 0.8
"""Something is at rest after this many seconds without movement."""
FACES = 3.0
"""Somebody who stopped faces the way they walked for this many seconds."""
MAX_COST = 0.95
"""A detection with a higher cost does not belong to a track."""


@dataclass(frozen=True)
class ColouredDetection:
    """A detection with its colours.

    look: the look of somebody who stands upright; zeros for other things.
    colours: the shares of COLOURS of a thing, shape (13,), or None.
    """

    detection: Detection
    look: Look
    colours: npt.NDArray[np.float64] | None = None


@dataclass(eq=False)
class Track:
    """Somebody or something that is followed over time. Times are seconds of the video.

    last_t: when it was last detected, or known to be there because the picture at its place is unchanged.
    trail: (t, box) of the last MEMORY seconds.
    course: (t, box) of all its time, one every EVERY seconds.
    hits: how many detections it has.
    recent: their scores over the last frames, 0 for a frame without one.
    steady: the best mean of those.
    handicap: added to the thresholds of its class in this scene.
    looks: how many detections its look is the mean of.
    colours: sums of shares of COLOURS, shape (13,).
    network: the network that detected it.
    first_stop: (t, box) where somebody first came to rest.
    headed: when it last walked, and in which direction.
    """

    number: int
    first_t: float
    last_t: float
    first_box: Box
    box: Box
    look: Look
    votes: Counter[str] = field(default_factory=Counter[str])
    trail: deque[tuple[float, Box]] = field(default_factory=deque[tuple[float, Box]])
    course: deque[tuple[float, Box]] = field(default_factory=lambda: deque(maxlen=PLACES))
    velocity: tuple[float, float] = (0.0, 0.0)
    hits: int = 0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=table().of))
    steady: float = 0.0
    handicap: float = 0.0
    looks: int = 0
    colours: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(COLOURS)))
    network: str = ""
    first_stop: tuple[float, Box] | None = None
    headed: tuple[float, Facing] | None = None

    @classmethod
    def begin(cls, number: int, t: float, box: Box, look: Look) -> Self:
        """Return a new track. look: of the right shape; its values are not used."""
        return cls(number, t, t, box, box, np.zeros_like(look))

    @property
    def label(self) -> str:
        """Its class, by the votes of its detections."""
        return self.votes.most_common(1)[0][0]

    @property
    def kind(self) -> Kind:
        return kind_of(self.label)

    @property
    def certainty(self) -> float:
        """How surely it is of its class, 0 to 1 (thresholds.yaml)."""
        return max(0.0, self.steady - self.handicap)

    @property
    def is_reliable(self) -> bool:
        """Whether it was detected often and surely enough to be named, at least with "perhaps"."""
        return self._lasted and self.certainty >= thresholds(self.label, self.network).perhaps

    @property
    def is_sure(self) -> bool:
        """Whether it may be named without "perhaps"."""
        return self._lasted and self.certainty >= thresholds(self.label, self.network).sure

    @property
    def _lasted(self) -> bool:
        return self.hits >= table().frames and self.last_t - self.first_t >= 0.4

    @property
    def facing(self) -> Facing | None:
        """The direction in which it walked within the last FACES seconds; None if that is not known."""
        return self.headed[1] if self.headed and self.last_t - self.headed[0] <= FACES else None

    def at(self, t: float) -> Box:
        """Return where it was at t, or at the start of the trail."""
        return next((box for then, box in reversed(self.trail) if then <= t + 1e-6), self.trail[0][1])

    def nearest(self, t: float, start: float, end: float) -> tuple[float, Box]:
        """Return the (t, box) nearest to t; between start and end if it was seen then."""
        places = [*self.course, (self.last_t, self.box)]
        inside = [place for place in places if start <= place[0] <= end]
        return min(inside or places, key=lambda place: abs(place[0] - t))

    def trail_start(self) -> tuple[float, float]:
        """Return its velocity when it was first seen, in pixels per second; the current one if it was seen once."""
        (t, first), *later = self.course
        if not later:
            return self.velocity
        then, box = later[0]
        (ax, ay), (bx, by) = first.centre, box.centre
        return (bx - ax) / (then - t), (by - ay) / (then - t)

    def at_rest(self, t: float, seconds: float = STILL) -> bool:
        """Return whether it has been in one place for this many seconds."""
        if self.last_t - self.first_t < seconds:
            return False
        recent = [box for then, box in self.trail if then >= t - seconds - 1e-6]
        return len(recent) >= 2 and all(shift(self.box, box) < 0.2 for box in recent)

    def expected(self, t: float) -> Box:
        """Return where it should be at t, extrapolated for a second at most."""
        ahead = min(t - self.last_t, 1.0)
        return self.box.shifted(self.velocity[0] * ahead, self.velocity[1] * ahead)

    def see(self, t: float, sighting: ColouredDetection) -> None:
        """Take in a detection of it."""
        found = sighting.detection
        # Counter is typed for whole numbers. Here the votes are weighted by their scores.
        self.votes[found.label] += found.score  # type: ignore[assignment]
        self.network = found.network
        self.hits += 1
        self._rate(found.score)
        # A faint detection may be of something else in front of it, so its colours are not learnt.
        if found.begins:
            self._update_look(sighting.look)
            if sighting.colours is not None:
                self.colours = self.colours + sighting.colours
        self._go(t, found.box)

    def miss(self) -> None:
        """Take in that a picture has no detection of it."""
        self._rate(0.0)

    def stay(self, t: float) -> None:
        """Keep it where it is, because the picture there has not changed."""
        self._go(t, self.box)

    def again(self, since: float, t: float, box: Box) -> Track:
        """Return a new track with its class and colours, which has rested at `box` since then."""
        trail = deque([(since, box), (t, box)])
        recent = deque(self.recent, maxlen=self.recent.maxlen)
        return replace(
            self,
            first_t=since,
            last_t=t,
            first_box=box,
            box=box,
            trail=trail,
            course=deque(trail, maxlen=PLACES),
            recent=recent,
            velocity=(0.0, 0.0),
        )

    def _rate(self, score: float) -> None:
        self.recent.append(score)
        if len(self.recent) >= table().frames:
            self.steady = max(self.steady, sum(self.recent) / len(self.recent))

    def _go(self, t: float, box: Box) -> None:
        if t > self.last_t:
            (ax, ay), (bx, by) = self.box.centre, box.centre
            elapsed, (vx, vy) = t - self.last_t, self.velocity
            # The mean with the velocity before, which dampens the jitter of boxes.
            self.velocity = (vx + (bx - ax) / elapsed) / 2, (vy + (by - ay) / elapsed) / 2
        self.box, self.last_t = box, t
        self.trail.append((t, box))
        # Steps are counted from the start of the film, so that the places of several tracks are from the same
        # pictures.
        if not self.course or _place(t) > _place(self.course[-1][0]):
            self.course.append((t, box))
        while self.trail[0][0] < t - MEMORY:
            self.trail.popleft()
        # Over the last second, because a single step between two pictures is mostly jitter.
        (ax, ay), (bx, by) = self.at(t - 1.0).centre, box.centre
        if way := heading(bx - ax, by - ay, box.height):
            self.headed = t, way

    def _update_look(self, look: Look) -> None:
        """Update the mean look half by half, because a half may be out of the picture at times."""
        for half in range(2):
            if look[half].sum() > 0:
                # A mean over all pictures at first, later one that follows changes of the light.
                weight = 1 / (1 + min(self.looks, 20)) if self.look[half].sum() > 0 else 1.0
                self.look[half] += weight * (look[half] - self.look[half])
        self.looks += 1


Make = Callable[[int, float, Box, Look], Track]
"""Makes a new track, as Track.begin does."""


def _place(t: float) -> int:
    return int(t / EVERY + 1e-6)


class Tracker:
    """Follows what is in the picture. tracks: all current ones."""

    def __init__(
        self, make: Make = Track.begin, cost: Callable[[Track, ColouredDetection, float], float] | None = None
    ) -> None:
        """cost: returns the cost of joining a detection at a time to a track; from MAX_COST on it is never joined."""
        self._make = make
        self._cost = cost or join_cost
        self.tracks: list[Track] = []
        self._numbers = count(1)

    def step(self, t: float, sightings: Sequence[ColouredDetection]) -> list[Track]:
        """Take in the detections of one picture. Returns the tracks without one."""
        pairs = self._pairs(t, sightings)
        for track, sighting in pairs:
            track.see(t, sighting)
        taken = {id(sighting) for _, sighting in pairs}
        unseen = [track for track in self.tracks if track.last_t < t]
        for track in unseen:
            track.miss()
        self.tracks += [self._new(t, each) for each in sightings if id(each) not in taken and each.detection.begins]
        return unseen

    def drop(self, track: Track) -> None:
        """Stop following a track."""
        self.tracks.remove(track)

    def _pairs(self, t: float, sightings: Sequence[ColouredDetection]) -> list[tuple[Track, ColouredDetection]]:
        if not self.tracks or not sightings:
            return []
        # The assignment that is cheapest in all: greedy pairing swaps two people who pass each other.
        costs = np.array([[self._cost(track, sighting, t) for sighting in sightings] for track in self.tracks])
        rows, columns = linear_sum_assignment(costs)
        return [(self.tracks[i], sightings[j]) for i, j in zip(rows, columns, strict=True) if costs[i, j] < MAX_COST]

    def _new(self, t: float, sighting: ColouredDetection) -> Track:
        box = sighting.detection.box
        track = self._make(next(self._numbers), t, box, sighting.look)
        track.see(t, sighting)
        return track


def join_cost(track: Track, sighting: ColouredDetection, t: float) -> float:
    """Return the cost of joining a detection to a track: 0 for the same box and colours, 9 for impossible.

    A track that was not seen for a while may have moved further, but its colours then count for more.
    """
    label, box = sighting.detection.label, sighting.detection.box
    if (label == PERSON) != (track.label == PERSON):
        return 9.0
    expected, away = track.expected(t), t - track.last_t
    shared = overlap(expected, box)
    apart = distance(expected, box) / max(box.height, box.width, expected.height)
    if shared < 0.05 and apart > 0.5 + 0.3 * min(away, 3.0):
        return 9.0
    unlike = (1 - likeness(track.look, sighting.look)) * (0.4 + 0.2 * min(away, 2.0))
    # Detectors call one thing a cup and then a bowl. That is possible, but costs something.
    renamed = 0.0 if label in track.votes else 0.25
    return 0.5 * (1 - shared) + 0.3 * min(apart, 1.0) + unlike + renamed
