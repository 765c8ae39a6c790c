"""Where a question starts from: several rankings of events fused into a few anchors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amr_neo4j.domain.ports import DenseIndex, EventReader, Vectors
from amr_neo4j.domain.recall import Anchor, Question, Scope


def rankings(
    question: Question,
    vector: Vectors,
    scope: Scope,
    reader: EventReader,
    index: DenseIndex,
    *,
    sparse: int,
    dense: int,
) -> dict[str, list[int]]:
    """retriever -> node_ids, best first: at most `sparse` by words and by name, `dense` by vector, shape (dim,).

    "named" holds the events of the objects and persons that the question names, latest first.
    """
    named = [reader.by_object(name, scope, sparse) for name in question.objects]
    named += [reader.by_person(name, scope, sparse) for name in question.persons]
    found = {
        "full text": [node_id for node_id, _ in reader.full_text(question.text, scope, sparse)],
        "dense": [node_id for node_id, _ in index.search(vector, dense, scope)],
        "named": [node_id for node_id, _ in fuse(named)][:sparse],
    }
    return {retriever: node_ids for retriever, node_ids in found.items() if node_ids}


def fuse(rankings: Sequence[Sequence[int]], k: int = 60) -> list[tuple[int, float]]:
    """Reciprocal rank fusion of ranked node ids (Cormack et al. 2009).

    rankings: best first, one per retriever; k damps the top ranks.
    Returns (node_id, score), best first, ties by node_id; score = sum of 1 / (k + rank), rank from 1.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, node_id in enumerate(ranking, start=1):
            scores[node_id] = scores.get(node_id, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def anchors(rankings: Mapping[str, Sequence[int]], limit: int) -> list[Anchor]:
    """The `limit` best events of all rankings, each with its ranks by retriever."""
    ranks: dict[int, dict[str, int]] = {}
    for retriever, node_ids in rankings.items():
        for rank, node_id in enumerate(node_ids, start=1):
            ranks.setdefault(node_id, {})[retriever] = rank
    return [Anchor(node_id, score, ranks[node_id]) for node_id, score in fuse(list(rankings.values()))[:limit]]
