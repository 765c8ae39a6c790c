"""Things: what rests where, what is picked up, put down, moved, carried along, gone or new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.background import alike
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, covered, overlap
from amr_neo4j.perception.happenings import BE_THERE, HAVE, Happening, Scene, Touch
from amr_neo4j.perception.spatial_relations import edges, from_actor
from amr_neo4j.perception.track import STILL, Track

REMEMBERED = 20
"""Places that things were taken from, latest last."""
CARRIED = 3.0
"""Seconds of a thing that never rests after which it is told of all the same."""


@dataclass
class _Rest:
    """Where a thing rests, or rested last. t: when it was last there; patch: what it looks like there."""

    box: Box
    t: float
    patch: Image
    here: bool = True


@dataclass
class _Vacancy:
    """A place that a thing was taken from. empty: the place without it; back_since: when it seemed to be back."""

    track: Track
    rest: _Rest
    empty: Image
    back_since: float | None = None


class Interactions:
    """Watches things come to rest, leave their rest, and come back to it."""

    def __init__(self) -> None:
        self._rests: dict[Track, _Rest] = {}
        self._told: set[Track] = set()
        self._vacant: list[_Vacancy] = []

    def observe(self, scene: Scene) -> Iterator[Happening]:
        """What became of the things that are seen."""
        if not scene.stage.still:
            self._follow_the_camera(scene)
            return
        for track in (each for each in scene.of_kind(Kind.THING, Kind.FIXTURE) if each.last_t == scene.t):
            rest, at_rest = self._rests.get(track), track.at_rest(scene.t)
            if at_rest and (rest is None or not rest.here):
                self._rests[track] = _resting(scene, track.box)
                yield from self._settles(scene, track, was_moved=rest is not None)
            elif rest and rest.here and _has_moved(rest.box, track.box):
                rest.here = False
                yield from _leaves(scene, track, rest, "move")
            elif rest and rest.here and at_rest:
                # a hand that holds it is no part of it
                touched = scene.touched_by(rest.box, scene.t, scene.t)
                self._rests[track] = _Rest(rest.box, scene.t, rest.patch) if touched else _resting(scene, rest.box)
            elif rest is None and track not in self._told and scene.t - track.first_t >= CARRIED:
                self._told.add(track)
                yield _carried(scene, track)

    def gone(self, scene: Scene, track: Track, hidden: bool) -> Iterator[Happening]:
        """What to say of a thing that is not there any more."""
        self._told.discard(track)
        rest = self._rests.pop(track, None)
        if rest is None:
            return
        self._vacant = [*self._vacant[1 - REMEMBERED :], _Vacancy(track, rest, scene.stage.patch(rest.box))]
        if rest.here:
            yield from _leaves(scene, track, rest, "" if hidden else "disappear")

    def back(self, scene: Scene) -> Iterator[Track]:
        """The things that lie again where they were taken from, though the detector does not see them."""
        for vacancy in self._vacant:
            patch = scene.stage.patch(vacancy.rest.box)
            found = None if alike(patch, vacancy.empty) else scene.stage.find(vacancy.rest.box, vacancy.rest.patch)
            if found is None or scene.stage.motion(found) > 0.05:
                vacancy.back_since = None
            elif vacancy.back_since is None:
                vacancy.back_since = scene.t
            elif scene.t - vacancy.back_since >= STILL and not _is_followed(scene, found):
                yield vacancy.track.again(vacancy.back_since, scene.t, found)

    def _follow_the_camera(self, scene: Scene) -> None:
        """While the camera moves, what rests moves in the picture, and the places of before are lost."""
        self._vacant.clear()
        for track in self._rests:
            if track.last_t == scene.t:
                self._rests[track] = _resting(scene, track.box)

    def _settles(self, scene: Scene, track: Track, *, was_moved: bool) -> Iterator[Happening]:
        vacancy = next((each for each in self._vacant if _fills(track, each)), None)
        if vacancy:
            self._vacant.remove(vacancy)
        since = _since(scene, track.box)
        touch = scene.touched_by(track.box, since - 1.5, since + 0.5)
        there = scene.was_there_before(track.box, track.first_t) or not scene.was_seen_without(track.box)
        if there and not (vacancy or was_moved):
            if track not in self._told:
                yield _told(scene, BE_THERE, track, track.box, track.first_t)
        elif touch and track.kind is Kind.THING:
            yield _told(scene, "put down", track, track.box, since, touch)
        elif not was_moved and not edges(track.box, scene.size):
            yield _told(scene, "appear", track, track.box, since)
        self._told.add(track)


def _resting(scene: Scene, box: Box) -> _Rest:
    return _Rest(box, scene.t, scene.stage.patch(box))


def _leaves(scene: Scene, track: Track, rest: _Rest, how: str) -> Iterator[Happening]:
    """how: the verb where nobody was there; empty where nobody could see. Nothing is sure while the camera moves."""
    if scene.stage.slid_at >= rest.t:
        return
    touch = scene.touched_by(rest.box, rest.t - 1.0, scene.t)
    if touch:
        verb = "pick up" if track.kind is Kind.THING else "move"
        yield _told(scene, verb, track, rest.box, rest.t, touch)
    elif how and not edges(rest.box, scene.size):
        yield _told(scene, how, track, rest.box, rest.t)


def _carried(scene: Scene, track: Track) -> Happening:
    """A thing that never rests: somebody has it with them, or it is just there."""
    people = [(covered(track.box, each.box), each.number, each) for each in scene.of_kind(Kind.PERSON)]
    share, _, person = max(people, default=(0.0, 0, None))
    if person is None or share < 0.6:
        return _told(scene, BE_THERE, track, track.box, track.first_t)
    return Happening(HAVE, track.first_t, scene.t, actor=person, subject=track, place=scene.place(track, track.box))


def _since(scene: Scene, box: Box) -> float:
    """Since when the place has looked as it does now."""
    since = scene.t
    for t, same in scene.stage.looked_so(box):
        if not same:
            break
        since = t
    return since


def _has_moved(before: Box, now: Box) -> bool:
    (ax, ay), (bx, by) = before.centre, now.centre
    return abs(bx - ax) > 0.5 * before.width or abs(by - ay) > 0.3 * before.height


def _fills(track: Track, vacancy: _Vacancy) -> bool:
    another = track is not vacancy.track and track.label == vacancy.track.label
    return another and overlap(track.box, vacancy.rest.box) > 0.2


def _is_followed(scene: Scene, box: Box) -> bool:
    """Whether a track is there already."""
    return any(overlap(track.box, box) > 0.4 for track in scene.tracks)


def _told(scene: Scene, verb: str, track: Track, box: Box, t: float, touch: Touch | None = None) -> Happening:
    actor = touch.who if touch else None
    return Happening(
        verb,
        t,
        min(scene.t, t + 1.0),
        actor=actor,
        by_hand=touch is not None and actor is None,
        subject=track,
        place=scene.place(track, box),
        actor_side=from_actor(actor.box, actor.facing, box) if actor and actor.facing else "",
    )
