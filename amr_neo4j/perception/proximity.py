"""Proximity: people who approach somebody or something and stay beside it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, distance, gap
from amr_neo4j.perception.happenings import STAY, Happening, Scene
from amr_neo4j.perception.spatial_relations import from_actor
from amr_neo4j.perception.track import Track

BESIDE, APART = 0.25, 0.8
"""Gaps in heights of the person: below the first they are beside, above the second apart."""
MOVES_ON = 0.4
"""Heights of the person from where they stopped, beyond which they no longer stay."""
STAYS = 2.0
"""Seconds at rest that make a stay."""
AGAIN = 60.0
"""Seconds after which a stay that goes on is reported again: an event ends with its clip."""


class Proximity:
    """Reports people who stop beside something."""

    def __init__(self) -> None:
        self._stopped: dict[Track, Box] = {}
        self._staying: dict[Track, tuple[Track | None, float]] = {}

    def observe(self, scene: Scene) -> Iterator[Happening]:
        """What began since the last picture."""
        for person in scene.of_kind(Kind.PERSON):
            if person in self._stopped and distance(self._stopped[person], person.box) > MOVES_ON * person.box.height:
                self.forget(person)
            if not person.at_rest(scene.t):
                continue
            if person.first_stop is None:
                person.first_stop = scene.t, person.box
            target = _nearest(scene, person)
            if target:
                yield from self._arrives(scene, person, target)
            yield from self._stays(scene, person, target)
            self._stopped.setdefault(person, person.box)

    def forget(self, track: Track) -> None:
        """Drop somebody who moved on or left."""
        self._stopped.pop(track, None)
        self._staying.pop(track, None)

    def _arrives(self, scene: Scene, person: Track, target: Track) -> Iterator[Happening]:
        if person in self._stopped:
            return
        came = [t for t, box in person.trail if gap(box, target.at(t)) > APART * person.box.height]
        if came:
            yield _happening(scene, "approach", person, target, max(came), scene.t)

    def _stays(self, scene: Scene, person: Track, target: Track | None) -> Iterator[Happening]:
        beside, since = self._staying.get(person, (None, -inf))
        known = scene.t - since < AGAIN and (target is None or beside is target)
        mutual = target is not None and self._staying.get(target, (None, -inf))[0] is person
        if known or mutual or not person.at_rest(scene.t, STAYS):
            return
        self._staying[person] = target, scene.t
        yield _happening(scene, "stay beside" if target else STAY, person, target, scene.t - STAYS, scene.t)


def _nearest(scene: Scene, person: Track) -> Track | None:
    """The nearest track beside a person and on the same ground; None for none."""
    reach = BESIDE * person.box.height
    others = (other for other in scene.of_kind(*Kind) if other is not person and other.at_rest(scene.t))
    near = [(gap(person.box, other.box), other.number, other) for other in others if _on_one_ground(person, other)]
    return min((each for each in near if each[0] < reach), default=(0.0, 0, None))[2]


def _on_one_ground(person: Track, other: Track) -> bool:
    """Whether both are at one distance from the camera: a thing may lie higher than the feet, not much lower."""
    height, deeper = person.box.height, other.box.bottom - person.box.bottom
    highest = 0.8 if other.kind is Kind.THING else 0.4
    return -highest * height < deeper < 0.3 * height


def _happening(scene: Scene, verb: str, person: Track, target: Track | None, start: float, end: float) -> Happening:
    side = from_actor(person.box, person.facing, target.box) if target and person.facing else ""
    position = scene.position(target or person, (target or person).box)
    return Happening(verb, start, end, actor=person, subject=target, position=position, actor_side=side)
