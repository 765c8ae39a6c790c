"""Input of an analyser: frames in order of time, and the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.view import Area

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Frame:
    """One picture.

    t: seconds of the file.
    image: shape (height, width, 3), channels blue, green, red; upright.
    cut: whether a new shot starts here.
    trouble: messages of the decoder since the previous frame.
    """

    t: float
    image: Image
    cut: bool = False
    trouble: tuple[str, ...] = ()


def masked(image: Image, areas: Sequence[Area]) -> Image:
    """Return a picture with these areas blacked out; the same picture if there are none."""
    if not areas:
        return image
    image = image.copy()
    high, wide = image.shape[:2]
    for left, top, right, bottom in areas:
        image[int(top * high) : ceil(bottom * high), int(left * wide) : ceil(right * wide)] = 0
    return image


Hearing = Callable[[float, float], Sequence[SpeakerTurn]]
"""(from, to) in seconds -> the speaker turns that start between them. speaker_id is a name, or empty if unknown."""

Listen = Callable[[str], Hearing]
"""Takes the path of a video file. Returns what reads its speech."""
