"""Where a question starts from: several rankings of events fused into a few anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Question, Scope
from amr_neo4j.recall.question.parsed import Clause

Rankings = Mapping[str, Sequence[int]]
# The ranking of the events of what a question names.
NAMED = "named"


def by_words(clause: Clause, scope: Scope, reader: EventReader, limit: int) -> list[int]:
    """The events that tell of the clause by its words, best first.

    Function words are left out where anything else is said: they are in every line of dialogue.
    """
    words = " ".join(word.word for word in clause.sought) or clause.text
    return [node_id for node_id, _ in reader.full_text(words, scope, limit)]


def by_name(question: Question, scope: Scope, *, reader: EventReader, limit: int) -> list[int]:
    """The events of the objects and persons that the question names, latest first; those of several come first."""
    named = [reader.by_object(name, scope, limit) for name in question.objects]
    named += [reader.by_person(name, scope, limit) for name in question.persons]
    return [node_id for node_id, _ in fuse(named)][:limit]


# Damps the top ranks in reciprocal rank fusion (Cormack et al. 2009).
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
    # fsum, so that equal ranks are a tie whatever order the rankings come in
    scores = [(node_id, fsum(parts)) for node_id, parts in shares.items()]
    return sorted(scores, key=lambda scored: (-scored[1], scored[0]))


def ranks_by_event(rankings: Rankings) -> dict[int, dict[str, int]]:
    """node_id -> retriever -> rank from 1."""
    ranks: dict[int, dict[str, int]] = {}
    for retriever, node_ids in rankings.items():
        for rank, node_id in enumerate(node_ids, start=1):
            ranks.setdefault(node_id, {})[retriever] = rank
    return ranks
