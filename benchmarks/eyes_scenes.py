# pyright: basic
"""Scenes that benchmarks/eyes.py draws: things from above, conveyors, dark, shaking and over-exposed pictures, cuts.

Their labels are in eyes_labels.yaml. Photographs come from a folder with the samples of the Debian package
opencv-doc; a scene whose photograph is missing is left out.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

WIDTH, HEIGHT, FPS = 640, 360, 15
Picture = Any
Course = Callable[[float], tuple[float, float] | None]
RED, GREEN, BLUE, YELLOW = (40, 40, 205), (60, 160, 50), (190, 90, 30), (40, 205, 225)
WHITE, DARK, ORANGE = (235, 235, 235), (35, 35, 35), (30, 120, 235)


class Missing(Exception):
    """A photograph that a scene is made of is not there."""


@dataclass
class Sprite:
    """A picture with a mask (0 or 1) and the course of its centre."""

    picture: Picture
    mask: Picture
    course: Course


def line(start: float, stop: float, begin: tuple[float, float], end: tuple[float, float]) -> Course:
    """From `begin` at `start` (s) to `end` at `stop`; nowhere before and after."""

    def at(t: float) -> tuple[float, float] | None:
        if not start <= t <= stop:
            return None
        share = (t - start) / (stop - start)
        return begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])

    return at


def path(*points: tuple[float, float, float]) -> Course:
    """Through (t, x, y) in turn; nowhere before the first and after the last."""

    def at(t: float) -> tuple[float, float] | None:
        if not points[0][0] <= t <= points[-1][0]:
            return None
        times = [point[0] for point in points]
        return (
            float(np.interp(t, times, [point[1] for point in points])),
            float(np.interp(t, times, [point[2] for point in points])),
        )

    return at


def from_left(start: float, stop: float, y: float) -> Course:
    return line(start, stop, (-80, y), (WIDTH + 80, y))


def from_right(start: float, stop: float, y: float) -> Course:
    return line(start, stop, (WIDTH + 80, y), (-80, y))


# sprites


def block(width: int, height: int, colour: tuple[int, int, int], course: Course) -> Sprite:
    picture = np.full((height, width, 3), colour, np.uint8)
    picture[: height // 6] = np.clip(np.array(colour) * 0.7, 0, 255)
    return Sprite(picture, np.ones((height, width), np.uint8), course)


def car(colour: tuple[int, int, int], course: Course, scale: float = 1.0, *, upright: bool = False) -> Sprite:
    """A car as seen from above: a roof, two windows, four wheels."""
    length, width = round(78 * scale), round(36 * scale)
    picture: Picture = np.full((width, length, 3), colour, np.uint8)
    mask: Picture = np.zeros((width, length), np.uint8)
    cv2.rectangle(mask, (2, 1), (length - 3, width - 2), 1, -1)
    for x in (0.22, 0.68):
        left = round(x * length)
        cv2.rectangle(picture, (left, 4), (left + round(0.1 * length), width - 5), (60, 50, 45), -1)
    if upright:
        picture, mask = np.rot90(picture).copy(), np.rot90(mask).copy()
    return Sprite(picture, mask, course)


def ball(radius: int, colour: tuple[int, int, int], course: Course) -> Sprite:
    size = 2 * radius + 1
    mask: Picture
    picture, mask = np.full((size, size, 3), colour, np.uint8), np.zeros((size, size), np.uint8)
    cv2.circle(mask, (radius, radius), radius, 1, -1)
    cv2.circle(picture, (radius - radius // 3, radius - radius // 3), radius // 4, (240, 240, 240), -1)
    return Sprite(picture, mask, course)


def triangle(size: int, colour: tuple[int, int, int], course: Course) -> Sprite:
    picture, mask = np.full((size, size, 3), colour, np.uint8), np.zeros((size, size), np.uint8)
    cv2.fillConvexPoly(mask, np.array([[size // 2, 0], [size - 1, size - 1], [0, size - 1]]), 1)
    return Sprite(picture, mask, course)


def flask(colour: tuple[int, int, int], course: Course) -> Sprite:
    picture, mask = np.full((100, 40, 3), colour, np.uint8), np.zeros((100, 40), np.uint8)
    cv2.rectangle(mask, (14, 0), (26, 35), 1, -1)
    cv2.rectangle(mask, (2, 35), (38, 99), 1, -1)
    picture[50:75, 4:36] = (225, 225, 225)
    return Sprite(picture, mask, course)


def photograph(photos: Path, name: str, height: int, course: Course, *, oval: bool) -> Sprite:
    picture = fitted(photo(photos, name), height)
    mask: Picture = np.zeros(picture.shape[:2], np.uint8)
    if oval:
        rows, columns = mask.shape
        cv2.ellipse(mask, (columns // 2, rows // 2), (round(columns * 0.44), round(rows * 0.44)), 0, 0, 360, 1, -1)
    else:
        mask[:] = 1
    return Sprite(picture, mask, course)


def footballer(photos: Path, height: int, course: Course) -> Sprite:
    """A person cut out of a photograph."""
    whole = photo(photos, "messi5.jpg")
    mask = np.zeros(whole.shape[:2], np.uint8)
    cv2.setRNGSeed(1)
    cv2.grabCut(whole, mask, (110, 35, 250, 280), np.zeros((1, 65)), np.zeros((1, 65)), 4, cv2.GC_INIT_WITH_RECT)
    inside = ((mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(inside)
    largest = (labels == 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    x, y, w, h = cv2.boundingRect(largest)
    cut, inside = whole[y : y + h, x : x + w], largest[y : y + h, x : x + w]
    size = (round(w * height / h), height)
    return Sprite(cv2.resize(cut, size), cv2.resize(inside, size, interpolation=cv2.INTER_NEAREST), course)


def photo(photos: Path, name: str) -> Picture:
    picture = cv2.imread(str(photos / name))
    if picture is None:
        raise Missing(name)
    return picture


def fitted(picture: Picture, height: int) -> Picture:
    return cv2.resize(picture, (round(picture.shape[1] * height / picture.shape[0]), height), interpolation=3)


# backgrounds


def ground(colour: tuple[int, int, int], seed: int) -> Picture:
    """A plain ground with grain and a few marks."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 14, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 1.2)
    picture = np.clip(np.array(colour) + grain[..., None], 0, 255).astype(np.uint8)
    for _ in range(25):
        x, y = int(rng.integers(WIDTH)), int(rng.integers(HEIGHT))
        shade = int(rng.integers(-30, 30))
        cv2.circle(picture, (x, y), int(rng.integers(2, 9)), [max(0, c + shade) for c in colour], -1)
    return picture


