"""Finds the first ranges to look at without a model: where the picture is unusual, and probes over the whole
video.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from statistics import median

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.exploration import Span

# Length of a range, and the seconds at each end of it where an event counts as cut off.
RANGE_S = 10.0
# Smaller gaps come from rounding the ends of ranges.
_LEAST_GAP_S = 0.01
_EDGE_S = 1.0
# A second stands out if it exceeds the median change by this many median deviations, and by this share of it.
_STANDS_OUT, _LEAST = 5.0, 0.03
# How strongly a similar range before it pushes a range back. Similarity is the cosine to the power of _ALIKE. Both
# were chosen on joined films of the half `tune` of benchmarks/explorer_eyes.py, with one to three copies.
_LATER, _ALIKE = 5.0, 4


@dataclass(frozen=True)
class Overview:
    """A video at a glance, second by second.

    interest: how much stands out in each second; 0 for nothing.
    colours: the colours of what stands out, shape (seconds, bins); (0, 0) if they are not known.
    """

    interest: Sequence[float] = ()
    colours: Numbers = field(default_factory=lambda: np.zeros((0, 0)))

    def within(self, span: Span) -> list[float]:
        """Return the interest of each second inside a range, without its edges, where events would be cut off."""
        return list(self.interest[int(span.start_s + _EDGE_S) : math.ceil(span.end_s - _EDGE_S)])

    def look_of(self, span: Span) -> Numbers:
        """Return the colours of a range's interesting seconds, as a vector of length 1; zeros if it has none."""
        first = int(span.start_s + _EDGE_S)
        inside = [first + n for n, interest in enumerate(self.within(span)) if interest > 0]
        found: Numbers = self.colours[[second for second in inside if second < len(self.colours)]].sum(axis=0)
        return found / (np.linalg.norm(found) or 1.0)


def by_pictures(pictures: Pictures, step: float = 1.0) -> Overview:
    """Return where the picture is unlike the rest of its scene, from small pictures `step` seconds apart."""
    rare = rarity(pictures, max(1, round(COMMON_S / step)))
    at = [min(int(second / step), len(pictures) - 1) for second in range(math.ceil(len(pictures) * step))]
    return Overview([float(rare[n]) for n in at], unusual_colours(pictures, scenes(pictures))[at])


def by_sizes(activity: Sequence[float]) -> Overview:
    """Return where the picture changes most. activity: how much changes in each second."""
    # The maximum with both neighbours, because what happens on the border of two seconds is split between them.
    smooth = [max(activity[max(0, second - 1) : second + 2]) for second in range(len(activity))]
    usual = median(smooth) if smooth else 0.0
    # The noise of a camera takes many bytes too, but about as many in each second.
    spread = median(abs(change - usual) for change in smooth) if smooth else 0.0
    least = usual + max(_STANDS_OUT * spread, _LEAST * usual)
    return Overview([change - usual if change > least else 0.0 for change in smooth])


def peaks(overview: Overview, duration_s: float, most: int) -> list[Span]:
    """Return at most `most` ranges of the greatest interest, best first; none if nothing stands out.

    A range is ranked lower if a better one looks like it. No two ranges overlap by more than a quarter.
    """
    inside = {span: overview.within(span) for span in _lattice(duration_s)}
    # If ranges have the same best second, the one with more interest beside that second shows the whole event.
    value = {span: (max(interest, default=0.0), math.fsum(interest)) for span, interest in inside.items()}
    left: list[Span] = [span for span in inside if value[span][0] > 0]
    look = {span: overview.look_of(span) for span in left}
    seen = dict.fromkeys(left, 0.0)
    found: list[Span] = []
    while left and len(found) < most:
        best = max(left, key=lambda span: (value[span][0] / (1 + _LATER * seen[span]), value[span][1]))
        found.append(best)
        left = [span for span in left if span.shared(best) <= RANGE_S / 4]
        for span in left:
            # Cosine to the power of _ALIKE: only ranges that look nearly the same push each other back.
            seen[span] += float(look[span] @ look[best]) ** _ALIKE
    return found


def _lattice(duration_s: float) -> list[Span]:
    """Return ranges of RANGE_S seconds, one every half of that, and the last of the video.

    Every question gets the same ranges, so that the segments that were cut for one serve the next.
    """
    steps = int(max(0.0, duration_s - RANGE_S) / (RANGE_S / 2))
    starts = [*(n * RANGE_S / 2 for n in range(steps + 1)), max(0.0, duration_s - RANGE_S)]
    return [Span(at, min(at + RANGE_S, duration_s)) for at in dict.fromkeys(round(each, 3) for each in starts)]


