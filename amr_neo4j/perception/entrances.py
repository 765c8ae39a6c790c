"""Entrances and exits: people and travellers (vehicles and animals) enter, leave, appear, disappear or cross."""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import Box, edges, inwards, part_of_picture
from amr_neo4j.perception.happenings import BE_THERE, Happening, ObservedScene
from amr_neo4j.perception.track import Track

SETTLED = 0.6
"""Somebody is followed for this many seconds before their entrance is reported."""
AT_ONCE = 0.5
"""Somebody seen within this many seconds of the start of a shot was there already."""


class Entrances:
    """Reports the entrances and exits of people and travellers."""

    def __init__(self) -> None:
        self._known: set[Track] = set()

    def observe(self, scene: ObservedScene) -> Iterator[Happening]:
        """Yield those who came since the last picture."""
        for track in scene.of_kind(Kind.PERSON, Kind.TRAVELLER):
            if track not in self._known and scene.t - track.first_t >= SETTLED:
                self._known.add(track)
                yield from _entrance(scene, track)

    def gone(self, scene: ObservedScene, track: Track, hidden: bool) -> Iterator[Happening]:
        """Yield how a person or a traveller left; nothing if that cannot be known."""
        if track not in self._known:
            return
        self._known.remove(track)
        dx, dy = track.velocity
        # The step is reversed, because leaving over an edge is entering backwards.
        edge = _edge(edges(track.expected(track.last_t + 0.6), scene.size), -dx, -dy, height=track.box.height)
        if edge:
            yield _happening(scene, "leave", track, t=track.last_t, box=track.box, goal=edge)
        elif _was_in_plain_view(scene, track) and not hidden:
            yield _happening(scene, "disappear", track, t=track.last_t, box=track.box)


def crossing(scene: ObservedScene, track: Track, *, start: float, before: Box) -> Happening | None:
    """Return a "move" for somebody who moved by more than their own height since `before`; else None."""
    (ax, ay), (bx, by) = before.centre, track.box.centre
    dx, dy = bx - ax, by - ay
    if max(abs(dx), abs(dy)) < before.height:
        return None
    origin, goal = (part_of_picture(box, scene.size) for box in (before, track.box))
    sideways, in_depth = ("right" if dx > 0 else "left"), ("foreground" if dy > 0 else "background")
    towards = sideways if abs(dx) > abs(dy) else in_depth
    # Within one third of the picture only the direction says something.
    if origin == goal:
        origin, goal = "", towards
    return _happening(scene, "move", track, t=start, box=before, origin=origin, goal=goal, until=track.last_t)


def _entrance(scene: ObservedScene, track: Track) -> Iterator[Happening]:
    first, now = track.first_box, track.box
    (ax, ay), (bx, by) = first.centre, now.centre
    # A fast walker is first detected some way into the picture, so extrapolate to a second before.
    back = 1.0 / (track.last_t - track.first_t)
    before = first.shifted((ax - bx) * back, (ay - by) * back)
    edge = _edge(edges(before, scene.size), bx - ax, by - ay, height=now.height)
    late = track.first_t - scene.shot_start
    if late < AT_ONCE:
        yield _happening(scene, BE_THERE, track, t=scene.shot_start, box=first)
    elif edge:
        yield _happening(scene, "enter", track, t=track.first_t, box=first, origin=edge)
    # Somebody at rest where the picture has not changed was there before the detector noticed them.
    elif late < 2 * AT_ONCE or (track.at_rest(scene.t, SETTLED) and scene.was_there_before(now, track.first_t)):
        yield _happening(scene, BE_THERE, track, t=track.first_t, box=now)
    elif not scene.crowded(track, first, track.first_t):
        yield _happening(scene, "appear", track, t=track.first_t, box=first)


def _edge(touched: list[str], dx: float, dy: float, *, height: float) -> str:
    """Return the touched edge that a step leads away from; empty if there is none.

    Heads and feet touch the upper and the lower edge without going out there, so a longer step is needed at these.
    """
    ways = [(inwards(edge, dx, dy) / height, edge) for edge in touched]
    far = [(way, edge) for way, edge in ways if way > (0.05 if edge in ("left", "right") else 0.15)]
    return max(far, default=(0.0, ""))[1]


def _was_in_plain_view(scene: ObservedScene, track: Track) -> bool:
    """Return whether it was seen well and for long, with nobody near who could hide it."""
    lasting = track.hits >= 5 and track.last_t - track.first_t >= 1.5
    return lasting and not scene.crowded(track, track.box, track.last_t)


def _happening(
    scene: ObservedScene,
    verb: str,
    track: Track,
    *,
    t: float,
    box: Box,
    origin: str = "",
    goal: str = "",
    until: float | None = None,
) -> Happening:
    end = until if until is not None else max(t, min(scene.t, t + 1.0))
    is_person = track.kind is Kind.PERSON
    return Happening(
        verb,
        t,
        end,
        actor=track if is_person else None,
        subject=None if is_person else track,
        position=scene.position(track, box),
        origin=origin,
        goal=goal,
    )
