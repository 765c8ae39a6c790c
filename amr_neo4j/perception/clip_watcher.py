"""Watches a video clip by clip: takes frames, and returns what happened, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.domain.video import Clip
from amr_neo4j.perception.detector import Detection, Detector
from amr_neo4j.perception.geometry import Size
from amr_neo4j.perception.happenings import BE_THERE, CUT, DARKEN, OVEREXPOSE, Happening
from amr_neo4j.perception.shot import Shot
from amr_neo4j.perception.track import Track

TURNS = 1.0
"""A cut within this many seconds of a picture that turns dark or bright is not a cut."""
JOINT = 0.5
"""Two files of a recording with at most this many seconds between them count as gapless."""
OTHER_VIEW = 25.5
"""A file shows another view if its first picture differs this much (of 255) on average: 10 %, the score of a cut."""


SETTLED, HOLD = 1.0, 0.8
"""A picture that stays for over SETTLED seconds is looked at again every HOLD seconds only.

By then all that depends on rest is decided. HOLD is under the pause that states of the picture may have (1 s).
"""


@dataclass
class Seen:
    """What was seen in one clip.

    present: what is in view at its end.
    people: (second, who may be in view) of each picture, in order.
    notes: what could not be read.
    """

    size: Size
    happenings: list[Happening]
    present: list[Track]
    people: list[tuple[float, list[Track]]]
    notes: list[str]


class ClipWatcher:
    """Reads frames at a fixed rate; times are seconds of the video."""

    def __init__(self, detector: Detector, frames: Iterator[Frame], *, begin: float, fps: float) -> None:
        """begin: second of the first frame."""
        self._frames = frames
        self._next_t = begin
        self._step = 1 / fps
        self._size = Size(1, 1)
        self._at_end = False
        self._shot: Shot | None = None
        self._joint = False
        self._last: Image | None = None
        self._looking = LookedOnce(detector)

    def goes_on(self, clip: Clip) -> bool:
        """Return whether a clip begins where the last picture was, so that what is in view is known."""
        return self._shot is not None and abs(clip.t_start - self._next_t) <= JOINT

    def take(self, frames: Iterator[Frame]) -> None:
        """Go on with the frames of another file of the same recording."""
        self._frames, self._at_end, self._joint = frames, False, True

    def see(self, clip: Clip) -> Seen:
        """Watch up to the end of the clip and no frame further.

        Frames before the clip are only watched over one clip's length, to know who is there when it begins.
        """
        happenings: list[Happening] = []
        trouble: list[str] = []
        people: list[tuple[float, list[Track]]] = []
        until = clip.t_start
        if self._shot:
            self._shot.mark()
        for frame in self._looking.without_repeats(self._frames_until(clip)):
            # A track never crosses a cut, so what is known of the old shot is reported now.
            if frame.cut or self._shot is None or self._is_other_view(frame.image):
                happenings += self._of_shot(happenings)
                # A cut at the very start divides two clips and happens in neither.
                if frame.cut and frame.t > clip.t_start:
                    happenings.append(Happening(CUT, frame.t, frame.t))
                self._shot = Shot(frame.t, self._size, clip.view)
            new = list(self._shot.see(frame, self._looking.detections(frame.image)))
            # What happens while warming up belongs to an earlier clip.
            if frame.t >= clip.t_start:
                happenings += new
                trouble += frame.trouble
                people.append((frame.t, self._shot.people()))
                until = frame.t + self._step
        happenings += self._of_shot(happenings)
        notes = [f"not every picture could be decoded: {trouble[0]}"] if trouble else []
        notes += _missing(clip, until) if self._at_end else []
        happenings = list(_without_false_cuts(happenings))
        return Seen(self._size, happenings, self._shot.present() if self._shot else [], people, notes)

    def _is_other_view(self, image: Image) -> bool:
        """Return whether this is the first picture of a file and shows another view than the last one before it."""
        before, self._last = self._last, image
        joint, self._joint = self._joint, False
        if before is None or before.shape != image.shape:
            return before is not None
        return joint and float(cv2.absdiff(before, image).mean()) >= OTHER_VIEW

    def _frames_until(self, clip: Clip) -> Iterator[Frame]:
        warm_up = clip.t_start - (clip.t_end - clip.t_start)
        # A hundredth of a step allows for rounding.
        while self._next_t < clip.t_end - self._step / 100:
            frame = next(self._frames, None)
            if frame is None:
                self._at_end = True
                return
            self._next_t = frame.t + self._step
            self._size = Size(frame.image.shape[1], frame.image.shape[0])
            if frame.t >= warm_up - self._step / 100:
                yield frame
            else:
                self._shot = None

    def _of_shot(self, happenings: list[Happening]) -> list[Happening]:
        """Return what is known only at the end of a clip or a shot.

        These are the courses of people and things about which nothing else was reported, and the states of the whole
        picture.
        """
        if self._shot is None:
            return []
        crossings = self._crossings(self._shot, happenings)
        return [*crossings, *self._shot.motion([*happenings, *crossings])]

    def _crossings(self, shot: Shot, happenings: list[Happening]) -> list[Happening]:
        actions = [each for each in happenings if each.verb != BE_THERE]
        involved = {track for each in actions for track in (each.actor, each.subject)}
        return list(shot.crossings({track for track in involved if track}))


class LookedOnce:
    """Looks at each picture once, so that a film of few pictures costs by pictures and not by time."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._image: Image | None = None
        self._found: Sequence[Detection] = ()
        self._since, self._seen_at = 0.0, 0.0

    def detections(self, image: Image) -> Sequence[Detection]:
        """Return the detections in a picture. The detector does not run again while the picture stays the same."""
        if not self._is_same(image):
            self._found = self._detector(image)
        self._image = image
        return self._found

    def without_repeats(self, frames: Iterator[Frame]) -> Iterator[Frame]:
        """Yield the frames, and of a picture that stays some, the last one among them."""
        held: Frame | None = None
        for frame in frames:
            if not self._is_same(frame.image):
                if held:
                    yield held
                self._since = frame.t
                held = None
            # Faults that the decoder has reported since are attached to the next frame that is looked at.
            current = replace(frame, trouble=(*held.trouble, *frame.trouble)) if held else frame
            stays = self._is_same(frame.image) and not frame.cut and frame.t - self._since > SETTLED
            if stays and frame.t - self._seen_at < HOLD - 1e-6:
                held = current
                continue
            held, self._seen_at = None, frame.t
            yield current
        if held:
            self._seen_at = held.t
            yield held

    def _is_same(self, image: Image) -> bool:
        return self._image is not None and np.array_equal(self._image, image)


def _without_false_cuts(happenings: Sequence[Happening]) -> Iterator[Happening]:
    """Yield the happenings without cuts that are only a picture turning dark or bright."""
    changes = [each for each in happenings if each.verb in (DARKEN, OVEREXPOSE)]
    turns = [t for each in changes for t in (each.t_start, each.t_end)]
    for each in happenings:
        if each.verb != CUT or all(abs(each.t_start - t) > TURNS for t in turns):
            yield each


def _missing(clip: Clip, until: float) -> list[str]:
    """Return a note if the pictures end before the clip does; else nothing."""
    if until <= clip.t_start:
        return ["no picture of this stretch could be read"]
    return [f"pictures could be read only up to {until:.1f} s"] if until < clip.t_end - 1.0 else []
