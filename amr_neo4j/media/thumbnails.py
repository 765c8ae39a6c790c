# pyright: basic
"""Small pictures of a whole video, evenly spaced: what the explorer's overview compares."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

from amr_neo4j.media.frames import frames

WIDTH = 32
_MOST = 3600


def thumbnails(path: Path | str, seconds: float) -> tuple[npt.NDArray[np.uint8], float]:
    """Return pictures of 32 pixels' width, shape (n, height, 32, 3), and the seconds from each to the next.

    That is 1 s, and more for videos of over an hour. All frames are decoded. seconds: length of the video.
    Raises NoSuchFile, ToolError; InputError: nothing can be decoded.
    """
    step = max(1.0, seconds / _MOST)
    with closing(frames(path, fps=1 / step, width=WIDTH)) as found:
        return np.array([each.image for each in found], dtype=np.uint8), step
