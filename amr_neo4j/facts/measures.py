"""Measures how well the memory of a user is kept, from the facts and the nightly runs (specification 002 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from amr_neo4j.domain.belief import FactMeasures


class MeasuredFact(NamedTuple):
    """The properties of a fact that the measures need. evidence: its evidence_count."""

    status: str
    confidence: float
    evidence: int


def measured(
    facts: Sequence[MeasuredFact], runs: Sequence[Mapping[str, int]], use: Mapping[str, int], *, waiting: int = 0
) -> FactMeasures:
    """Return the measures of a user.

    waiting: clusters of facts that the latest run could not decide.
    runs: the counts of each run that was not undone.
    use: the counts of all live conversations, by the names in live_chat/metrics.py; a missing one is 0.
    """
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
        merged_share=_share(total["merged"], total["merged"] + waiting),
        given_up_share=_share(total["deprecated"], total["deprecated"] + total["strengthened"]),
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
    """Return Spearman's rank correlation, in [-1, 1]; None if one side does not vary.

    Equal values share their mean rank.
    """
    from scipy.stats import spearmanr  # noqa: PLC0415 # pyright: ignore (takes half a second to load)

    if any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        return None
    return float(spearmanr(pairs).statistic)  # pyright: ignore (scipy has no types)
