"""The first ranges of an exploration without a model: where the picture changes most, and probes over the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from amr_neo4j.domain.exploration import Span

CLIP_S = 10.0
_LEAST_GAP_S = 0.01
# A second stands out by so many median deviations from the median change, and by this share of it at least.
_STANDS_OUT, _LEAST = 5.0, 0.03


def peaks(
    activity: Sequence[float], duration_s: float, most: int, clip_s: float = CLIP_S
) -> list[tuple[Span, float]]:
    """Ranges of clip_s around the seconds that change most, with their change relative to the greatest, best first.

    activity: how much changes in each second. No two ranges share more than half. Empty where nothing stands out.
    """
    smooth = [max(activity[max(0, second - 1) : second + 2]) for second in range(len(activity))]
    usual = median(smooth) if smooth else 0.0
    # Noise of the camera takes many bytes too, but about as many in each second.
    spread = median(abs(change - usual) for change in smooth) if smooth else 0.0
    least = usual + max(_STANDS_OUT * spread, _LEAST * usual)
    rest = {second: change - usual for second, change in enumerate(smooth) if change > least}
    found: list[tuple[Span, float]] = []
    while rest and len(found) < most:
        second = max(rest, key=lambda each: (rest[each], -each))
        span = around(second + 0.5, duration_s, clip_s)
        found.append((span, rest[second]))
        for near in [each for each in rest if abs(each - second) <= clip_s * 0.75]:
            del rest[near]
    greatest = found[0][1] if found else 1.0
    return [(span, change / greatest) for span, change in found]


def probes(duration_s: float, most: int, clip_s: float = CLIP_S) -> list[Span]:
    """Ranges spread over the whole, each one in the largest gap that those before it leave: coarse, then finer.

    The last ones cover what is left between them and at both ends, so that enough of them are the whole video.
    """
    found: list[Span] = []
    for _, place in zip(range(most * 8), _spread(), strict=False):
        span = around(place * duration_s, duration_s, clip_s)
        if len(found) < most and all(span.shared(other) <= clip_s / 4 for other in found):
            found.append(span)
    while len(found) < most and (gap := _largest_gap(found, duration_s)):
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
