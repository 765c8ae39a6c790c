"""Rankings fused by score, and with the neighbours of an event in time."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.en import LANGUAGE
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.pool import Pool
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.rank.bm25 import K1, B, bm25
from amr_neo4j.recall.rank.fusion import fused_scores, fusion_table

WEIGHTS = fusion_table().strategies
STRATEGIES = list(WEIGHTS)
words = st.sampled_from(["keys", "drawer", "opens", "mug", "rain"])
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
counted = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8)


def clause(text: str, *persons: str) -> Clause:
    return Clause(text, LANGUAGE.content_words(text), persons, language=LANGUAGE)


def candidate(n: int, summary: str, question: str, *, cosine: float = 0.0, start: float = 0.0, **rest) -> Candidate:
    event = Event(n, "g", rest.pop("video", "v"), ("c",), 0, start, start + 1, summary, **rest)
    return Candidate(event, Path((n,), (), 0.0), cosines={question: cosine}, language=LANGUAGE)


def next_to(src: int, dst: int) -> Edge:
    return Edge(src, dst, Channel.TEMPORAL, {})


def fit_of(pool: Pool, asked: Clause, strategy: str) -> dict[int, float]:
    return dict(zip(pool.events, fused_scores(pool, asked, WEIGHTS[strategy]).tolist(), strict=True))


def by_fit(pool: Pool, asked: Clause, strategy: str) -> list[int]:
    fit = fit_of(pool, asked, strategy)
    return sorted(fit, key=lambda node_id: -fit[node_id])


def test_bm25_equals_the_formula() -> None:
    """A text of two words and one of four, a term in the first alone: the formula with its numbers put in."""
    rarity, mean = log(1 + (2 - 1 + 0.5) / (1 + 0.5)), 3
    expected = rarity * 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / mean))
    assert bm25(np.array([[1.0, 0.0]]), np.array([2.0, 4.0])).tolist() == [pytest.approx(expected), 0]


@given(counted)
def test_bm25_is_positive_only_for_texts_with_a_term(found: list[list[int]]) -> None:
    """A score is positive if and only if the text contains a term, for any lengths, an empty text included."""
    counts = np.array(found, np.float64).T
    scores = bm25(counts, counts.sum(axis=0))
    assert [score > 0 for score in scores] == [any(of) for of in found]


@given(st.lists(texts, min_size=1, max_size=6), st.data())
def test_a_window_scores_the_sum_of_its_events(summaries: list[str], data) -> None:
    """The forms of a term are counted in the event, its neighbours or the previous one, as if one text."""
    pool = [candidate(n, text, "", start=n) for n, text in enumerate(summaries)]
    edges = [next_to(n, n + 1) for n in range(len(pool) - 1) if data.draw(st.booleans())]
    asked = [frozenset({"keys", "key"}), frozenset({"rain"})]
    found = Pool(pool, edges)
    for term, of in zip(asked, found.form_counts(asked), strict=True):
        own = [sum(text.split().count(word) for word in term if word != "key") for text in summaries]
        after = {edge.src: edge.dst for edge in edges}
        before = {dst: src for src, dst in after.items()}
        beside = [sum(own[i] for i in (n, before.get(n), after.get(n)) if i is not None) for n in range(len(own))]
        since = [sum(own[i] for i in (n, before.get(n)) if i is not None) for n in range(len(own))]
        assert of.max(axis=0).tolist() == own
        assert found.with_neighbours(of).max(axis=0).tolist() == beside
        assert found.with_neighbours(of, after=False).max(axis=0).tolist() == since


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(summaries=st.lists(texts, max_size=8), order=st.randoms(use_true_random=False))
def test_any_pool_is_fused(strategy: str, summaries: list[str], order) -> None:
    """Every candidate has a score from 0 to 1, the same in any order; no candidates are no error."""
    asked = clause("who opens the drawer")
    pool = [candidate(n, text, asked.text, cosine=len(text) / 50, start=n) for n, text in enumerate(summaries)]
    edges = [next_to(n, n + 1) for n in range(len(pool) - 1)]
    scores = fit_of(Pool(pool, edges), asked, strategy)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores.values()) and len(scores) == len(pool)
    shuffled = fit_of(Pool(order.sample(pool, len(pool)), edges), asked, strategy)
    assert {node_id: pytest.approx(fit) for node_id, fit in shuffled.items()} == scores


@pytest.mark.parametrize("strategy", ["blend", "surroundings"])
def test_the_best_event_by_words_and_embedding_comes_first(strategy: str) -> None:
    asked = clause("Where are the keys?")
    pool = [
        candidate(1, "Rain on the window", asked.text, cosine=0.1),
        candidate(2, "Anna puts the keys into the drawer", asked.text, cosine=0.7, video="w"),
        candidate(3, "The drawer opens", asked.text, cosine=0.2, video="x"),
    ]
    assert by_fit(Pool(pool, []), asked, strategy)[0] == 2


def test_an_event_next_to_the_question_s_event_is_raised() -> None:
    """Of two equal lines, the one right after the question ranks first; a blend can't tell them apart."""
    asked = clause("What colour is the car?")
    pool = [
        candidate(1, "What colour is your car?", asked.text, cosine=0.9),
        candidate(2, "Blue, I think", asked.text, cosine=0.3, start=2),
        candidate(3, "Blue, I think", asked.text, cosine=0.3, video="w"),
        candidate(4, "The rain stops", asked.text, cosine=0.0, video="w", start=2),
    ]
    edges = [next_to(1, 2), next_to(3, 4)]
    assert by_fit(Pool(pool, edges), asked, "surroundings")[:2] == [1, 2]
    of = fit_of(Pool(pool, edges), asked, "blend")
    assert of[2] == of[3]


def test_events_of_the_named_person_are_raised() -> None:
    asked = clause("What did Anna say about the keys?", "anna")
    pool = [
        candidate(1, "The keys are lost", asked.text, cosine=0.5, persons=("Ben",)),
        candidate(2, "The keys are lost", asked.text, cosine=0.5, persons=("Anna",)),
    ]
    assert by_fit(Pool(pool, []), asked, "surroundings") == [2, 1]


def test_a_name_is_no_search_term_beside_other_words() -> None:
    """All of Anna's events contain her name, so it does not discriminate. Alone it is the only term."""
    assert [word.word for word in clause("What did Anna say about the keys?", "anna").search_terms] == ["say", "keys"]
    assert [word.word for word in clause("Anna?", "anna").search_terms] == ["anna"]
