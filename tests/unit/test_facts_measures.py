"""The measures of how well facts are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.facts.measures import MeasuredFact, measured, rank_correlation

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9).map(float)), min_size=2, max_size=30)


def test_counts_of_all_runs_are_added() -> None:
    facts = [
        MeasuredFact("active", 0.9, 5),
        MeasuredFact("active", 0.7, 1),
        MeasuredFact("merged_into", 0.7, 1),
        MeasuredFact("archived", 0.7, 2),
    ]
    runs = [{"merged": 1, "replaced": 2, "turns read": 9}, {"replaced": 1, "contradictions": 1, "deprecated": 1}]
    found = measured(facts, runs, {}, waiting=3)
    assert (found.merged_share, found.given_up_share) == (0.25, 1.0)
    assert found.facts == {"active": 2, "archived": 1, "merged_into": 1}
    assert (found.runs, found.merged, found.replaced, found.given_up) == (2, 1, 3, 1)
    assert found.settled_by_rules == pytest.approx(0.75)
    assert found.confidence_by_evidence == pytest.approx(1.0)


def test_what_cannot_be_known_yet_is_none() -> None:
    found = measured([MeasuredFact("active", 0.7, 1)], [], {})
    assert (found.settled_by_rules, found.confidence_by_evidence) == (None, None)
    assert (found.hints_used, found.recalled_used, found.redundancy, found.searches_helped) == (None,) * 4


def test_use_is_told_as_shares() -> None:
    counts = {"answered": 4, "used": 1, "shown": 8, "repeated": 2, "searched": 5, "search_helped": 3}
    found = measured([], [], counts)
    assert (found.hints_used, found.recalled_used) == (0.25, None)
    assert (found.redundancy, found.searches_helped, found.use) == (0.25, 0.6, counts)


@given(PAIRS)
def test_the_correlation_is_that_of_the_order_alone(pairs: list[tuple[float, float]]) -> None:
    """It stays the same if values are transformed in their order, and changes its sign if one side is reversed."""
    found = rank_correlation(pairs)
    if found is None:
        return
    assert -1 - 1e-9 <= found <= 1 + 1e-9
    assert rank_correlation([(a, b**3 + b) for a, b in pairs]) == pytest.approx(found)
    assert rank_correlation([(a, -b) for a, b in pairs]) == pytest.approx(-found)
