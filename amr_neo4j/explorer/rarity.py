# pyright: basic
"""How rare the picture of each second is beside those most like it, and which seconds show the same scene."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Pictures = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.float64]

COMMON_S = 20
"""What is in view for longer than this is common."""
# Of one value of a picture: rounding.
_ROUNDING = 0.5
# Mean difference of a value, of 255, from which on pictures are of different scenes: the score of a cut, 10%.
_OTHER_SCENE = 25.5
# A neighbourhood is this share of all pictures at most: of a short video, few.
_MOST_NEAR = 4


def rarity(pictures: Pictures, near: int = COMMON_S) -> Numbers:
    """Return the local outlier factor of each picture less 1, 0 at least (Breunig et al. 2000); shape (n,).

    pictures: shape (n, ...), small ones, evenly spaced. near: neighbours that a picture is compared with. 0: as much
    alike to its neighbours as they are among themselves, however much moves there: leaves in the wind are common.
    """
    number = len(pictures)
    near = min(near, number // _MOST_NEAR)
    if near < 1:
        return np.zeros(number)
    apart = _distances(pictures)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argpartition(apart, near - 1, axis=1)[:, :near]
    to_nearest = np.take_along_axis(apart, nearest, axis=1)
    reach = np.maximum(to_nearest, to_nearest.max(axis=1)[nearest])
    density = 1.0 / (reach.mean(axis=1) + _ROUNDING * np.sqrt(pictures[0].size))
    return np.maximum(0.0, density[nearest].mean(axis=1) / density - 1.0)


def scenes(pictures: Pictures) -> list[int]:
    """The number of the scene that each picture shows; pictures of one scene need not follow one another."""
    first: list[npt.NDArray[np.float32]] = []
    found: list[int] = []
    for picture in pictures.astype(np.float32):
        apart = [float(np.abs(picture - other).mean()) for other in first]
        if not apart or min(apart) >= _OTHER_SCENE:
            found.append(len(first))
            first.append(picture)
        else:
            found.append(int(np.argmin(apart)))
    return found


def _distances(pictures: Pictures) -> npt.NDArray[np.float32]:
    rows = pictures.reshape(len(pictures), -1).astype(np.float32)
    squares = (rows * rows).sum(axis=1)
    return np.sqrt(np.maximum(0.0, squares[:, None] + squares[None] - 2 * rows @ rows.T))
