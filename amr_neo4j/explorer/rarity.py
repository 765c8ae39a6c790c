# pyright: basic
"""How rare the picture of each second is beside those most like it, which seconds show the same scene, and in what
colours something stands out from it.
"""

from __future__ import annotations

from collections.abc import Sequence

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
# Difference of a point from the usual picture, summed over three colours of 255, below which it does not stand out.
_USUAL = 30.0
_SHADES = 4
"""Of each of the three colours."""


def rarity(pictures: Pictures, near: int = COMMON_S) -> Numbers:
    """Return the local outlier factor of each picture less 1, 0 at least (Breunig et al. 2000); shape (n,).

    pictures: shape (n, ...), small ones, evenly spaced. near: neighbours that a picture is compared with. 0: as much
    alike to its neighbours as they are among themselves, however much moves there: leaves in the wind are common.
    """
    from sklearn.metrics import pairwise_distances  # noqa: PLC0415 (takes a second to load)
    from sklearn.neighbors import LocalOutlierFactor  # noqa: PLC0415

    number = len(pictures)
    near = min(near, number // _MOST_NEAR)
    if near < 1:
        return np.zeros(number)
    apart = pairwise_distances(pictures.reshape(number, -1).astype(np.float32))
    apart += _ROUNDING * np.sqrt(pictures[0].size)
    np.fill_diagonal(apart, 0.0)
    found = LocalOutlierFactor(n_neighbors=near, metric="precomputed").fit(apart)
    return np.maximum(0.0, -found.negative_outlier_factor_ - 1.0)


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


def unusual_colours(pictures: Pictures, shown: Sequence[int]) -> Numbers:
    """Return the colours of what each picture shows beside the usual one of its scene; shape (n, bins).

    By difference, wherever in the picture: a thing has about the same ones wherever it passes. shown: the scene of
    each picture.
    """
    found = np.zeros((len(pictures), _SHADES**3))
    of_scene = np.array(shown)
    for scene in set(shown):
        here = np.flatnonzero(of_scene == scene)
        usual = np.median(pictures[here], axis=0)
        for n in here:
            apart = np.abs(pictures[n] - usual).sum(axis=-1)
            shade = (pictures[n] // (256 // _SHADES)).astype(int)
            bins = (shade[..., 0] * _SHADES + shade[..., 1]) * _SHADES + shade[..., 2]
            found[n] = np.bincount(bins.ravel(), np.where(apart < _USUAL, 0.0, apart).ravel(), _SHADES**3)
    return found
