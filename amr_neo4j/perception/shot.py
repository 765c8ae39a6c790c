"""One shot, picture by picture: tracks, the observers that report on them, and what is hidden or gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.domain.view import NO_VIEW, View
from amr_neo4j.perception.appearance import colours_of, look_of
from amr_neo4j.perception.background import MEMORY, Background, PictureState, PictureWatch
from amr_neo4j.perception.classes import Kind, Setting, has_colour, table
from amr_neo4j.perception.detector import Detection, plausible
from amr_neo4j.perception.entrances import Entrances, crossing
from amr_neo4j.perception.geometry import Box, Size, covered, distance, edges
from amr_neo4j.perception.happenings import Happening, ObservedScene, Touch
from amr_neo4j.perception.interactions import Interactions, Proximity
from amr_neo4j.perception.motion import Movers
from amr_neo4j.perception.track import ColouredDetection, Track, Tracker
from amr_neo4j.perception.zones import Zones


class Shot:
    """A stretch without a cut. Tracks begin and end within it."""

    def __init__(self, start: float, size: Size, view: View = NO_VIEW) -> None:
        self.scene = ObservedScene(start, size, start, Background())
        self._tracker = Tracker()
        self._marks: dict[Track, tuple[float, Box]] = {}
        self._since = start
        self._unclear = False
        self._occlusion = OcclusionTracker()
        self._entrances = Entrances()
        self._proximity = Proximity()
        self._interactions = Interactions()
        self._setting = Setting()
        self._movers = Movers()
        self._picture = PictureWatch()
        self._zones = Zones(view)

    def see(self, frame: Frame, detections: Sequence[Detection]) -> Iterator[Happening]:
        """Take in one picture. Yields what has happened by now."""
        scene = self.scene
        scene.t = frame.t
        scene.background.show(frame.t, frame.image)
        found = plausible(detections, scene.size)
        # The setting learns only from detections that could begin a track, because faint ones are often wrong.
        self._setting.see((each.label, each.score) for each in found if each.begins)
        unseen = self._tracker.step(frame.t, [_sighting(frame.image, each) for each in found])
        scene.tracks = self._tracker.tracks
        for track in scene.tracks:
            track.handicap = self._handicap(track)
        self._touch()
        # Copied to a list, because the loop changes the tracks.
        for track, hidden in list(self._occlusion.gone(scene, unseen)):
            self._tracker.drop(track)
            yield from self._entrances.gone(scene, track, hidden)
            yield from self._zones.gone(track, hidden)
            yield from self._interactions.gone(scene, track, hidden)
            self._proximity.forget(track)
        for track in list(self._interactions.back(scene)):
            self._tracker.tracks.append(track)
            self._occlusion.trust(scene, track)
        self._picture.see(frame.t, frame.image)
        states = self._picture.now(frame.t)
        self._unclear = bool(states & {PictureState.DARK, PictureState.BRIGHT})
        self._movers.see(frame.t, frame.image, scene.tracks, clear=not states)
        # Last, so that observers see the tracks of this picture complete.
        for observer in (self._entrances, self._proximity, self._interactions, self._zones):
            yield from observer.observe(scene)

    def mark(self) -> None:
        """Mark the start of a clip. `crossings` are measured from here."""
        self._since = self.scene.t
        self._marks = {track: (self.scene.t, track.box) for track in self._tracker.tracks}

    def crossings(self, busy: set[Track]) -> Iterator[Happening]:
        """Yield how people and vehicles crossed the picture. busy: tracks that another report already covers."""
        for track in self.scene.of_kind(Kind.PERSON, Kind.TRAVELLER):
            start, box = self._marks.get(track, (track.first_t, track.first_box))
            if track not in busy and (course := crossing(self.scene, track, start=start, before=box)):
                yield course

    def motion(self, reported: Sequence[Happening]) -> Iterator[Happening]:
        """Yield what moved since `mark` and is not `reported` by name, and what happened to the whole picture."""
        yield from self._movers.report(self.scene.size, self._since, reported)
        for stretch in self._picture.begun(self._since):
            yield Happening(stretch.state.value, stretch.start, stretch.end)

    def people(self) -> list[Track]:
        """Return everyone who may be in view now, including people of whom the detector is not sure."""
        return [track for track in self.scene.tracks if track.kind is Kind.PERSON]

    def present(self) -> list[Track]:
        """Return everything that is in view now."""
        return self.scene.of_kind(*Kind)

    def _handicap(self, track: Track) -> float:
        """Return what is added here to the thresholds of its class."""
        small, size = table().small, self.scene.size
        # Somebody who walks is no poster and no coat on a hook, however small.
        walks = track.kind is Kind.PERSON and distance(track.first_box, track.box) > track.box.height / 2
        is_small = not walks and track.box.area < small.share * size.width * size.height
        unclear = table().unclear if self._unclear else 0.0
        return self._setting.handicap(track.label) + unclear + (small.more if is_small else 0.0)

    def _touch(self) -> None:
        """Record where people and hands are."""
        scene = self.scene
        people = [track for track in scene.of_kind(Kind.PERSON) if track.last_t == scene.t]
        hands = scene.background.hands() if scene.background.still else []
        # A hand within somebody's box is theirs and not counted again.
        free = [hand for hand in hands if all(covered(hand, each.box) < 0.5 for each in people)]
        scene.touches = [each for each in scene.touches if each.t > scene.t - MEMORY]
        scene.touches += [Touch(scene.t, each.box, each) for each in people]
        scene.touches += [Touch(scene.t, hand, None) for hand in free]


def _sighting(image: Image, found: Detection) -> ColouredDetection:
    colours = colours_of(image, found.box) if has_colour(found.label) else None
    return ColouredDetection(found, look_of(image, found.box), colours)


MOVES = 0.4
"""If this share of a place changes, something passes in front of it, and nothing is decided."""
FLICKER = 0.6
"""An unreliable track is dropped after this many seconds without a sign."""
AT_THE_EDGE, IN_PLAIN_VIEW, TAKEN = 1.0, 3.0, 1.0
"""Seconds without a sign after which a track has gone: somebody at the edge, somebody elsewhere, a thing."""


@dataclass
class _Sign:
    """What shows whether a track is still there when the detector misses it.

    patch: the picture at its place when it last rested.
    missing: for how many seconds nothing showed that it is still there.
    """

    patch: Image | None = None
    missing: float = 0.0
    hidden: bool = False


class OcclusionTracker:
    """Decides whether what is no longer detected is hidden, still there or gone."""

    def __init__(self) -> None:
        self._signs: dict[Track, _Sign] = {}
        self._last_t = 0.0

    def gone(self, scene: ObservedScene, unseen: list[Track]) -> Iterator[tuple[Track, bool]]:
        """Yield (track, hidden) for the tracks that have ended.

        hidden: something covered it, so that it was not seen how it left.
        """
        elapsed, self._last_t = scene.t - self._last_t, scene.t
        for track in scene.tracks:
            sign = self._signs.setdefault(track, _Sign())
            if track not in unseen:
                self._signs[track] = _Sign(scene.background.patch(track.box) if track.at_rest(scene.t) else None)
            # The picture at its place has not changed, so it is still there, although the detector misses it.
            elif sign.patch is not None and scene.background.unchanged(track.box, sign.patch):
                track.stay(scene.t)
                sign.missing, sign.hidden = 0.0, False
            elif _is_covered(scene, track):
                sign.hidden = True
            # While something passes in front of it, the time does not count.
            elif scene.background.motion(track.box) < MOVES:
                sign.missing += elapsed
        for track in unseen:
            if self._signs[track].missing > patience(track, scene):
                yield track, self._signs.pop(track).hidden

    def trust(self, scene: ObservedScene, track: Track) -> None:
        """Keep a track that was not detected, as long as the picture at its place stays the same."""
        self._signs[track] = _Sign(scene.background.patch(track.box))


def _is_covered(scene: ObservedScene, track: Track) -> bool:
    """Return whether something that is seen now is in front of the track."""
    seen = (other for other in scene.tracks if other is not track and other.last_t == scene.t)
    return any(covered(track.box, other.box) > 0.4 for other in seen)


def patience(track: Track, scene: ObservedScene) -> float:
    """Return for how many seconds a track is kept without a sign."""
    if not track.is_reliable:
        return FLICKER
    if track.kind in (Kind.THING, Kind.FIXTURE):
        return TAKEN
    return AT_THE_EDGE if edges(track.expected(track.last_t + 0.6), scene.size) else IN_PLAIN_VIEW
