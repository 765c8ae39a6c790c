"""A real video in which a figure walks through once, and a detector that finds what is red."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from amr_neo4j.domain.footage import Image, silent
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.media.frames import frames
from amr_neo4j.perception.detector import Detection
from amr_neo4j.perception.geometry import Box
from amr_neo4j.perception.local import LocalAnalyser
from tests.support import films

SECONDS = 120.0
COMES, GOES = 83.0, 88.0
"""The seconds at which the figure enters on the left and has left on the right."""


def film(path: Path, colour: str = "red") -> Path:
    """A grey wall for two minutes; the figure is in the picture for five seconds. The detector finds red only."""
    wall = films.source(f"color=c=gray:s=320x180:r=10:d={SECONDS}")
    figure = films.source(f"color=c={colour}:s=40x120:r=10:d={SECONDS}")
    speed = (320 + 40) / (GOES - COMES)
    course = f"x='-40+{speed}*(t-{COMES})':y=50:enable='between(t,{COMES},{GOES})'"
    return films.make(path, *wall, *figure, "-filter_complex", f"[0][1]overlay={course}", "-c:v", "libx264")


class RedFinder:
    """A detector: whatever is red is a person."""

    name, note = "red-finder", ""

    def __call__(self, image: Image) -> list[Detection]:
        blue, green, red = (image[..., channel].astype(int) for channel in range(3))
        rows, columns = np.nonzero((red > 150) & (blue < 90) & (green < 90))
        if len(rows) < 200:
            return []
        box = Box(*map(float, (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)))
        return [Detection("person", 0.95, box)]


def analyser() -> LocalAnalyser:
    return LocalAnalyser(RedFinder(), frames, lambda path, known=None: silent, language=ENGLISH)
