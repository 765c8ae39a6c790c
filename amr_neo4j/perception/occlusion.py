"""Whether what is not detected any more is still there, hidden behind something, or gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.classes import Kind
from amr_neo4j.perception.geometry import covered
from amr_neo4j.perception.happenings import Scene
from amr_neo4j.perception.spatial_relations import edges
from amr_neo4j.perception.track import Track

MOVES = 0.4
"""Share of a place that changes while something passes before it: then it is too early to tell."""
FLICKER = 0.6
"""Seconds after which something that was hardly seen is forgotten."""
AT_THE_EDGE, IN_PLAIN_VIEW, TAKEN = 1.0, 3.0, 1.0
"""Seconds without a sign after which someone is gone: at the edge of the picture, elsewhere; and a thing."""


@dataclass
class _Sign:
    """The picture at the place of a track when it last rested, how long it has been missing, and if it was hidden."""

    patch: Image | None = None
    missing: float = 0.0
    hidden: bool = False


class OcclusionTracker:
    """Keeps the tracks of what is there without being detected."""

    def __init__(self) -> None:
        self._signs: dict[Track, _Sign] = {}
        self._last_t = 0.0

    def gone(self, scene: Scene, unseen: list[Track]) -> Iterator[tuple[Track, bool]]:
        """The tracks that are over, and whether they were hidden before: then nobody knows how they went."""
        elapsed, self._last_t = scene.t - self._last_t, scene.t
        for track in scene.tracks:
            sign = self._signs.setdefault(track, _Sign())
            if track not in unseen:
                self._signs[track] = _Sign(scene.stage.patch(track.box) if track.at_rest(scene.t) else None)
            elif sign.patch is not None and scene.stage.unchanged(track.box, sign.patch):
                track.stay(scene.t)
                sign.missing, sign.hidden = 0.0, False
            elif _is_covered(scene, track):
                sign.hidden = True
            elif scene.stage.motion(track.box) < MOVES:
                sign.missing += elapsed
        for track in unseen:
            if self._signs[track].missing > patience(track, scene):
                yield track, self._signs.pop(track).hidden

    def trust(self, scene: Scene, track: Track) -> None:
        """Keep a track that was never detected here for as long as the picture shows the same."""
        self._signs[track] = _Sign(scene.stage.patch(track.box))


def _is_covered(scene: Scene, track: Track) -> bool:
    """Whether somebody or something seen now is before it."""
    seen = (other for other in scene.tracks if other is not track and other.last_t == scene.t)
    return any(covered(track.box, other.box) > 0.4 for other in seen)


def patience(track: Track, scene: Scene) -> float:
    """Seconds that a track outlives its last sign."""
    if not track.believed:
        return FLICKER
    if track.kind in (Kind.THING, Kind.FIXTURE):
        return TAKEN
    return AT_THE_EDGE if edges(track.expected(track.last_t + 0.6), scene.size) else IN_PLAIN_VIEW
