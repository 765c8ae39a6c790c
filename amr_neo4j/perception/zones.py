"""Reports who enters, leaves or crosses the zones and lines that a person has drawn into a camera's picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amr_neo4j.domain.view import View, crosses, is_inside
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.entrances import AT_ONCE
from amr_neo4j.perception.geometry import Box, Size
from amr_neo4j.perception.happenings import CROSS_LINE, ENTER_ZONE, LEAVE_ZONE, Happening, ObservedScene
from amr_neo4j.perception.track import Track

HELD = 0.4
"""Somebody is in a zone, or out of it, once that has been so for this many seconds: boxes tremble at its edge."""
_Foot = tuple[float, float]


@dataclass
class _Side:
    """Whether a track is inside a zone.

    other_since: since when it seems to be on the other side; None if it does not."""

    is_inside: bool
    other_since: float | None = None


class Zones:
    """Follows where the feet of people and the lower edges of travellers are."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._sides: dict[Track, dict[str, _Side]] = {}
        self._feet: dict[Track, tuple[float, _Foot]] = {}

    def observe(self, scene: ObservedScene) -> Iterator[Happening]:
        """Yield who entered, left or crossed since the last picture."""
        for track in scene.of_kind(Kind.PERSON, Kind.TRAVELLER):
            if track.last_t == scene.t:
                foot = _foot(track.box, scene.size)
                yield from self._in_zones(scene, track, foot)
                yield from self._over_lines(scene, track, foot)

    def gone(self, track: Track, hidden: bool) -> Iterator[Happening]:
        """Yield the zones that somebody left who is not in the picture any more."""
        self._feet.pop(track, None)
        for name, side in self._sides.pop(track, {}).items():
            if side.is_inside and not hidden:
                yield _happening(LEAVE_ZONE, track, track.last_t, name)

    def _in_zones(self, scene: ObservedScene, track: Track, foot: _Foot) -> Iterator[Happening]:
        is_new = track not in self._sides
        sides = self._sides.setdefault(track, {})
        for name, polygon in self._view.zones.items():
            inside = is_inside(polygon, *foot)
            side = sides.setdefault(name, _Side(inside))
            if is_new and inside and track.first_t - scene.shot_start >= AT_ONCE:
                # Somebody who comes into the picture within a zone has entered it.
                yield _happening(ENTER_ZONE, track, track.first_t, name)
            if inside == side.is_inside:
                side.other_since = None
            elif side.other_since is None:
                side.other_since = scene.t
            elif scene.t - side.other_since >= HELD:
                yield _happening(ENTER_ZONE if inside else LEAVE_ZONE, track, side.other_since, name)
                side.is_inside, side.other_since = inside, None

    def _over_lines(self, scene: ObservedScene, track: Track, foot: _Foot) -> Iterator[Happening]:
        since, before = self._feet.setdefault(track, (scene.t, foot))
        if scene.t - since < HELD:
            return
        self._feet[track] = scene.t, foot
        for name, line in self._view.lines.items():
            if crosses(line, before, foot):
                yield _happening(CROSS_LINE, track, since, name)


def _foot(box: Box, size: Size) -> _Foot:
    return (box.left + box.right) / 2 / size.width, min(1.0, box.bottom / size.height)


def _happening(verb: str, track: Track, t: float, zone: str) -> Happening:
    is_person = track.kind is Kind.PERSON
    return Happening(
        verb, t, t + HELD, actor=track if is_person else None, subject=None if is_person else track, zone=zone
    )
