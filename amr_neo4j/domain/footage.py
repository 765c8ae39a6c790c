"""Input of an analyser: frames in order of time, and the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Protocol

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.video import Clip, Video
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


@dataclass(frozen=True)
class Heard:
    """What is said in a stretch of a file, in order.

    speaker_id of a turn is a name, or empty if unknown.

    notes: what was not understood, for the receipt.
    voices: {speaker of a turn: their voice as a unit vector}, of those whom nobody has named, if they are remembered.
    """

    turns: Sequence[SpeakerTurn] = ()
    notes: Sequence[str] = ()
    voices: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])


Hearing = Callable[[float, float], Heard]
"""(from, to) in seconds of a file -> the turns that start between them. Calls go forward in time."""


def silent(start: float, end: float) -> Heard:
    """The Hearing of a file in which nobody speaks."""
    return Heard()


Sound = Callable[[float, float], npt.NDArray[np.float32]]
"""(from, to) in seconds of a file -> its sound: mono, 16 kHz, from -1 to 1, shape (samples,). Short at its end."""


class Listen(Protocol):
    """Takes the path of a video file. Returns what hears it."""

    def __call__(self, path: str, known: object = None) -> Hearing:
        """known: what is known of the voices of the video. The hearing adds to it."""
        ...


KnownVoices = Callable[[Video, Clip], object]
"""(a video, the first clip of it that is heard) -> what is known of the voices of the video, as Listen takes it."""
