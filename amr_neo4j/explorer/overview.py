"""The first ranges of an exploration without a model: where the picture is unusual, and probes over the whole."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from amr_neo4j.domain.exploration import Span
from amr_neo4j.explorer.rarity import COMMON_S, Numbers, Pictures, rarity, scenes, unusual_colours

CLIP_S = 10.0
_LEAST_GAP_S = 0.01
_EDGE_S = 1.0
# A second stands out by so many median deviations from the median change, and by this share of it at least.
_STANDS_OUT, _LEAST = 5.0, 0.03
# How much later a range comes for each one before it that is alike, and how alike counts: the cosine to this power.
# Chosen on joined films of the half `tune` of benchmarks/explorer_eyes.py, with one to three copies.
_LATER, _ALIKE = 5.0, 4


@dataclass(frozen=True)
class Overview:
    """A video at a glance, by second. interest: 0 where nothing stands out.

    colours: of what stands out, shape (seconds, bins); (0, 0) where they are not known.
    """

    interest: Sequence[float] = ()
    colours: Numbers = field(default_factory=lambda: np.zeros((0, 0)))

    def within(self, span: Span) -> list[float]:
        """The interest of each second inside of a range; what lies at its edges is cut off by it."""
        return list(self.interest[int(span.start_s + _EDGE_S) : math.ceil(span.end_s - _EDGE_S)])

    def look_of(self, span: Span) -> Numbers:
        """The colours of its interesting seconds, of length 1; zeros where there are none."""
        first = int(span.start_s + _EDGE_S)
        inside = [first + n for n, interest in enumerate(self.within(span)) if interest > 0]
        found: Numbers = self.colours[[second for second in inside if second < len(self.colours)]].sum(axis=0)
        return found / (np.linalg.norm(found) or 1.0)


def by_pictures(pictures: Pictures, step: float = 1.0) -> Overview:
    """What looks unlike what is usual in its scene, by small pictures, `step` seconds apart."""
    rare = rarity(pictures, max(1, round(COMMON_S / step)))
    at = [min(int(second / step), len(pictures) - 1) for second in range(math.ceil(len(pictures) * step))]
    return Overview([float(rare[n]) for n in at], unusual_colours(pictures, scenes(pictures))[at])


def by_sizes(activity: Sequence[float]) -> Overview:
    """Where the picture changes most. activity: how much changes in each second."""
    smooth = [max(activity[max(0, second - 1) : second + 2]) for second in range(len(activity))]
    usual = median(smooth) if smooth else 0.0
    # Noise of the camera takes many bytes too, but about as many in each second.
    spread = median(abs(change - usual) for change in smooth) if smooth else 0.0
    least = usual + max(_STANDS_OUT * spread, _LEAST * usual)
    return Overview([change - usual if change > least else 0.0 for change in smooth])


def peaks(overview: Overview, duration_s: float, most: int) -> list[Span]:
    """Ranges of the greatest interest, best first; the more the ones before it look alike, the later a range comes.

    No two share more than a quarter. Empty where nothing stands out.
    """
    inside = {span: overview.within(span) for span in _lattice(duration_s)}
    # Of ranges with the same best second, the one that holds more beside it sees what happens there as a whole.
    value = {span: (max(interest, default=0.0), math.fsum(interest)) for span, interest in inside.items()}
    left: list[Span] = [span for span in inside if value[span][0] > 0]
    look = {span: overview.look_of(span) for span in left}
    seen = dict.fromkeys(left, 0.0)
    found: list[Span] = []
    while left and len(found) < most:
        best = max(left, key=lambda span: (value[span][0] / (1 + _LATER * seen[span]), value[span][1]))
        found.append(best)
        left = [span for span in left if span.shared(best) <= CLIP_S / 4]
        for span in left:
            seen[span] += float(look[span] @ look[best]) ** _ALIKE
    return found


def _lattice(duration_s: float) -> list[Span]:
    """Ranges of CLIP_S that begin every half of it, and the last one of the video. So questions share segments."""
    steps = int(max(0.0, duration_s - CLIP_S) / (CLIP_S / 2))
    starts = [*(n * CLIP_S / 2 for n in range(steps + 1)), max(0.0, duration_s - CLIP_S)]
    return [Span(at, min(at + CLIP_S, duration_s)) for at in dict.fromkeys(round(each, 3) for each in starts)]


def probes(duration_s: float, most: int, clip_s: float = CLIP_S, beside: Sequence[Span] = ()) -> list[Span]:
    """Ranges spread over the whole, each one in the largest gap that those before it leave: coarse, then finer.

    The last ones cover what is left between them and at both ends, so that enough of them are the whole video.
    beside: ranges that are looked at too.
    """
    found: list[Span] = []
    for _, place in zip(range(most * 8), _spread(), strict=False):
        middle = round(place * duration_s / clip_s * 2) * clip_s / 2
        span = around(middle, duration_s, clip_s)
        if len(found) < most and all(span.shared(other) <= clip_s / 4 for other in [*beside, *found]):
            found.append(span)
    while len(found) < most and (gap := _largest_gap([*beside, *found], duration_s)):
        found.append(around((gap.start_s + gap.end_s) / 2, duration_s, clip_s))
    return found


def _largest_gap(spans: Sequence[Span], duration_s: float) -> Span | None:
    """The longest stretch that no range covers; None where they leave none."""
    gaps, reached = list[tuple[float, float]](), 0.0
    for span in sorted(spans, key=lambda each: each.start_s):
        gaps.append((reached, span.start_s))
        reached = max(reached, span.end_s)
    start, end = max([*gaps, (reached, duration_s)], key=lambda gap: gap[1] - gap[0])
    return Span(start, end) if end - start > _LEAST_GAP_S else None


def around(second: float, duration_s: float, clip_s: float) -> Span:
    """The range of clip_s with this second in its middle, moved into the video."""
    start = min(max(0.0, second - clip_s / 2), max(0.0, duration_s - clip_s))
    return Span(round(start, 3), round(min(start + clip_s, duration_s), 3))


def _spread() -> Iterator[float]:
    """1/2, 1/4, 3/4, 1/8, 5/8 ... (van der Corput's sequence)."""
    number = 0
    while True:
        number += 1
        place, base, rest = 0.0, 0.5, number
        while rest:
            place, base, rest = place + base * (rest % 2), base / 2, rest // 2
        yield place
