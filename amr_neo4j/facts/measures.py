"""How well memory of a user is kept, from its facts and the runs over them (specification 002 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from amr_neo4j.domain.belief import FactMeasures


class Held(NamedTuple):
    """What the measures need of a fact."""

    status: str
    confidence: float
    evidence: int


def measured(facts: Sequence[Held], runs: Sequence[Mapping[str, int]]) -> FactMeasures:
    """runs: the counts of each run that was not undone."""
    total = Counter[str]()
    for counts in runs:
        total.update(counts)
    believed = [fact for fact in facts if fact.status == "active"]
    settled = total["replaced"]
    return FactMeasures(
        facts=dict(sorted(Counter(fact.status for fact in facts).items())),
        runs=len(runs),
        merged=total["merged"],
        replaced=settled,
        given_up=total["deprecated"],
        strengthened=total["strengthened"],
        settled_by_rules=_share(settled, settled + total["contradictions"]),
        confidence_by_evidence=rank_correlation([(fact.confidence, float(fact.evidence)) for fact in believed]),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, in [-1, 1], equal values sharing their mean rank; None where one does not vary."""
    ones, others = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    middle = (len(pairs) - 1) / 2
    squares = [sum((rank - middle) ** 2 for rank in ranks) for ranks in (ones, others)]
    if not all(squares):
        return None
    product = sum((a - middle) * (b - middle) for a, b in zip(ones, others, strict=True))
    return product / sqrt(squares[0] * squares[1])


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 0; equal values have the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    starts = [n for n, place in enumerate(order) if n == 0 or values[place] != values[order[n - 1]]]
    ranks = [0.0] * len(values)
    for start, end in pairwise([*starts, len(order)]):
        for place in order[start:end]:
            ranks[place] = (start + end - 1) / 2
    return ranks
