"""Appearance: the shares of plain colours in the halves of a box."""

from __future__ import annotations

from collections.abc import Sequence

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
"""(2, 13): shares of COLOURS in the upper and the lower half; zeros for a half that is not seen."""

# hue (0 to 180) up to which a colour goes
_HUES = {
    8: "red", 20: "orange", 33: "yellow", 80: "green", 98: "turquoise", 130: "blue", 150: "purple", 170: "pink",
    181: "red",
}  # fmt: skip
_BY_HUE = np.array([COLOURS.index(next(name for limit, name in _HUES.items() if hue < limit)) for hue in range(181)])
_AT = {name: index for index, name in enumerate(COLOURS)}

TOO_SMALL = 40
"""Pixels of height below which colours are mostly those of the background."""

STANDING = 0.6
"""Width by height of a box below which it shows somebody standing, with legs."""

CERTAIN, APART = 0.5, 2.0
"""The share of a thing's pixels that a reported colour has at least, and how many times that of the next."""
MOST_PIXELS = 2_000
_NARROWEST = 12
"""Pixels of width or height below which the middle of a box is mostly edges."""

# where clothes show in the box of an upright person: top, bottom, left, right, as shares of the box
_TORSO, _LEGS = (0.18, 0.46, 0.28, 0.72), (0.55, 0.85, 0.30, 0.70)
# and a thing, and little of what is behind it
_MIDDLE = (0.25, 0.75, 0.25, 0.75)


def look_of(image: Image, box: Box) -> Look:
    """The look of what stands upright in `box`, half by half.

    Zeros for what is too small or lies across, and for legs that the lower edge of the picture cuts off or that a
    close view does not show.
    """
    halves = np.zeros((2, len(COLOURS)), np.float32)
    if box.height >= TOO_SMALL and box.width <= 0.9 * box.height:
        halves[0] = colour_shares(_part(image, box, _TORSO))
        if box.bottom < 0.98 * image.shape[0] and box.width < STANDING * box.height:
            halves[1] = colour_shares(_part(image, box, _LEGS))
    return halves


def likeness(a: Look, b: Look) -> float:
    """The share of colours that two looks have in common, over the halves seen in both; 0 to 1."""
    both = (a.sum(axis=1) > 0) & (b.sum(axis=1) > 0)
    return float(np.minimum(a[both], b[both]).sum() / both.sum()) if both.any() else 0.5


def colour_names(look: Look) -> tuple[str, str]:
    """The main colour of the upper and of the lower half; empty for a half never seen."""
    upper, lower = (COLOURS[int(row.argmax())] if row.sum() > 0 else "" for row in look)
    return upper, lower


def colours_of(image: Image, box: Box) -> npt.NDArray[np.float64]:
    """Shares of COLOURS in the middle of a thing's box, shape (13,); zeros for what is too small."""
    if min(box.width, box.height) < _NARROWEST:
        return np.zeros(len(COLOURS))
    pixels = _part(image, box, _MIDDLE).reshape(-1, 3)
    return colour_shares(np.ascontiguousarray(pixels[:: 1 + len(pixels) // MOST_PIXELS]))


def main_colour(colours: npt.NDArray[np.float64]) -> str:
    """The colour of most of a thing, from sums of shares of COLOURS (13,); empty where none stands out.

    Never grey: what is pale, shines or is transparent looks grey, whatever its colour.
    """
    second, first = np.sort(colours)[-2:]
    stands_out = first > 0 and first >= CERTAIN * colours.sum() and first >= APART * second
    name = COLOURS[int(colours.argmax())]
    return name if stands_out and name != "grey" else ""


def _part(image: Image, box: Box, part: Sequence[float]) -> Image:
    top, bottom, left, right = part
    rows = slice(round(box.top + top * box.height), round(box.top + bottom * box.height))
    columns = slice(round(box.left + left * box.width), round(box.left + right * box.width))
    return image[rows, columns]


def colour_shares(pixels: Image) -> npt.NDArray[np.float64]:
    """Shares of COLOURS, shape (13,), zeros for no pixels. pixels: (..., 3), blue, green, red."""
    pixels = pixels.reshape(1, -1, 3)
    if not pixels.size:
        return np.zeros(len(COLOURS))
    hue, saturation, value = cv2.cvtColor(pixels, cv2.COLOR_BGR2HSV).reshape(-1, 3).T.astype(np.int32)
    colour = _BY_HUE[hue]
    colour[(colour == _AT["orange"]) & (value < 150)] = _AT["brown"]
    colour[(colour == _AT["orange"]) & (saturation < 110)] = _AT["beige"]
    colour[saturation < 45] = _AT["grey"]
    colour[(saturation < 40) & (value > 185)] = _AT["white"]
    colour[value < 60] = _AT["black"]
    return np.bincount(colour, minlength=len(COLOURS)) / len(colour)
