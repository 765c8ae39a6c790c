"""People and whatever travels by itself: who enters, leaves, comes into view, is lost, crosses the picture."""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box
from amr_neo4j.perception.happening import BE_THERE, Happening, Scene
from amr_neo4j.perception.space import edges, inwards, part_of_picture
from amr_neo4j.perception.track import Track

SETTLED = 0.6
"""Seconds someone is watched before it is said how they came."""
AT_ONCE = 0.5
"""Who is seen within so many seconds of a shot's beginning was there already."""


class Comings:
    """Watches people and travellers come and go."""

    def __init__(self) -> None:
        self._known: set[Track] = set()

    def observe(self, scene: Scene) -> Iterator[Happening]:
        """Those who came since the last look."""
        for track in scene.of_kind(Kind.PERSON, Kind.TRAVELLER):
            if track not in self._known and scene.t - track.first_t >= SETTLED:
                self._known.add(track)
                yield from _coming(scene, track)

    def gone(self, scene: Scene, track: Track, hidden: bool) -> Iterator[Happening]:
        """What to say of one who is not there any more; nothing where nobody can know."""
        if track not in self._known:
            return
        self._known.remove(track)
        dx, dy = track.velocity
        ways = [(-inwards(edge, dx, dy), edge) for edge in edges(track.expected(track.last_t + 0.6), scene.size)]
        speed, edge = max(ways, default=(0.0, ""))
        if speed > 0.05 * track.box.height:
            yield _told(scene, "leave", track, track.last_t, track.box, way=f"to the {edge}")
        elif (
            not (hidden or scene.crowded(track, track.box, track.last_t))
            and track.hits >= 5
            and track.last_t - track.first_t >= 1.5
        ):
            yield _told(scene, "disappear", track, track.last_t, track.box)


def crossing(scene: Scene, track: Track, start: float, before: Box) -> Happening | None:
    """The way of one who was at `before` at the start and has moved by more than the own height since."""
    (ax, ay), (bx, by) = before.centre, track.box.centre
    dx, dy = bx - ax, by - ay
    if max(abs(dx), abs(dy)) < before.height:
        return None
    origin, goal = (part_of_picture(box, scene.size).split()[-1] for box in (before, track.box))
    towards = ("right" if dx > 0 else "left") if abs(dx) > abs(dy) else ("foreground" if dy > 0 else "background")
    way = f"from the {origin} to the {goal}" if origin != goal else f"to the {towards}"
    return _told(scene, "move", track, start, before, way=way, until=track.last_t)


def _coming(scene: Scene, track: Track) -> Iterator[Happening]:
    first, now = track.first_box, track.box
    (ax, ay), (bx, by) = first.centre, now.centre
    # who walks fast is first detected some way in: look back to where they were a second before
    back = 1.0 / (track.last_t - track.first_t)
    before = first.shifted((ax - bx) * back, (ay - by) * back)
    ways = [(inwards(edge, bx - ax, by - ay), edge) for edge in edges(before, scene.size)]
    far, edge = max(ways, default=(0.0, ""))
    late = track.first_t - scene.shot_start
    if late < AT_ONCE:
        yield _told(scene, BE_THERE, track, scene.shot_start, first)
    elif far > 0.05 * now.height:
        yield _told(scene, "enter", track, track.first_t, first, way=f"from the {edge}")
    elif late < 2 * AT_ONCE or (track.at_rest(scene.t, SETTLED) and scene.was_there_before(now, track.first_t)):
        yield _told(scene, BE_THERE, track, track.first_t, now)
    elif not scene.crowded(track, first, track.first_t):
        yield _told(scene, "appear", track, track.first_t, first)


def _told(
    scene: Scene, verb: str, track: Track, t: float, box: Box, *, way: str = "", until: float | None = None
) -> Happening:
    end = until if until is not None else max(t, min(scene.t, t + 1.0))
    is_person = track.kind is Kind.PERSON
    place = scene.place(track, box)
    return Happening(
        verb, t, end, actor=track if is_person else None, subject=None if is_person else track, place=place, way=way
    )
