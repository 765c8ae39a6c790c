"""Ranks the events that a question starts from, by names, and fuses rankings by rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum

from amr_neo4j.domain.recall import Question
from amr_neo4j.recall.sources import Sources

# {name of the ranking: node_ids, best first}, such as {"full text": [7, 3]}.
Rankings = Mapping[str, Sequence[int]]
# The k of reciprocal rank fusion, which damps the top ranks; 60 is the value of Cormack et al.
DAMPING = 60
# The name of the ranking by the names in a question, and how many events it has at most.
NAMED = "named"
MOST_NAMED = 100


def fuse(rankings: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Reciprocal rank fusion of ranked node ids (Cormack et al. 2009).

    rankings: best first, one per retriever.
    Returns (node_id, score), best first, ties by node_id; score = sum of 1 / (DAMPING + rank), rank from 1.
    """
    shares: dict[int, list[float]] = {}
    for ranking in rankings:
        for rank, node_id in enumerate(ranking, start=1):
            shares.setdefault(node_id, []).append(1 / (DAMPING + rank))
    # fsum, so that equal ranks tie whatever the order of the rankings
    scores = [(node_id, fsum(parts)) for node_id, parts in shares.items()]
    return sorted(scores, key=lambda scored: (-scored[1], scored[0]))


def ranks_by_event(rankings: Rankings) -> dict[int, dict[str, int]]:
    """Return {node_id: {name of the ranking: rank from 1}}."""
    ranks: dict[int, dict[str, int]] = {}
    for retriever, node_ids in rankings.items():
        for rank, node_id in enumerate(node_ids, start=1):
            ranks.setdefault(node_id, {})[retriever] = rank
    return ranks


def reads_by_name(question: Question, sources: Sources) -> list[Callable[[], Sequence[int]]]:
    """Return a function per object and person that the question names, which reads its events, latest first.

    They are functions so that the caller can run them in parallel.
    """
    reader, scope = sources.reader, sources.scope
    objects = [partial(reader.by_object, name, scope, MOST_NAMED) for name in question.objects]
    persons = [partial(reader.by_person, name, scope, MOST_NAMED) for name in question.persons]
    return [*objects, *persons]


def together(named: Sequence[Sequence[int]]) -> list[int]:
    """Return the events of several names as one ranking. Events of several of the names come first."""
    # An event in several of the rankings gets the sum of their shares.
    return [node_id for node_id, _ in fuse(named)][:MOST_NAMED]
