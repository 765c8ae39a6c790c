"""How well memory of a user is kept, from its facts and the runs over them (specification 002 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from amr_neo4j.domain.belief import FactMeasures


class Held(NamedTuple):
    """What the measures need of a fact."""

    status: str
    confidence: float
    evidence: int


def measured(facts: Sequence[Held], runs: Sequence[Mapping[str, int]], use: Mapping[str, int]) -> FactMeasures:
    """runs: the counts of each run that was not undone. use: of live conversations, by name; what is missing is 0."""
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
        hints_used=_share(use.get("used", 0), use.get("answered", 0)),
        recalled_used=_share(use.get("streamed_used", 0), use.get("streamed", 0)),
        redundancy=_share(use.get("repeated", 0), use.get("shown", 0)),
        searches_helped=_share(use.get("search_helped", 0), use.get("searched", 0)),
        use=dict(use),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, in [-1, 1], equal values sharing their mean rank; None where one does not vary."""
    from scipy.stats import spearmanr  # noqa: PLC0415 # pyright: ignore (takes half a second to load)

    if any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return None
    return float(spearmanr(pairs).statistic)  # pyright: ignore (scipy has no types)
