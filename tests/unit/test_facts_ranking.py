"""Ranking of what a search found: score, the cut where relevance falls off, one of each cluster."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.ports import MemoryCandidate
from amr_neo4j.domain.recall import Recalled, TurnCitation, first_of, in_pages
from amr_neo4j.facts.query_filter import QueryWords
from amr_neo4j.facts.ranking import diverse, like_the_best, ranked, recall_table, relevant, score
from amr_neo4j.language.languages import ENGLISH

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TABLE = recall_table()


def candidate(
    text: str,
    similarity: float,
    *,
    confidence: float = 0.7,
    days: float = 0.0,
    angle: float | None = None,
    triple: str = "",
) -> MemoryCandidate:
    vector = None if angle is None else np.asarray([math.cos(angle), math.sin(angle)], np.float32)
    parts = Triple(*triple.split()) if triple else None
    kind = "fact" if triple else "turn"
    return MemoryCandidate(
        Recalled(kind, text, confidence, NOW - timedelta(days=days), None, 0.0, parts), similarity, vector
    )


def test_the_score_is_the_seeds() -> None:
    assert score(candidate("a", 0.5, confidence=0.8), NOW, TABLE) == pytest.approx(0.6 * 0.5 + 0.3 * 0.8 + 0.1)
    old = candidate("a", 0.5, confidence=0.8, days=100)
    assert score(old, NOW, TABLE) == pytest.approx(0.54 + 0.1 * math.exp(-1))


def test_the_list_ends_where_relevance_falls_off() -> None:
    found = [candidate(str(each), each) for each in (0.9, 0.7, 0.66, 0.5, 0.2)]
    assert [c.similarity for c in relevant(found, 0.36, TABLE)] == [0.9, 0.7, 0.66]
    assert [c.similarity for c in relevant(found, 0.36, TABLE, least=4)] == [0.9, 0.7, 0.66, 0.5]
    assert relevant(found[-1:], 0.36, TABLE, least=3) == []


def test_similarity_decides_and_standing_breaks_ties() -> None:
    near, first, second = candidate("near", 0.6), candidate("first", 0.5), candidate("second", 0.5)
    found = [replace(second, standing=0.1), replace(first, standing=0.9), replace(near, standing=0.0)]
    assert [c.found.text for c in ranked(found, NOW, TABLE, 3)] == ["near", "first", "second"]


def test_what_is_of_the_topic_comes_before_what_is_more_similar() -> None:
    found = [candidate("near", 0.5), replace(candidate("of it", 0.4), topical=True)]
    assert [c.found.text for c in ranked(relevant(found, 0.36, TABLE), NOW, TABLE, 2)] == ["of it", "near"]


def test_what_is_like_the_best_comes_before_what_is_as_similar_to_the_query() -> None:
    found = [
        candidate("best", 0.6, angle=0.0),
        candidate("other", 0.41, angle=1.5),
        candidate("like it", 0.4, angle=0.7),
    ]
    found = like_the_best(relevant(found, 0.36, TABLE), TABLE)
    assert [c.found.text for c in ranked(found, NOW, TABLE, 3)] == ["best", "like it", "other"]


def test_the_first_results_rest_on_different_turns() -> None:
    def resting(text: str, similarity: float, turn: int) -> MemoryCandidate:
        source = TurnCitation(-turn, f"ep_{turn}", "s", turn, "", "user", NOW)
        each = candidate(text, similarity)
        return replace(each, found=replace(each.found, source=source))

    found = [resting("a", 0.9, 1), resting("b", 0.8, 1), resting("c", 0.7, 2)]
    assert [c.found.text for c in ranked(found, NOW, TABLE, 3)] == ["a", "c", "b"]


def test_beside_one_with_all_words_the_others_must_be_nearly_as_similar() -> None:
    def kept(*words: float) -> list[float]:
        found = [candidate(str(each), each) for each in (0.9, 0.85, 0.75)]
        return [
            c.similarity
            for c in relevant([replace(c, words=w) for c, w in zip(found, words, strict=True)], 0.36, TABLE)
        ]

    assert kept(0.5, 0.5, 0.5) == kept(0.5, 0.5, 1.0) == [0.9, 0.85, 0.75]
    assert kept(1.0, 0.5, 0.5) == [0.9, 0.85]


def test_of_what_says_the_same_the_most_confident_stays() -> None:
    sure = candidate("sure", 0.6, confidence=0.9, angle=0.3)
    assert diverse([candidate("best", 0.9, angle=0.0), sure, candidate("other", 0.5, angle=1.2)], 0.8)[0] is sure
    said = [candidate("turn", 0.9, angle=0.0), candidate("fact", 0.8, angle=0.1, triple="you likes tea")]
    assert [c.found.text for c in diverse(said, 0.8)] == ["fact"]


def test_different_facts_are_never_one() -> None:
    facts = ["you likes tea", "you likes coffee", "tom likes tea"]
    assert len(diverse([candidate(t, 0.9, angle=0.0, triple=t) for t in facts], 0.8)) == 3
    assert (
        len(diverse([candidate(t, 0.9, angle=0.0, triple=t) for t in ("you likes tea", "you drinks tea")], 0.8)) == 1
    )


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 6.3), st.floats(0, 900)), max_size=20),
    st.integers(0, 6),
)
def test_results_are_ordered_few_and_apart(rows: list[tuple[float, float, float, float]], limit: int) -> None:
    found = [candidate(f"t{n}", s, confidence=c, angle=a, days=d) for n, (s, c, a, d) in enumerate(rows)]
    best = ranked(found, NOW, TABLE, limit)
    scores = [each.found.score for each in best]
    assert len(best) <= limit and scores == sorted(scores, reverse=True)
    assert all(0 <= each <= 1.0001 for each in scores)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("user: Where do I live?", True),
        ("Hi! Where do I live?", True),
        ('"Is it raining?"', True),
        ("I live in Ghent. Where do you live?", False),
        ("I live in Ghent.", False),
        ("", False),
    ],
)
def test_turns_that_only_ask(text: str, *, asks: bool) -> None:
    assert ENGLISH.only_asks(text) is asks


def test_words_in_any_form_count() -> None:
    assert QueryWords.of("Where does Tom work?", ENGLISH).share_in("Tom works at Siemens") == 1.0
    assert QueryWords.of("Where does Tom work?", ENGLISH).share_in("Anna works at BMW") == 0.5
    assert QueryWords.of("", ENGLISH).share_in("Anna") == 0.0


def sides(*numbers: int) -> list[Recalled]:
    """Return a fact for each number; two with the same absolute value contradict one another."""
    return [
        Recalled("fact", str(n), 0.35, NOW, None, fact_id=str(n), opposed=(str(-n),) if -n in numbers else ())
        for n in numbers
    ]


@pytest.mark.parametrize(
    ("found", "size", "pages"),
    [
        ([1, 2, 3, 4, 5, -5, 6], 5, [1, 2, 3, 5, -5, 4, 6]),
        ([1, 2, 3, 4, -4, 5], 5, [1, 2, 3, 4, -4, 5]),
        ([1, -1, 2], 2, [1, -1, 2]),
        ([1, 2, -2, 3, -3], 3, [1, 2, -2, 3, -3]),
        ([1, 2, 3, -3], 3, [1, 3, -3, 2]),
        ([1, -1], 1, [1, -1]),
        ([1, -1, 2], 0, [1, -1, 2]),
    ],
)
def test_no_page_parts_the_sides_of_a_contradiction(found: list[int], size: int, pages: list[int]) -> None:
    assert [int(each.text) for each in in_pages(sides(*found), size)] == pages


@pytest.mark.parametrize(
    ("found", "most", "shown"),
    [([1, 2, 3, -3], 3, [1, 2]), ([1, 2, 3, -3, 4], 3, [1, 2, 4]), ([1, -1], 1, []), ([1, -1, 2], 2, [1, -1])],
)
def test_a_side_of_a_contradiction_is_never_shown_alone(found: list[int], most: int, shown: list[int]) -> None:
    assert [int(each.text) for each in first_of(sides(*found), most)] == shown