def view(photos: Path, name: str, wide: int = WIDTH) -> Picture:
    """A photograph that fills the picture. wide: its width in pixels, if the camera moves over it."""
    picture = photo(photos, name)
    scale = max(wide / picture.shape[1], HEIGHT / picture.shape[0])
    scaled = cv2.resize(picture, None, fx=scale, fy=scale)
    top = (scaled.shape[0] - HEIGHT) // 2
    return scaled[top : top + HEIGHT, :wide]


def road() -> Picture:
    picture = ground((110, 110, 110), 4)
    for x in range(0, WIDTH, 60):
        cv2.rectangle(picture, (x, 158), (x + 30, 162), (215, 215, 215), -1)
    picture[:60], picture[-80:] = ground((70, 120, 80), 5)[:60], ground((70, 120, 80), 6)[-80:]
    return picture


def belt(seed: int) -> Picture:
    picture = ground((165, 165, 160), seed)
    picture[150:300] = ground((62, 60, 60), seed + 1)[150:300]
    return picture


# scenes

Draw = Callable[[float], Picture]


def still(background: Picture, sprites: Sequence[Sprite] = ()) -> Draw:
    def draw(t: float) -> Picture:
        picture = background.copy()
        for sprite in sprites:
            if place := sprite.course(t):
                paste(picture, sprite, place)
        return picture

    return draw


def paste(picture: Picture, sprite: Sprite, place: tuple[float, float]) -> None:
    height, width = sprite.mask.shape
    left, top = round(place[0] - width / 2), round(place[1] - height / 2)
    x0, y0, x1, y1 = max(0, left), max(0, top), min(WIDTH, left + width), min(HEIGHT, top + height)
    if x0 < x1 and y0 < y1:
        part = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
        inside = sprite.mask[part][..., None].astype(bool)
        picture[y0:y1, x0:x1] = np.where(inside, sprite.picture[part], picture[y0:y1, x0:x1])


def graded(draw: Draw, start: float, stop: float, gain: float, lift: float) -> Draw:
    """Darker or brighter between `start` and `stop`, over half a second each."""

    def graded_at(t: float) -> Picture:
        share = float(np.clip(min((t - start) / 0.5, (stop - t) / 0.5), 0, 1))
        factor, add = 1 + share * (gain - 1), share * lift
        return np.clip(draw(t).astype(np.float32) * factor + add, 0, 255).astype(np.uint8)

    return graded_at


def above_cars(photos: Path) -> Draw:
    return still(road(), [
        car(RED, from_left(2, 6, 120)), car(WHITE, from_right(8, 12, 200)), car(DARK, from_left(13, 16, 120)),
        car(BLUE, line(17, 21, (420, -60), (420, HEIGHT + 60)), upright=True),
    ])  # fmt: skip


def conveyor_drawn(photos: Path) -> Draw:
    return still(belt(11), [
        ball(30, RED, from_left(1, 8, 225)), block(70, 60, GREEN, from_left(5, 12, 225)),
        flask(BLUE, from_left(9, 16, 215)), triangle(70, YELLOW, from_left(13, 20, 225)),
    ])  # fmt: skip


def dark(photos: Path) -> Draw:
    return graded(still(view(photos, "building.jpg"), [block(70, 90, RED, from_left(17, 21, 290))]), 6, 14, 0.03, 0)