def probes(duration_s: float, most: int, beside: Sequence[Span] = ()) -> list[Span]:
    """Return ranges spread over the whole video: coarse first, then finer, each in a gap that the others leave.

    The last ones fill the remaining gaps, also at both ends, so that enough probes cover the whole video.
    beside: ranges that are looked at anyway.
    """
    found: list[Span] = []
    # Eight tries per probe: most fall on ranges that are taken. The gaps that remain are filled below.
    for _, place in zip(range(most * 8), _spread(), strict=False):
        middle = round(place * duration_s / RANGE_S * 2) * RANGE_S / 2
        span = around(middle, duration_s)
        if len(found) < most and all(span.shared(other) <= RANGE_S / 4 for other in [*beside, *found]):
            found.append(span)
    while len(found) < most and (gap := _largest_gap([*beside, *found], duration_s)):
        found.append(around((gap.start_s + gap.end_s) / 2, duration_s))
    return found


def _largest_gap(spans: Sequence[Span], duration_s: float) -> Span | None:
    """Return the longest stretch that no range covers; None if they cover everything."""
    gaps, reached = list[tuple[float, float]](), 0.0
    for span in sorted(spans, key=lambda each: each.start_s):
        gaps.append((reached, span.start_s))
        reached = max(reached, span.end_s)
    start, end = max([*gaps, (reached, duration_s)], key=lambda gap: gap[1] - gap[0])
    return Span(start, end) if end - start > _LEAST_GAP_S else None


def around(second: float, duration_s: float) -> Span:
    """Return the range of RANGE_S around a second, moved into the video."""
    start = min(max(0.0, second - RANGE_S / 2), max(0.0, duration_s - RANGE_S))
    return Span(round(start, 3), round(min(start + RANGE_S, duration_s), 3))


def _spread() -> Iterator[float]:
    """Yield 1/2, 1/4, 3/4, 1/8, 5/8 ... (the van der Corput sequence)."""
    number = 0
    while True:
        number += 1
        place, base, rest = 0.0, 0.5, number
        while rest:
            place, base, rest = place + base * (rest % 2), base / 2, rest // 2
        yield place


Pictures = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.float64]

COMMON_S = 20
"""What is in view for longer than this many seconds is common."""
# The error of a picture's value that rounding causes.
_ROUNDING = 0.5
# Pictures whose values differ by this much on average (of 255) show different scenes: 10%, the score of a cut.
_OTHER_SCENE = 25.5
# A neighbourhood has at most one in this many of all pictures, so a short video has small ones.
_MOST_NEAR = 4
# A point stands out if it differs from the usual picture by this much, summed over its three colours (of 255 each).
_USUAL = 30.0
_SHADES = 4
"""How many shades of each of the three colours are told apart."""


def rarity(pictures: Pictures, near: int = COMMON_S) -> Numbers:
    """Return how rare each picture is, shape (n,): its local outlier factor less 1, from 0 (Breunig et al. 2000).

    0 means that a picture resembles its neighbours as much as they resemble one another, however much moves there:
    leaves in the wind are common.
    pictures: shape (n, ...), small and evenly spaced.
    near: how many neighbours a picture is compared with.
    """
    # scikit-learn takes a second to load, and is untyped.
    metrics, neighbors = import_module("sklearn.metrics"), import_module("sklearn.neighbors")
    number = len(pictures)
    near = min(near, number // _MOST_NEAR)
    if near < 1:
        return np.zeros(number)
    apart = metrics.pairwise_distances(np.reshape(pictures, (number, -1)).astype(np.float32))
    # Rounding alone makes equal pictures differ a little. Without this, the ratio of two tiny distances would look
    # rare.
    apart += _ROUNDING * np.sqrt(pictures[0].size)
    np.fill_diagonal(apart, 0.0)
    found = neighbors.LocalOutlierFactor(n_neighbors=near, metric="precomputed").fit(apart)
    return np.maximum(0.0, -found.negative_outlier_factor_ - 1.0)


def scenes(pictures: Pictures) -> list[int]:
    """Return the number of the scene that each picture shows. A scene may come back later."""
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
    """Return the colours of what each picture shows beyond the usual picture of its scene, shape (n, bins).

    They are counted over the whole picture, since a thing has about the same colours wherever it passes.
    shown: the scene of each picture.
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
