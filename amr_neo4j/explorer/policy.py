"""Which path is looked at next, and when an exploration stops early."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.exploration import Decision, Span

# The shares of a priority. They add up to 1.
_CONFIDENCE, _NOVELTY, _SCORE = 0.35, 0.25, 0.4
_ROOTS = 40


@dataclass(frozen=True)
class Policy:
    """How far an exploration goes.

    max_depth: the depth of the deepest nodes; the first paths have depth 1.
    per_expand_limit: how many children one decision may add.
    max_looks: how many nodes are looked at.
    patience: stop after this many decisions in a row that state a confidence below low_confidence; 0 for never. A
        discarded path states none of the others.
    parallel: how many paths are looked at side by side.
    failures: how many looks in a row may fail.
    """

    max_depth: int = 3
    per_expand_limit: int = 3
    max_looks: int = 40
    patience: int = 10
    low_confidence: float = 0.2
    parallel: int = 1
    failures: int = 3

    @property
    def root_limit(self) -> int:
        """How many first paths one decision may add: no fewer than looks. A run that goes on looks at the rest."""
        return max(_ROOTS, self.max_looks)


def priority(confidence: float, novelty: float, score: float) -> float:
    """Return the priority of a path, 0 to 1.

    confidence: the confidence of the decision that proposed the path.
    novelty: the share of its range that was not looked at yet.
    score: what memory or the planner expects of it.
    """
    return _CONFIDENCE * confidence + _NOVELTY * novelty + _SCORE * score


def novelty(span: Span, seen: Iterable[Span]) -> float:
    """Return the share of a range, 0 to 1, that was not looked at yet."""
    covered, reached = 0.0, span.start_s
    near = [other for other in seen if span.shared(other) > 0]
    for other in sorted(near, key=lambda each: each.start_s):
        start, end = max(other.start_s, reached), min(other.end_s, span.end_s)
        if end > start:
            covered, reached = covered + end - start, end
    return 1.0 - covered / span.seconds


def stays_low(decisions: Sequence[Decision], policy: Policy) -> bool:
    """Return whether the last `patience` decisions other than discard all had little confidence.

    A discard says that this path does not help, and nothing of the paths that still wait.
    """
    hopes = [each.confidence for each in decisions if each.kind != "discard"]
    if not policy.patience or len(hopes) < policy.patience:
        return False
    return max(hopes[-policy.patience :]) < policy.low_confidence


def unseen(duration_s: float, seen: Iterable[Span]) -> list[Span]:
    """Return the ranges of a video that were not looked at yet, in order."""
    gaps, reached = list[Span](), 0.0
    for other in sorted(seen, key=lambda each: each.start_s):
        if other.start_s > reached:
            gaps.append(Span(reached, other.start_s))
        reached = max(reached, other.end_s)
    return [*gaps, Span(reached, duration_s)] if reached < duration_s else gaps