def shaking(photos: Path) -> Draw:
    whole = cv2.resize(view(photos, "leuvenA.jpg"), (WIDTH + 60, HEIGHT + 40))
    rng = np.random.default_rng(8)
    jolts = rng.integers(-18, 19, (400, 2))
    thing = block(80, 80, BLUE, from_left(14, 17, 280))

    def draw(t: float) -> Picture:
        dx, dy = jolts[int(t * FPS)] if 5 <= t < 11 else (0, 0)
        left, top = 30 + int(dx), 20 + int(dy)
        return still(whole[top : top + HEIGHT, left : left + WIDTH].copy(), [thing])(t)

    return draw


def alike(photos: Path) -> Draw:
    def course(enter: float, x: float, leave: float) -> Course:
        return path((enter, -60, 250), (enter + 2.5, x, 250), (leave, x, 250), (leave + 3, WIDTH + 80, 250))

    people = [footballer(photos, 190, course(2 + 2 * n, 440 - 130 * n, 15 + 2 * n)) for n in range(3)]
    return still(view(photos, "leuvenB.jpg"), people)


def cut_and_box(photos: Path) -> Draw:
    first = still(view(photos, "leuvenA.jpg"))
    second = still(view(photos, "building.jpg"), [block(60, 60, GREEN, from_right(10, 13, 300))])
    return lambda t: (first if t < 7.5 else second)(t)


def above_yard(photos: Path) -> Draw:
    return still(view(photos, "aero1.jpg"), [
        car(DARK, line(3, 10, (200, -30), (260, HEIGHT + 30)), 0.5, upright=True),
        block(120, 46, WHITE, from_right(12, 18, 240)),
        car(ORANGE, from_left(20, 25, 120), 0.6), car(ORANGE, from_left(20.6, 25.6, 150), 0.6),
    ])  # fmt: skip


def conveyor_photo(photos: Path) -> Draw:
    """The belt's own slats move too."""
    things = [
        photograph(photos, "apple.jpg", 110, from_right(2, 9, 225), oval=True),
        photograph(photos, "orange.jpg", 110, from_right(8, 15, 225), oval=True),
        photograph(photos, "box.png", 90, from_right(14, 21, 225), oval=False),
        photograph(photos, "fruits.jpg", 120, from_right(20, 27, 225), oval=False),
    ]
    background = belt(21)

    def draw(t: float) -> Picture:
        picture = background.copy()
        offset = round(t * 114) % 40
        for x in range(-offset, WIDTH, 40):
            cv2.line(picture, (x, 152), (x, 298), (48, 46, 46), 2)
        return still(picture, things)(t)

    return draw


def overexposed(photos: Path) -> Draw:
    return graded(still(view(photos, "leuvenB.jpg"), [ball(35, RED, from_left(15, 18, 300))]), 7, 13, 1.5, 190)


def pan(photos: Path) -> Draw:
    whole = view(photos, "building.jpg", 1000)

    def draw(t: float) -> Picture:
        left = round(float(np.interp(t, [6, 12], [0, whole.shape[1] - WIDTH])))
        return whole[:, left : left + WIDTH]

    return draw


def empty(photos: Path) -> Draw:
    room = view(photos, "right.jpg")
    rng = np.random.default_rng(30)

    def draw(t: float) -> Picture:
        light = 3 * np.sin(2 * np.pi * t / 7)
        return np.clip(room + rng.normal(light, 3, room.shape), 0, 255).astype(np.uint8)

    return draw


def three_views(photos: Path) -> Draw:
    views = [still(view(photos, name)) for name in ("home.jpg", "right.jpg", "aloeL.jpg")]
    return lambda t: views[0 if t < 5 else 1 if t < 10 else 2](t)


SCENES: dict[str, tuple[Callable[[Path], Draw], float]] = {
    "above_cars": (above_cars, 24), "conveyor_drawn": (conveyor_drawn, 22), "dark": (dark, 24),
    "shaking": (shaking, 20), "alike": (alike, 24), "cut_and_box": (cut_and_box, 15),
    "above_yard": (above_yard, 28), "conveyor_photo": (conveyor_photo, 29), "overexposed": (overexposed, 20),
    "pan": (pan, 18), "empty": (empty, 30), "three_views": (three_views, 16),
}  # fmt: skip
"""Drawing and length (s)."""


def make(name: str, photos: Path, target: Path) -> Path:
    """Draw a scene into a film. Raises Missing: a photograph it needs is not in `photos`."""
    begin, seconds = SCENES[name]
    draw = begin(photos)
    size = f"{WIDTH}x{HEIGHT}"
    source = ["-f", "rawvideo", "-pix_fmt", "bgr24", "-s", size, "-r", str(FPS), "-i", "-"]
    coded = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "21", "-pix_fmt", "yuv420p"]
    with subprocess.Popen(["ffmpeg", "-v", "error", *source, *coded, "-y", target], stdin=subprocess.PIPE) as process:
        assert process.stdin
        for number in range(round(seconds * FPS)):
            process.stdin.write(np.ascontiguousarray(draw(number / FPS)).tobytes())
        process.stdin.close()
    return target
