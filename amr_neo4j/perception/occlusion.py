"""Occlusion: whether what is no longer detected is still there, hidden, or gone."""

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
"""Share of a place that changes while something passes in front of it: no decision is made then."""
FLICKER = 0.6
"""Seconds after which an unreliable track is dropped."""
AT_THE_EDGE, IN_PLAIN_VIEW, TAKEN = 1.0, 3.0, 1.0
"""Seconds without a sign after which a track has gone: a person at the edge, elsewhere; a thing."""


@dataclass
class _Sign:
    """patch: the picture at the place of a track when it last rested. missing: seconds without a sign."""

    patch: Image | None = None
    missing: float = 0.0
    hidden: bool = False


class OcclusionTracker:
    """Keeps the tracks of what is there but not detected."""

    def __init__(self) -> None:
        self._signs: dict[Track, _Sign] = {}
        self._last_t = 0.0

    def gone(self, scene: Scene, unseen: list[Track]) -> Iterator[tuple[Track, bool]]:
        """The tracks that have ended, and whether they were hidden before, so that how they left is unknown."""
        elapsed, self._last_t = scene.t - self._last_t, scene.t
        for track in scene.tracks:
            sign = self._signs.setdefault(track, _Sign())
            if track not in unseen:
                self._signs[track] = _Sign(scene.background.patch(track.box) if track.at_rest(scene.t) else None)
            elif sign.patch is not None and scene.background.unchanged(track.box, sign.patch):
                track.stay(scene.t)
                sign.missing, sign.hidden = 0.0, False
            elif _is_covered(scene, track):
                sign.hidden = True
            elif scene.background.motion(track.box) < MOVES:
                sign.missing += elapsed
        for track in unseen:
            if self._signs[track].missing > patience(track, scene):
                yield track, self._signs.pop(track).hidden

    def trust(self, scene: Scene, track: Track) -> None:
        """Keep a track that was never detected here while the picture there stays the same."""
        self._signs[track] = _Sign(scene.background.patch(track.box))


def _is_covered(scene: Scene, track: Track) -> bool:
    """Whether something seen now is in front of it."""
    seen = (other for other in scene.tracks if other is not track and other.last_t == scene.t)
    return any(covered(track.box, other.box) > 0.4 for other in seen)


def patience(track: Track, scene: Scene) -> float:
    """Seconds for which a track is kept without a sign."""
    if not track.is_reliable:
        return FLICKER
    if track.kind in (Kind.THING, Kind.FIXTURE):
        return TAKEN
    return AT_THE_EDGE if edges(track.expected(track.last_t + 0.6), scene.size) else IN_PLAIN_VIEW
