"""What happens, before it has words: noticed in the tracks, told at the end of the clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from amr_neo4j.perception.background import Background
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, Size, common, covered, gap
from amr_neo4j.perception.spatial_relations import neighbours, part_of_picture
from amr_neo4j.perception.track import Track

BE_THERE, STAY, HAVE = "be there", "stay", "have"
STATES = (BE_THERE, STAY, HAVE)
"""How things are, and nobody's doing: in the picture all along; at rest beside nothing; carried along."""


@dataclass(frozen=True)
class Place:
    """Where a thing was at one time. of: what it is; part: of the picture; neighbours: (relation, label).

    alone: whether nothing else of its kind was in view.
    """

    of: str
    part: str
    neighbours: tuple[tuple[str, str], ...] = ()
    alone: bool = True


@dataclass(frozen=True)
class Happening:
    """Something that happened. verb: one of enter, leave, approach, stay beside, pick up, put down, appear,
    disappear, move; or one of STATES.

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
    stage: Background
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
        twins = [
            other for other in self.tracks if other is not track and other.believed and other.label == track.label
        ]
        return Place(track.label, part_of_picture(box, self.size), tuple(neighbours(box, others)), not twins)

    def was_there_before(self, box: Box, since: float) -> bool:
        """Whether the place looked as now well before `since`, or at the start of the shot."""
        if since - self.shot_start < 1.0:
            return True
        return any(same and t < since - 1.0 for t, same in self.stage.looked_so(box))

    def was_seen_without(self, box: Box) -> bool:
        """Whether the place was in plain view lately and looked otherwise: only then something can be new there."""
        without = [t for t, same in self.stage.looked_so(box) if not same and not self._in_the_way(box, t)]
        return len(without) >= 2

    def _in_the_way(self, box: Box, t: float) -> bool:
        """Whether somebody was before the place then, or so near that an arm or a shadow may have been."""
        return any(common(box, each.box.grown(0.25)) > 0 for each in self.touches if abs(each.t - t) < 0.01)

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
