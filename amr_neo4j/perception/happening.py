"""What happens, before it has words: noticed in the tracks, told at the end of the clip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, Size, covered, gap
from amr_neo4j.perception.space import neighbours, part_of_picture
from amr_neo4j.perception.stage import Stage
from amr_neo4j.perception.track import Track

BE_THERE = "be there"
"""Not an action: it is in the picture, and was before anybody looked."""


@dataclass(frozen=True)
class Place:
    """Where a thing was at one time. of: what it is; part: of the picture; neighbours: (relation, label)."""

    of: str
    part: str
    neighbours: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Happening:
    """Something that happened. verb: BE_THERE or one of enter, leave, approach, stay beside, pick up, put down,
    appear, disappear, move.

    actor: the person, where one did it; by_hand: only a hand was seen. subject: what it happened to, with its
    `place` then. way: words on the course ("from the left"). actor_side: where the subject was for the actor.
    """

    verb: str
    t_start: float
    t_end: float
    actor: Track | None = None
    by_hand: bool = False
    subject: Track | None = None
    place: Place | None = None
    way: str = ""
    actor_side: str = ""


@dataclass(frozen=True)
class Touch:
    """Somebody was there at a time. who: the person's track; None: a hand."""

    t: float
    box: Box
    who: Track | None


@dataclass
class Scene:
    """What the observers look at: one moment, and the little past they need."""

    t: float
    size: Size
    shot_start: float
    stage: Stage
    tracks: Sequence[Track] = ()
    touches: list[Touch] = field(default_factory=list[Touch])

    def of_kind(self, *kinds: Kind) -> list[Track]:
        """The believed tracks of some kinds."""
        return [track for track in self.tracks if track.believed and track.kind in kinds]

    def place(self, track: Track, box: Box) -> Place:
        """Where it is at `box`, among the things that rest."""
        others = [
            (other.label, other.box)
            for other in self.of_kind(Kind.THING, Kind.FIXTURE, Kind.TRAVELLER)
            if other is not track and other.at_rest(self.t)
        ]
        return Place(track.label, part_of_picture(box, self.size), tuple(neighbours(box, others)))

    def was_there_before(self, box: Box, since: float) -> bool:
        """Whether the place looked as now already at the start of the shot, or well before `since`."""
        if since - self.shot_start < 1.0:
            return True
        return any(same and t < since - 1.0 for t, same in self.stage.looked_so(box))

    def crowded(self, track: Track, box: Box, t: float) -> bool:
        """Whether somebody else was so close then that either may have hidden the other."""
        others = (other for other in self.of_kind(Kind.PERSON, Kind.TRAVELLER) if other is not track)
        return any(other.first_t < t and gap(box, other.at(t)) < 0.3 * box.height for other in others)

    def touched_by(self, box: Box, start: float, end: float) -> Touch | None:
        """Who was at a place in that time, most often; None: nobody was seen there."""
        reach = box.grown(0.15)
        there = [each for each in self.touches if start <= each.t <= end and _reaches(each, reach)]
        people = [each for each in there if each.who is not None]
        return max(people or there, key=lambda each: sum(other.who is each.who for other in there), default=None)


def _reaches(touch: Touch, place: Box) -> bool:
    if touch.who is None:
        return bool(covered(touch.box, place))
    return covered(place, touch.box) > 0.3


def course(track: Track) -> Iterator[tuple[float, float, float]]:
    """(t, dx, dy): the steps of a track's trail."""
    for (_, before), (t, after) in pairwise(track.trail):
        (ax, ay), (bx, by) = before.centre, after.centre
        yield t, bx - ax, by - ay
