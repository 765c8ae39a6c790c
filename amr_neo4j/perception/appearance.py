"""What people and things look like: the shares of plain colours in a box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.footage import Image
from amr_neo4j.perception.geometry import Box

COLOURS = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown",
    "beige",
)  # fmt: skip

Look = npt.NDArray[np.float32]
"""Shares of COLOURS in the upper and the lower half of a box, shape (2, 13); zeros for a half that is not seen."""

# {the hue (0 to 180) below which a colour lies: the colour}
_HUES = {
    8: "red", 20: "orange", 33: "yellow", 80: "green", 98: "turquoise", 130: "blue", 150: "purple", 170: "pink",
    181: "red",
}  # fmt: skip
# A table of all hues, because a search per pixel would be slow. OpenCV's hues go from 0 to 180.
_BY_HUE = np.array([COLOURS.index(next(name for limit, name in _HUES.items() if hue < limit)) for hue in range(181)])
_AT = {name: index for index, name in enumerate(COLOURS)}

TOO_SMALL = 40
"""Below this height in pixels, colours are mostly those of the background."""

STANDING = 0.6
"""A box whose width is less than this share of its height shows somebody standing, with legs."""

CERTAIN, APART = 0.5, 2.0
"""A reported colour has at least this share of a thing's pixels, and this many times the share of the next colour."""
MOST_PIXELS = 2_000
_NARROWEST = 12
"""Below this width or height in pixels, the middle of a box is mostly edges."""

# Where clothes show in the box of an upright person: top, bottom, left, right, as shares of the box.
_TORSO, _LEGS = (0.18, 0.46, 0.28, 0.72), (0.55, 0.85, 0.30, 0.70)
# Where a thing shows, and little of what is behind it.
_MIDDLE = (0.25, 0.75, 0.25, 0.75)


def look_of(image: Image, box: Box) -> Look:
    """Return the look of what stands upright in `box`.

    It is zeros for what is too small or wider than high. The lower half is zeros if the edge of the picture cuts off
    the legs, or a close view does not show them.
    """
    # Below STANDING the box is of somebody upright; a wider one (0.6 to 0.9) shows a sitting person, without legs.
    halves = np.zeros((2, len(COLOURS)), np.float32)
    if box.height >= TOO_SMALL and box.width <= 0.9 * box.height:
        halves[0] = colour_shares(_part(image, box, _TORSO))
        if box.bottom < 0.98 * image.shape[0] and box.width < STANDING * box.height:
            halves[1] = colour_shares(_part(image, box, _LEGS))
    return halves


def likeness(a: Look, b: Look) -> float:
    """Return the share of colours, 0 to 1, that two looks have in common, over the halves seen in both."""
    both = (a.sum(axis=1) > 0) & (b.sum(axis=1) > 0)
    # With no half to compare, they are neither alike nor unlike.
    return float(np.minimum(a[both], b[both]).sum() / both.sum()) if both.any() else 0.5


def colour_names(look: Look) -> tuple[str, str]:
    """Return the main colours of the upper and the lower half; empty for a half that was never seen."""
    upper, lower = (COLOURS[int(row.argmax())] if row.sum() > 0 else "" for row in look)
    return upper, lower


def colours_of(image: Image, box: Box) -> npt.NDArray[np.float64]:
    """Return the shares of COLOURS in the middle of a thing's box, shape (13,); zeros if it is too small."""
    if min(box.width, box.height) < _NARROWEST:
        return np.zeros(len(COLOURS))
    pixels = np.reshape(_part(image, box, _MIDDLE), (-1, 3))
    # Every n-th pixel is enough for the shares of colours.
    return colour_shares(np.ascontiguousarray(pixels[:: 1 + len(pixels) // MOST_PIXELS]))


def main_colour(colours: npt.NDArray[np.float64]) -> str:
    """Return the colour of most of a thing; empty if none stands out.

    colours: sums of shares of COLOURS, (13,).

    It is never grey, because whatever is pale, shiny or transparent looks grey.
    """
    second, first = np.sort(colours)[-2:]
    stands_out = first > 0 and first >= CERTAIN * colours.sum() and first >= APART * second
    name = COLOURS[int(colours.argmax())]
    return name if stands_out and name != "grey" else ""


def _part(image: Image, box: Box, part: Sequence[float]) -> Image:
    """Return the pixels of a part of a box.

    part: top, bottom, left and right edge, as shares of the box.
    """
    top, bottom, left, right = part
    rows = slice(round(box.top + top * box.height), round(box.top + bottom * box.height))
    columns = slice(round(box.left + left * box.width), round(box.left + right * box.width))
    return image[rows, columns]


def colour_shares(pixels: Image) -> npt.NDArray[np.float64]:
    """Return the shares of COLOURS, shape (13,); zeros without pixels.

    pixels: shape (..., 3), blue, green, red.
    """
    pixels = np.reshape(pixels, (1, -1, 3))
    if not pixels.size:
        return np.zeros(len(COLOURS))
    converted: Any = cv2.cvtColor(pixels, cv2.COLOR_BGR2HSV)
    hue, saturation, value = converted.reshape(-1, 3).T.astype(np.int32)
    colour = _BY_HUE[hue]
    # The order matters. A dark orange is brown, a pale one beige; then whatever hardly has a colour is grey, white or
    # black.
    colour[(colour == _AT["orange"]) & (value < 150)] = _AT["brown"]
    colour[(colour == _AT["orange"]) & (saturation < 110)] = _AT["beige"]
    colour[saturation < 45] = _AT["grey"]
    colour[(saturation < 40) & (value > 185)] = _AT["white"]
    colour[value < 60] = _AT["black"]
    return np.bincount(colour, minlength=len(COLOURS)) / len(colour)
