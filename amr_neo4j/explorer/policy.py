"""Which path is looked at next, and when an exploration stops early."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.exploration import Decision, Span

# Shares of a priority; together 1.
_CONFIDENCE, _NOVELTY, _SCORE = 0.35, 0.25, 0.4


@dataclass(frozen=True)
class Policy:
    """How far an exploration goes.

    max_depth: of a node, the first paths have depth 1. per_expand_limit: children of one decision. root_limit: first
    paths. max_looks: nodes looked at. patience: it stops after so many looks in a row whose confidence is under
    low_confidence; 0 for never. parallel: paths looked at side by side. failures: looks in a row that may fail.
    """

    max_depth: int = 3
    per_expand_limit: int = 3
    root_limit: int = 12
    max_looks: int = 40
    patience: int = 10
    low_confidence: float = 0.2
    parallel: int = 1
    failures: int = 3


def priority(confidence: float, novelty: float, score: float) -> float:
    """0 to 1. confidence: of the decision that proposed the path; score: memory's or the planner's own."""
    return _CONFIDENCE * confidence + _NOVELTY * novelty + _SCORE * score


def novelty(span: Span, seen: Iterable[Span]) -> float:
    """The share of a range, 0 to 1, that was not looked at yet."""
    covered, reached = 0.0, span.start_s
    near = [other for other in seen if span.shared(other) > 0]
    for other in sorted(near, key=lambda each: each.start_s):
        start, end = max(other.start_s, reached), min(other.end_s, span.end_s)
        if end > start:
            covered, reached = covered + end - start, end
    return 1.0 - covered / span.seconds


def stays_low(decisions: Sequence[Decision], policy: Policy) -> bool:
    """Whether the last `patience` decisions all had little confidence. A discarded path counts as none."""
    if not policy.patience or len(decisions) < policy.patience:
        return False
    hopes = [0.0 if each.kind == "discard" else each.confidence for each in decisions[-policy.patience :]]
    return max(hopes) < policy.low_confidence
