"""What an analyser sees and hears of a video: frames in time order, and the words that were said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.analysis import SpeakerTurn

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Frame:
    """One picture. t: seconds of the file; image: (height, width, 3), blue, green, red, upright.

    cut: the first picture of a new shot. trouble: what the decoder complained of since the frame before.
    """

    t: float
    image: Image
    cut: bool = False
    trouble: tuple[str, ...] = ()


Hearing = Callable[[float, float], Sequence[SpeakerTurn]]
"""The turns that start from the first second up to the second; speaker_id is the name, empty where unknown."""

Listen = Callable[[str], Hearing]
"""Opens the words of a video file."""
