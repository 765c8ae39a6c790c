"""BM25 among the events at hand. The index ranks among all that a server holds: there another tenant's long texts
make short ones of this one look long, and its words decide which of ours are rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from math import log

Bag = Counter[str]
# How much the first repetitions of a word add, and how much a long text loses. Texts here are short.
K1, B = 1.2, 0.5


def bm25(bags: Sequence[Bag], terms: Sequence[Collection[str]]) -> list[float]:
    """The score of each bag (Robertson and Zaragoza 2009). terms: the forms of each word asked for."""
    found = [[_count(bag, forms) for bag in bags] for forms in terms]
    rarity = [_rarity(len(bags), sum(count > 0 for count in counts)) for counts in found]
    lengths = [bag.total() for bag in bags]
    mean = sum(lengths) / max(1, len(bags)) or 1.0
    damped = [K1 * (1 - B + B * length / mean) for length in lengths]
    return [
        sum(
            weight * counts[n] * (K1 + 1) / (counts[n] + damped[n])
            for weight, counts in zip(rarity, found, strict=True)
        )
        for n in range(len(bags))
    ]


def _count(bag: Bag, forms: Collection[str]) -> int:
    return max((bag[form] for form in forms), default=0)


def _rarity(bags: int, holding: int) -> float:
    return log(1 + (bags - holding + 0.5) / (holding + 0.5))
