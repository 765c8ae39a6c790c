"""Interactions: things picked up, put down, moved, carried, gone or new; people who stop beside something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from amr_neo4j.domain.event import STAY_REPORT_SEC
from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.background import alike
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, covered, distance, edges, from_actor, gap, overlap
from amr_neo4j.perception.happenings import BE_THERE, HAVE, STAY, Happening, ObservedScene, Touch
from amr_neo4j.perception.track import STILL, Track

REMEMBERED = 20
"""How many places are remembered from which things were taken."""
CARRIED = 3.0
"""A thing that never rests is reported after this many seconds."""


@dataclass
class _Rest:
    """Where a thing rests or last rested.

    t: when it was last there.
    patch: the picture of the thing there.
    """

    box: Box
    t: float
    patch: Image
    here: bool = True


@dataclass
class _Vacancy:
    """A place from which a thing was taken.

    empty: the place without it.
    back_since: when it seemed to be back.
    """

    track: Track
    rest: _Rest
    empty: Image
    back_since: float | None = None


class Interactions:
    """Reports things that come to rest, are moved, and come back."""

    def __init__(self) -> None:
        self._rests: dict[Track, _Rest] = {}
        self._reported: set[Track] = set()
        self._vacant: list[_Vacancy] = []

    def observe(self, scene: ObservedScene) -> Iterator[Happening]:
        """Yield what happened to the things that are seen."""
        if not scene.background.still:
            self._follow_the_camera(scene)
            return
        for track in (each for each in scene.of_kind(Kind.THING, Kind.FIXTURE) if each.last_t == scene.t):
            rest, at_rest = self._rests.get(track), track.at_rest(scene.t)
            if at_rest and (rest is None or not rest.here):
                self._rests[track] = _resting(scene, track.box)
                yield from self._settles(scene, track, was_moved=rest is not None)
            elif rest and rest.here and _has_moved(rest.box, track.box):
                rest.here = False
                yield from _leaves(scene, track, rest, how="move")
            elif rest and rest.here and at_rest:
                # The patch must not show a hand that holds the thing.
                touched = scene.touched_by(rest.box, scene.t, scene.t)
                self._rests[track] = _Rest(rest.box, scene.t, rest.patch) if touched else _resting(scene, rest.box)
            elif rest is None and track not in self._reported and scene.t - track.first_t >= CARRIED:
                self._reported.add(track)
                yield _carried(scene, track)

    def gone(self, scene: ObservedScene, track: Track, hidden: bool) -> Iterator[Happening]:
        """Yield what happened to a thing that is not there any more."""
        self._reported.discard(track)
        rest = self._rests.pop(track, None)
        if rest is None:
            return
        # The oldest is dropped when there are REMEMBERED.
        self._vacant = [*self._vacant[1 - REMEMBERED :], _Vacancy(track, rest, scene.background.patch(rest.box))]
        if rest.here:
            yield from _leaves(scene, track, rest, how="" if hidden else "disappear")

    def back(self, scene: ObservedScene) -> Iterator[Track]:
        """Yield tracks of things that are back at the place from which they were taken.

        The picture at the place shows that; the detector need not find them.
        """
        for vacancy in self._vacant:
            patch = scene.background.patch(vacancy.rest.box)
            found = (
                None if alike(patch, vacancy.empty) else scene.background.find(vacancy.rest.box, vacancy.rest.patch)
            )
            if found is None or scene.background.motion(found) > 0.05:
                vacancy.back_since = None
            elif vacancy.back_since is None:
                vacancy.back_since = scene.t
            # It must stay for a while, so that a hand in passing is not taken for the thing.
            elif scene.t - vacancy.back_since >= STILL and not _is_followed(scene, found):
                yield vacancy.track.again(vacancy.back_since, scene.t, found)

    def _follow_the_camera(self, scene: ObservedScene) -> None:
        """Update the places of resting things, which move in the picture while the camera moves.

        The places from which things were taken cannot be followed, so they are forgotten.
        """
        self._vacant.clear()
        for track in self._rests:
            if track.last_t == scene.t:
                self._rests[track] = _resting(scene, track.box)

    def _settles(self, scene: ObservedScene, track: Track, *, was_moved: bool) -> Iterator[Happening]:
        vacancy = next((each for each in self._vacant if _fills(track, each)), None)
        if vacancy:
            self._vacant.remove(vacancy)
        since = _since(scene, track.box)
        touch = scene.touched_by(track.box, since - 1.5, since + 0.5)
        # A thing is new only if its place was seen without it. Otherwise the detector merely noticed it late.
        there = scene.was_there_before(track.box, track.first_t) or not scene.was_seen_without(track.box)
        if there and not (vacancy or was_moved):
            if track not in self._reported:
                yield _happening(scene, BE_THERE, track, box=track.box, t=track.first_t)
        elif touch and track.kind is Kind.THING:
            yield _happening(scene, "put down", track, box=track.box, t=since, touch=touch)
        elif not was_moved and not edges(track.box, scene.size):
            yield _happening(scene, "appear", track, box=track.box, t=since)
        self._reported.add(track)


def _resting(scene: ObservedScene, box: Box) -> _Rest:
    return _Rest(box, scene.t, scene.background.patch(box))


def _leaves(scene: ObservedScene, track: Track, rest: _Rest, *, how: str) -> Iterator[Happening]:
    """Yield that a thing was picked up or moved by whoever was there, else that it left by itself.

    Nothing is reported while the camera moves.

    how: the verb if nobody was there; empty if the thing was hidden.
    """
    if scene.background.camera_moved_at >= rest.t:
        return
    touch = scene.touched_by(rest.box, rest.t - 1.0, scene.t)
    if touch:
        verb = "pick up" if track.kind is Kind.THING else "move"
        yield _happening(scene, verb, track, box=rest.box, t=rest.t, touch=touch)
    elif how and not edges(rest.box, scene.size):
        yield _happening(scene, how, track, box=rest.box, t=rest.t)


def _carried(scene: ObservedScene, track: Track) -> Happening:
    """Return that somebody carries a thing that never rests, or that it is just in view."""
    people = [(covered(track.box, each.box), each.number, each) for each in scene.of_kind(Kind.PERSON)]
    share, _, person = max(people, default=(0.0, 0, None))
    if person is None or share < 0.6:
        return _happening(scene, BE_THERE, track, box=track.box, t=track.first_t)
    return Happening(
        HAVE, track.first_t, scene.t, actor=person, subject=track, position=scene.position(track, track.box)
    )


def _since(scene: ObservedScene, box: Box) -> float:
    """Return since when the place has looked as it does now."""
    since = scene.t
    for t, same in scene.background.looked_alike(box):
        if not same:
            break
        since = t
    return since


def _has_moved(before: Box, now: Box) -> bool:
    (ax, ay), (bx, by) = before.centre, now.centre
    return abs(bx - ax) > 0.5 * before.width or abs(by - ay) > 0.3 * before.height


def _fills(track: Track, vacancy: _Vacancy) -> bool:
    # The same class at the place that was left: it is most likely the same thing, under a new track.
    another = track is not vacancy.track and track.label == vacancy.track.label
    return another and overlap(track.box, vacancy.rest.box) > 0.2


def _is_followed(scene: ObservedScene, box: Box) -> bool:
    """Return whether a track is at the place already."""
    return any(overlap(track.box, box) > 0.4 for track in scene.tracks)


def _happening(
    scene: ObservedScene, verb: str, track: Track, *, box: Box, t: float, touch: Touch | None = None
) -> Happening:
    actor = touch.who if touch else None
    return Happening(
        verb,
        t,
        min(scene.t, t + 1.0),
        actor=actor,
        by_hand=touch is not None and actor is None,
        subject=track,
        position=scene.position(track, box),
        actor_side=from_actor(actor.box, actor.facing, box) if actor and actor.facing else "",
    )


BESIDE, APART = 0.25, 0.8
"""Gaps in heights of the person. Within the first they are beside something; beyond the second they are apart."""
MOVES_ON = 0.4
"""Somebody who is further from where they stopped, in heights of the person, no longer stays."""
STAYS = 2.0
"""Somebody at rest for this many seconds stays."""


class Proximity:
    """Reports people who stop beside something."""

    def __init__(self) -> None:
        self._stopped: dict[Track, Box] = {}
        self._staying: dict[Track, tuple[Track | None, float]] = {}

    def observe(self, scene: ObservedScene) -> Iterator[Happening]:
        """Yield what began since the last picture."""
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
        """Forget somebody who moved on or left."""
        self._stopped.pop(track, None)
        self._staying.pop(track, None)

    def _arrives(self, scene: ObservedScene, person: Track, target: Track) -> Iterator[Happening]:
        if person in self._stopped:
            return
        came = [t for t, box in person.trail if gap(box, target.at(t)) > APART * person.box.height]
        if came:
            yield _encounter(scene, "approach", person, target=target, start=max(came))

    def _stays(self, scene: ObservedScene, person: Track, target: Track | None) -> Iterator[Happening]:
        beside, since = self._staying.get(person, (None, -inf))
        known = scene.t - since < STAY_REPORT_SEC and (target is None or beside is target)
        # Two people stay beside each other: one report is enough.
        mutual = target is not None and self._staying.get(target, (None, -inf))[0] is person
        if known or mutual or not person.at_rest(scene.t, STAYS):
            return
        self._staying[person] = target, scene.t
        yield _encounter(scene, "stay beside" if target else STAY, person, target=target, start=scene.t - STAYS)


def _nearest(scene: ObservedScene, person: Track) -> Track | None:
    """Return the nearest track beside a person and on the same ground; None if there is none."""
    reach = BESIDE * person.box.height
    others = (other for other in scene.of_kind(*Kind) if other is not person and other.at_rest(scene.t))
    near = [(gap(person.box, other.box), other.number, other) for other in others if _on_one_ground(person, other)]
    return min((each for each in near if each[0] < reach), default=(0.0, 0, None))[2]


def _on_one_ground(person: Track, other: Track) -> bool:
    """Return whether both are at about the same distance from the camera, by where they stand.

    A thing may lie above somebody's feet, as on a table, but not far below them.
    """
    height, deeper = person.box.height, other.box.bottom - person.box.bottom
    highest = 0.8 if other.kind is Kind.THING else 0.4
    return -highest * height < deeper < 0.3 * height


def _encounter(scene: ObservedScene, verb: str, person: Track, *, target: Track | None, start: float) -> Happening:
    side = from_actor(person.box, person.facing, target.box) if target and person.facing else ""
    position = scene.position(target or person, (target or person).box)
    return Happening(verb, start, scene.t, actor=person, subject=target, position=position, actor_side=side)
