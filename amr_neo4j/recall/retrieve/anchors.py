"""Rankings of events that a question starts from (by words, by vectors, by names), and their fusion by rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum

from amr_neo4j.domain.recall import Question
from amr_neo4j.recall.sources import Sources

# retriever -> node_ids, best first.
Rankings = Mapping[str, Sequence[int]]
# Damps the top ranks.
DAMPING = 60
# The ranking of the events of what a question names.
NAMED = "named"


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


def reads_by_name(question: Question, sources: Sources, limit: int) -> list[Callable[[], Sequence[int]]]:
    """For each object and person that the question names a function that reads its events, latest first."""
    reader, scope = sources.reader, sources.scope
    objects = [partial(reader.by_object, name, scope, limit) for name in question.objects]
    persons = [partial(reader.by_person, name, scope, limit) for name in question.persons]
    return [*objects, *persons]


def together(named: Sequence[Sequence[int]], limit: int) -> list[int]:
    """The events of several names as one ranking: those of several come first."""
    return [node_id for node_id, _ in fuse(named)][:limit]
