"""What happens in a clip, as tracks and pictures show it. event_builder.py puts it into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from amr_neo4j.language.nouns import Position
from amr_neo4j.perception.background import Background
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, Size, common, covered, gap, neighbours, part_of_picture
from amr_neo4j.perception.track import Track

BE_THERE, STAY, HAVE = "be there", "stay", "have"
CUT, DARKEN, OVEREXPOSE, CAMERA = "cut", "darken", "overexpose", "camera moves"
OF_THE_PICTURE = (CUT, DARKEN, OVEREXPOSE, CAMERA)
"""What happens to the picture as a whole. Nobody does it, and no thing is involved."""
ENTER_ZONE, LEAVE_ZONE, CROSS_LINE = "enter zone", "leave zone", "cross line"
ZONE_VERBS = {ENTER_ZONE: "enter", LEAVE_ZONE: "exit", CROSS_LINE: "cross"}
"""{what happens at a zone or line: the verb of its action}. To leave a thing would be to put it down."""
STATES = (BE_THERE, STAY, HAVE)
"""States rather than actions: in view all along, at rest beside nothing, carried along."""


@dataclass(frozen=True)
class Happening:
    """Something that happened.

    verb: enter, leave, approach, stay beside, pick up, put down, appear, disappear, move or cross, or one of STATES,
        ZONE_VERBS or OF_THE_PICTURE.
    actor: the person who did it, if any.
    by_hand: only a hand was seen.
    subject: what it happened to.
    position: where the subject was then.
    origin, goal: the edges or parts of the picture at which the course begins and ends, if known.
    actor_side: where the subject was, as seen by the actor.
    zone: the name of the zone or line.
    """

    verb: str
    t_start: float
    t_end: float
    actor: Track | None = None
    by_hand: bool = False
    subject: Track | None = None
    position: Position | None = None
    origin: str = ""
    goal: str = ""
    actor_side: str = ""
    zone: str = ""


@dataclass(frozen=True)
class Touch:
    """A person or a hand at a place and time. who: the person's track; None for a hand."""

    t: float
    box: Box
    who: Track | None


@dataclass
class ObservedScene:
    """What observers see: the current moment and the recent past.

    t, shot_start: seconds of the video.
    tracks: the current tracks.
    touches: where people and hands were lately.
    """

    t: float
    size: Size
    shot_start: float
    background: Background
    tracks: Sequence[Track] = ()
    touches: list[Touch] = field(default_factory=list[Touch])

    def of_kind(self, *kinds: Kind) -> list[Track]:
        """Return the reliable tracks of some kinds."""
        return [track for track in self.tracks if track.is_reliable and track.kind in kinds]

    def position(self, track: Track, box: Box) -> Position:
        """Return where a track is at `box`: its part of the picture, and the resting things next to it."""
        others = [
            (other.label, other.box)
            for other in self.of_kind(Kind.THING, Kind.FIXTURE, Kind.TRAVELLER)
            if other is not track and other.at_rest(self.t)
        ]
        twins = [
            other for other in self.tracks if other is not track and other.is_reliable and other.label == track.label
        ]
        return Position(track.label, part_of_picture(box, self.size), tuple(neighbours(box, others)), not twins)

    def was_there_before(self, box: Box, since: float) -> bool:
        """Return whether the place looked as it does now well before `since`, or ever since the shot began."""
        if since - self.shot_start < 1.0:
            return True
        return any(same and t < since - 1.0 for t, same in self.background.looked_alike(box))

    def was_seen_without(self, box: Box) -> bool:
        """Return whether the place was lately in plain view and looked different.

        Only then can something be new there.
        """
        without = [t for t, same in self.background.looked_alike(box) if not same and not self._in_the_way(box, t)]
        return len(without) >= 2

    def _in_the_way(self, box: Box, t: float) -> bool:
        """Return whether somebody was in front of the place then, or so near that an arm or a shadow could be."""
        return any(common(box, each.box.grown(0.25)) > 0 for each in self.touches if abs(each.t - t) < 0.01)

    def crowded(self, track: Track, box: Box, t: float) -> bool:
        """Return whether somebody else was so close at t that either could hide the other."""
        others = (other for other in self.of_kind(Kind.PERSON, Kind.TRAVELLER) if other is not track)
        return any(other.first_t < t and gap(box, other.at(t)) < 0.3 * box.height for other in others)

    def touched_by(self, box: Box, start: float, end: float) -> Touch | None:
        """Return who was seen at a place most often in that time; None for nobody."""
        reach = box.grown(0.15)
        there = [each for each in self.touches if start <= each.t <= end and _reaches(each, reach)]
        # A hand near a person is most likely theirs, so people come before hands.
        people = [each for each in there if each.who is not None]
        return max(people or there, key=lambda each: sum(other.who is each.who for other in there), default=None)


def _reaches(touch: Touch, place: Box) -> bool:
    if touch.who is None:
        return bool(covered(touch.box, place))
    return covered(place, touch.box) > 0.3
