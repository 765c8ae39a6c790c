"""Rankings fused by their scores, and with what surrounds an event in time."""

from __future__ import annotations

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.content import content_words
from amr_neo4j.recall.bm25 import K1, B, bm25
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.fusion import Pool, fusion_table
from amr_neo4j.recall.reading import Clause

WEIGHTS = fusion_table().strategies
STRATEGIES = list(WEIGHTS)
words = st.sampled_from(["keys", "drawer", "opens", "mug", "rain"])
told = st.lists(words, min_size=1, max_size=6).map(" ".join)
bags = st.lists(st.lists(words, max_size=8).map(Counter), min_size=1, max_size=8)


def clause(text: str, *persons: str) -> Clause:
    return Clause(text, content_words(text), persons)


def candidate(n: int, summary: str, question: str, *, cosine: float = 0.0, start: float = 0.0, **rest) -> Candidate:
    event = Event(n, "g", rest.pop("video", "v"), ("c",), 0, start, start + 1, summary, **rest)
    return Candidate(event, Path((n,), (), 0.0), cosines={question: cosine})


def next_to(src: int, dst: int) -> Edge:
    return Edge(src, dst, Channel.TEMPORAL, {})


def by_fit(pool: Pool, asked: Clause, strategy: str) -> list[int]:
    fused = pool.fused([asked], WEIGHTS[strategy])
    return [c.node_id for c in sorted(fused, key=lambda c: -c.fused[asked.text])]


def test_bm25_by_hand() -> None:
    """One bag of two words and one of four, a word in the first alone: the formula with its numbers put in."""
    rarity, mean = log(1 + (2 - 1 + 0.5) / (1 + 0.5)), 3
    expected = rarity * 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / mean))
    assert bm25([Counter(a=1, b=1), Counter(c=4)], [{"a", "as"}]) == [pytest.approx(expected), 0]


@given(bags, st.lists(words, unique=True, max_size=3))
def test_bm25_tells_only_of_bags_that_hold_a_word(found: list[Counter[str]], asked: list[str]) -> None:
    """A score is over 0 where, and only where, a word asked for is told; forms told twice never count less."""
    scores = bm25(found, [{word} for word in asked])
    assert [score > 0 for score in scores] == [any(word in bag for word in asked) for bag in found]


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(summaries=st.lists(told, max_size=8), order=st.randoms(use_true_random=False))
def test_any_pool_is_fused(strategy: str, summaries: list[str], order) -> None:
    """Every candidate has a score from 0 to 1, the same in whatever order they come; none at all is no error."""
    asked = clause("who opens the drawer")
    pool = [candidate(n, text, asked.text, cosine=len(text) / 50, start=n) for n, text in enumerate(summaries)]
    edges = [next_to(n, n + 1) for n in range(len(pool) - 1)]
    scores = {c.node_id: c.fused[asked.text] for c in Pool(pool, edges).fused([asked], WEIGHTS[strategy])}
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores.values()) and len(scores) == len(pool)
    shuffled = Pool(order.sample(pool, len(pool)), edges).fused([asked], WEIGHTS[strategy])
    assert {c.node_id: pytest.approx(c.fused[asked.text]) for c in shuffled} == scores


@pytest.mark.parametrize("strategy", ["blend", "surroundings"])
def test_the_best_by_words_and_meaning_comes_first(strategy: str) -> None:
    asked = clause("Where are the keys?")
    pool = [
        candidate(1, "Rain on the window", asked.text, cosine=0.1),
        candidate(2, "Anna puts the keys into the drawer", asked.text, cosine=0.7, video="w"),
        candidate(3, "The drawer opens", asked.text, cosine=0.2, video="x"),
    ]
    assert by_fit(Pool(pool, []), asked, strategy)[0] == 2


def test_an_answer_beside_what_was_asked_is_lifted() -> None:
    """Of two lines that say the same, the one right after the question in the talk; a blend can't tell them apart."""
    asked = clause("What colour is the car?")
    pool = [
        candidate(1, "What colour is your car?", asked.text, cosine=0.9),
        candidate(2, "Blue, I think", asked.text, cosine=0.3, start=2),
        candidate(3, "Blue, I think", asked.text, cosine=0.3, video="w"),
        candidate(4, "The rain stops", asked.text, cosine=0.0, video="w", start=2),
    ]
    edges = [next_to(1, 2), next_to(3, 4)]
    assert by_fit(Pool(pool, edges), asked, "surroundings")[:2] == [1, 2]
    of = {c.node_id: c.fused[asked.text] for c in Pool(pool, edges).fused([asked], WEIGHTS["blend"])}
    assert of[2] == of[3]


def test_what_the_person_named_does_is_lifted() -> None:
    asked = clause("What did Anna say about the keys?", "anna")
    pool = [
        candidate(1, "The keys are lost", asked.text, cosine=0.5, persons=("Ben",)),
        candidate(2, "The keys are lost", asked.text, cosine=0.5, persons=("Anna",)),
    ]
    assert by_fit(Pool(pool, []), asked, "surroundings") == [2, 1]


def test_a_name_is_no_word_to_look_for_beside_others() -> None:
    """Everything Anna does holds her name: it says nothing of which of it is meant. Alone it is all there is."""
    assert [word.word for word in clause("What did Anna say about the keys?", "anna").sought] == ["say", "keys"]
    assert [word.word for word in clause("Anna?", "anna").sought] == ["anna"]
