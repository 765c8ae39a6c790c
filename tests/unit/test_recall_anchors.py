"""Reciprocal rank fusion."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.recall.retrieve.anchors import fuse, ranks_by_event

rankings = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=10), max_size=4)


def test_scores_equal_the_formula_of_cormack() -> None:
    """Scores by hand from the paper's formula, k = 60."""
    assert fuse([[7, 8], [8, 9]]) == [
        (8, pytest.approx(1 / 62 + 1 / 61)),
        (7, pytest.approx(1 / 61)),
        (9, pytest.approx(1 / 62)),
    ]


@given(rankings, st.randoms(use_true_random=False))
def test_no_retriever_has_priority(ranked: list[list[int]], random) -> None:
    """The order in which the rankings are given changes no place; every event comes once, best first."""
    fused = fuse(ranked)
    assert [node_id for node_id, _ in fuse(random.sample(ranked, len(ranked)))] == [node_id for node_id, _ in fused]
    assert sorted(node_id for node_id, _ in fused) == sorted({i for ranking in ranked for i in ranking})
    assert all(one >= other for (_, one), (_, other) in pairwise(fused))


@given(st.lists(st.integers(0, 20), unique=True, max_size=10))
def test_one_ranking_keeps_its_order(ranking: list[int]) -> None:
    """Fusing one ranking is that ranking."""
    assert [node_id for node_id, _ in fuse([ranking])] == ranking


def test_an_event_knows_its_ranks() -> None:
    ranks = ranks_by_event({"full text": [1, 2], "dense": [2], "named": []})
    assert ranks == {1: {"full text": 1}, 2: {"full text": 2, "dense": 1}}
