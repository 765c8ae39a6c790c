"""A film drawn by the test, and a detector that knows what was drawn: no ffmpeg, no model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from amr_neo4j.domain.analysis import AnalysedEvent, SpeakerTurn
from amr_neo4j.domain.footage import Frame, Heard, Image
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.perception.detector import Detection
from amr_neo4j.perception.geometry import Box
from amr_neo4j.perception.local import LocalAnalyser

WIDTH, HEIGHT = 640, 360
COLOURS = {
    "red": (30, 30, 220), "blue": (220, 60, 20), "green": (40, 180, 40), "black": (15, 15, 15),
    "skin": (120, 160, 215), "white": (250, 250, 250),
}  # fmt: skip

Course = Callable[[float], Box | None]
VIDEO = Video("tests", "film", uri="film.mp4", fingerprint="f00d", duration_s=60.0)


def wall() -> Image:
    blocks = np.random.default_rng(7).integers(150, 220, (HEIGHT // 20, WIDTH // 20, 1), np.uint8)
    return np.repeat(np.kron(blocks, np.ones((20, 20, 1), np.uint8)), 3, axis=2)


@dataclass
class Actor:
    """What is drawn and detected. course: where it is at t, None: nowhere. seen: whether it is detected."""

    label: str
    course: Course
    upper: str = "red"
    lower: str = "blue"
    score: float = 0.9
    seen: Callable[[float], bool] = lambda _t: True


@dataclass
class Film:
    """Actors before a textured wall, later ones over earlier ones. slide: the camera's way in pixels at t."""

    actors: Sequence[Actor]
    length: float = 10.0
    cuts: Sequence[float] = ()
    slide: Callable[[float], int] = lambda _t: 0
    now: float = -1.0
    name: str = "scripted"
    note: str = ""
    wall: Image = field(default_factory=wall)

    def frames(self, path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        """The film from `start` on, drawn as it is asked for; `now` is the second shown last."""
        for number in range(round((self.length - start) * fps)):
            self.now = start + number / fps
            yield Frame(self.now, self.draw(self.now), any(abs(self.now - cut) < 0.5 / fps for cut in self.cuts))

    def draw(self, t: float) -> Image:
        picture = np.roll(self.wall, self.slide(t), axis=1).copy()
        # No two pictures are quite the same, as with any camera: the detector is not asked twice about the same one.
        picture[0, 0] = round(t * 10) % 256
        for actor in self.actors:
            if box := actor.course(t):
                left, top, right, bottom = (max(0, round(edge)) for edge in box)
                middle = round((box.top + box.bottom) / 2)
                picture[top:middle, left:right] = COLOURS[actor.upper]
                picture[max(0, middle) : bottom, left:right] = COLOURS[actor.lower]
        return picture

    def __call__(self, image: Image) -> list[Detection]:
        """The detections of the frame shown last, without those hardly in the picture."""
        found = [(actor, actor.course(self.now)) for actor in self.actors if actor.seen(self.now)]
        clipped = [(actor, _clipped(box), box) for actor, box in found if box]
        return [
            Detection(actor.label, actor.score, box) for actor, box, whole in clipped if box.area > 0.3 * whole.area
        ]


def watch(
    film: Film, *, clips: Iterable[Clip] | None = None, said: Sequence[SpeakerTurn] = (), fps: float = 5.0
) -> list[AnalysedClip]:
    """The film analysed, by default in clips of ten seconds."""

    def hear(start: float, end: float) -> Heard:
        return Heard([turn for turn in said if start <= turn.time_start < end])

    analyser = LocalAnalyser(film, film.frames, lambda _path, _known=None: hear, language=ENGLISH, fps=fps)
    return list(analyser.watch(VIDEO, clips if clips is not None else clips_of(film.length)))


def clips_of(length: float) -> list[Clip]:
    """Clips of ten seconds, the last one short."""
    return [Clip(f"{start}", start, min(start + 10.0, length)) for start in np.arange(0.0, length, 10.0).tolist()]


def events(film: Film) -> list[AnalysedEvent]:
    """All events of a film."""
    return [event for clip in watch(film) for event in clip.analysis.events]


def verbs(film: Film) -> list[str]:
    """The verbs of all its actions, in order."""
    return [action.verb for event in events(film) for action in event.actions]


def at(x: float, y: float, width: float = 60, height: float = 180) -> Box:
    """A box standing at (x, y): the middle of its foot."""
    return Box(x - width / 2, y - height, x + width / 2, y)


def walking(start: float, x: float, speed: float, until: float = 1e9, y: float = 330) -> Course:
    """From `x` at `start` at `speed` pixels a second, standing from `until` on; gone once out of the picture."""

    def course(t: float) -> Box | None:
        box = at(x + speed * (min(t, until) - start), y)
        return box if t >= start and box.right > -20 and box.left < WIDTH + 20 else None

    return course


def resting(x: float, y: float, *stretches: tuple[float, float], width: float = 30, height: float = 60) -> Course:
    """At one place during some stretches of time, by default always."""
    spans = stretches or ((-1.0, 1e9),)
    return lambda t: at(x, y, width, height) if any(start <= t < end for start, end in spans) else None


def _clipped(box: Box) -> Box:
    return Box(max(0.0, box.left), max(0.0, box.top), min(WIDTH, box.right), min(HEIGHT, box.bottom))
