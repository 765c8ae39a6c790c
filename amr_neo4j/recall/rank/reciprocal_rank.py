"""Reciprocal rank fusion (Cormack et al. 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

# retriever -> node_ids, best first.
Rankings = Mapping[str, Sequence[int]]
# Damps the top ranks.
DAMPING = 60


def fuse(rankings: Sequence[Sequence[int]], k: int = DAMPING) -> list[tuple[int, float]]:
    """Reciprocal rank fusion of ranked node ids (Cormack et al. 2009).

    rankings: best first, one per retriever; k damps the top ranks.
    Returns (node_id, score), best first, ties by node_id; score = sum of 1 / (k + rank), rank from 1.
    """
    shares: dict[int, list[float]] = {}
    for ranking in rankings:
        for rank, node_id in enumerate(ranking, start=1):
            shares.setdefault(node_id, []).append(1 / (k + rank))
    # fsum, so that equal ranks tie whatever the order of the rankings
    scores = [(node_id, fsum(parts)) for node_id, parts in shares.items()]
    return sorted(scores, key=lambda scored: (-scored[1], scored[0]))


def ranks_by_event(rankings: Rankings) -> dict[int, dict[str, int]]:
    """node_id -> retriever -> rank from 1."""
    ranks: dict[int, dict[str, int]] = {}
    for retriever, node_ids in rankings.items():
        for rank, node_id in enumerate(node_ids, start=1):
            ranks.setdefault(node_id, {})[retriever] = rank
    return ranks
