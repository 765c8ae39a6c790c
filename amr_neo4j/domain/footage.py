"""Input of an analyser: frames in order of time, and the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.analysis import SpeakerTurn

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


Hearing = Callable[[float, float], Sequence[SpeakerTurn]]
"""(from, to) in seconds -> the speaker turns that start between them. speaker_id is a name, or empty if unknown."""

Listen = Callable[[str], Hearing]
"""Takes the path of a video file. Returns what reads its speech."""
