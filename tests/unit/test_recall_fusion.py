"""Measures of an event fused into one score: of the event, its segment, and what lies beside it in time."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Action, Event, Turn
from amr_neo4j.domain.ports import Names, Vectors
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.domain.scene import SceneMatch
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import search
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.rank.fusion import bm25, fused_scores
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.pool import Pool
from amr_neo4j.recall.sources import Sources
from amr_neo4j.recall.weights import FUSION, SCORING, Weights
from tests.support.fake_graph import HashedWords, kitchen

RANKS_ALONE: Weights = {"rank": 1.0}
FLAT: Weights = {"words": 0.5, "meaning": 0.5}
words = st.sampled_from(["keys", "drawer", "opens", "mug", "rain"])
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
counted = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8)


def clause(text: str, *persons: str) -> Clause:
    return Clause(text, ENGLISH.content_words(text), persons, language=ENGLISH)


def asked_of(text: str, *persons: str) -> ParsedQuestion:
    return parse_question(text, Names(persons=frozenset(persons)), ENGLISH)


def candidate(
    n: int, summary: str, parsed: ParsedQuestion, *, cosine: float = 0.0, start: float = 0.0, **rest
) -> Candidate:
    event = Event(n, "g", rest.pop("video", "v"), ("c",), 0, start, start + 1, summary, **rest)
    cosines = dict.fromkeys([WHOLE, *(clause.text for clause in parsed.clauses)], cosine)
    return Candidate(event, Path((n,), (), 0.0), cosines=cosines, language=ENGLISH)


def fit_of(pool: list[Candidate], parsed: ParsedQuestion, weights: Weights = FUSION.weights) -> dict[int, float]:
    texts = [WHOLE, *(clause.text for clause in parsed.clauses)]
    cosines = {text: np.array([c.cosines[text] for c in pool]) for text in texts}
    columns = Pool({c.node_id: c.event for c in pool}, cosines, ENGLISH)
    scores = fused_scores(parsed, columns, weights)[WHOLE].tolist()
    return {c.node_id: score for c, score in zip(pool, scores, strict=True)}


def by_fit(pool: list[Candidate], parsed: ParsedQuestion, weights: Weights = FUSION.weights) -> list[int]:
    fit = fit_of(pool, parsed, weights)
    return sorted(fit, key=lambda node_id: -fit[node_id])


def test_bm25_equals_the_formula() -> None:
    """A text of two words and one of four, a term in the first alone: the formula with its numbers put in."""
    rarity, mean = log(1 + (2 - 1 + 0.5) / (1 + 0.5)), 3
    k1, b = SCORING.bm25_saturation, SCORING.bm25_length
    expected = rarity * 1 * (k1 + 1) / (1 + k1 * (1 - b + b * 2 / mean))
    assert bm25(np.array([[1.0, 0.0]]), np.array([2.0, 4.0])).tolist() == [pytest.approx(expected), 0]


@given(counted)
def test_bm25_is_positive_only_for_texts_with_a_term(found: list[list[int]]) -> None:
    """A score is positive if and only if the text contains a term, for any lengths, an empty text included."""
    counts = np.array(found, np.float64).T
    scores = bm25(counts, counts.sum(axis=0))
    assert [score > 0 for score in scores] == [any(of) for of in found]


@pytest.mark.parametrize("weights", [RANKS_ALONE, FLAT, FUSION.weights])
@given(summaries=st.lists(texts, max_size=8), order=st.randoms(use_true_random=False))
def test_any_pool_is_fused(weights: Weights, summaries: list[str], order) -> None:
    """Every candidate has a score from 0 to 1, the same in any order; no candidates are no error."""
    parsed = asked_of("who opens the drawer after the rain stops?")
    pool = [candidate(n, text, parsed, cosine=len(text) / 50, start=n) for n, text in enumerate(summaries)]
    scores = fit_of(pool, parsed, weights)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores.values()) and len(scores) == len(pool)
    shuffled = fit_of(order.sample(pool, len(pool)), parsed, weights)
    assert {node_id: pytest.approx(fit) for node_id, fit in shuffled.items()} == scores


@pytest.mark.parametrize("weights", [FLAT, FUSION.weights])
def test_the_best_event_by_words_and_embedding_comes_first(weights: Weights) -> None:
    parsed = asked_of("Where are the keys?")
    pool = [
        candidate(1, "Rain on the window", parsed, cosine=0.1),
        candidate(2, "Anna puts the keys into the drawer", parsed, cosine=0.7, video="w"),
        candidate(3, "The drawer opens", parsed, cosine=0.2, video="x"),
    ]
    assert by_fit(pool, parsed, weights)[0] == 2


def test_an_event_in_the_segment_of_a_match_is_raised() -> None:
    """Of two equal lines, the one near a match ranks first; flat weights cannot tell them apart."""
    parsed = asked_of("What colour is the car?")
    pool = [
        candidate(1, "What colour is your car?", parsed, cosine=0.9),
        candidate(2, "Blue, I think", parsed, cosine=0.3, start=2),
        candidate(3, "Blue, I think", parsed, cosine=0.3, video="w"),
        candidate(4, "The rain stops", parsed, video="w", start=2),
    ]
    assert by_fit(pool, parsed)[:2] == [1, 2]
    of = fit_of(pool, parsed, FLAT)
    assert of[2] == of[3]


def test_the_words_of_the_events_right_before_and_after_count() -> None:
    """Of two equal lines, the one next to a line with words of the question ranks first; not across a pause."""
    parsed = asked_of("Which colour did Clara choose for the new garden bench?")
    pool = [
        candidate(1, "The new garden bench: which colour, Clara?", parsed, start=0),
        candidate(2, "Green", parsed, start=2),
        candidate(3, "Green", parsed, start=300),
        candidate(4, "The rain stops", parsed, start=302),
    ]
    fit = fit_of(pool, parsed)
    assert fit[2] > fit[3]


@pytest.mark.parametrize(("conjunction", "first"), [("after", 3), ("before", 1)])
def test_an_event_on_the_asked_side_of_another_is_raised(conjunction: str, first: int) -> None:
    """Two equal lines around the event that time is counted from: the one on the asked side ranks first."""
    parsed = asked_of(f"What happens {conjunction} the drawer opens?")
    pool = [
        candidate(1, "Rain on the window", parsed, cosine=0.2, start=0),
        candidate(2, "The drawer opens", parsed, cosine=0.5, start=5),
        candidate(3, "Rain on the window", parsed, cosine=0.2, start=10),
    ]
    ranked = by_fit(pool, parsed)
    assert ranked.index(first) < ranked.index(4 - first)


def test_events_of_the_named_person_are_raised() -> None:
    parsed = asked_of("What did Anna say about the keys?", "anna")
    pool = [
        candidate(1, "The keys are lost", parsed, cosine=0.5, persons=("Ben",)),
        candidate(2, "The keys are lost", parsed, cosine=0.5, persons=("Anna",)),
    ]
    assert by_fit(pool, parsed) == [2, 1]


@pytest.mark.parametrize(
    ("question", "first"), [("Which recipe has olives?", "user"), ("Which recipe did you recommend?", "assistant")]
)
def test_a_turn_of_a_person_is_raised_unless_the_assistant_is_asked_about(question: str, first: str) -> None:
    parsed = asked_of(question)
    turns = {n: Turn(f"e{n}", "s", n, f"t{n}", actor) for n, actor in enumerate(("assistant", "user"))}
    cosine = {"assistant": 0.51, "user": 0.5}
    pool = [candidate(n, "a recipe with olives", parsed, cosine=cosine[t.actor], turn=t) for n, t in turns.items()]
    pool.append(candidate(2, "rain", parsed, turn=Turn("e2", "s", 2, "t2", "user")))
    assert turns[by_fit(pool, parsed)[0]].actor == first


def test_a_name_is_no_search_term_beside_other_words() -> None:
    """All of Anna's events contain her name, so it does not discriminate. Alone it is the only term."""
    assert [word.word for word in clause("What did Anna say about the keys?", "anna").search_terms] == ["say", "keys"]
    assert [word.word for word in clause("Anna?", "anna").search_terms] == ["anna"]


def test_the_index_compares_an_event_with_all_parts_of_a_question_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk alone asks again, for what is asked; each call is a round trip to a sidecar."""
    graph, compared = kitchen(), list[tuple[int, list[int]]]()
    similarities = graph.similarities

    def noted(vectors: Vectors, node_ids: list[int]) -> Vectors:
        compared.append((len(vectors), node_ids))
        return similarities(vectors, node_ids)

    monkeypatch.setattr(graph, "similarities", noted)
    monkeypatch.setattr(graph, "search", lambda *args: [])
    assert search("Who called after Ben left?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    whole = [node_id for vectors, node_ids in compared for node_id in node_ids if vectors == 3]
    assert whole and len(whole) == len(set(whole))
    assert {vectors for vectors, _ in compared} <= {1, 3}


def test_an_event_gains_by_what_fits_in_its_scene() -> None:
    """Of two equal captions the one ranks first around which others fit, too."""
    parsed = asked_of("Who repairs the mug?")
    alone = candidate(1, "Anna waits.", parsed, start=5000.0, cosine=0.1)
    inside = candidate(2, "Anna waits.", parsed, start=980.0, cosine=0.1)
    around = [candidate(n, "She repairs the mug.", parsed, start=1030.0 + 10 * n, cosine=0.5) for n in (3, 4)]
    fit = fit_of([alone, inside, *around], parsed)
    assert fit[2] > fit[1]


def test_a_short_video_and_a_conversation_have_no_scenes() -> None:
    scenes = {30.0: 1.0}
    film = [(1, 0.0, "v"), (2, 20.0, "v"), (3, 0.0, "w"), (4, 70.0, "w"), (5, 80.0, "w")]
    events = {n: Event(n, "g", video, ("c",), 0, start, start + 1, "") for n, start, video in film}
    pool = Pool(events, {}, ENGLISH)
    # The video v has less than two scenes: its events get the mean of the others.
    assert pool.by_scenes(np.array([9.0, 9.0, 0.0, 2.0, 2.0]), scenes, 2).tolist() == pytest.approx(
        [2 / 3, 2 / 3, 0, 1, 1]
    )
    talk = {-n: Event(-n, "g", "s", (), n, 0.0, 0.0, "", turn=Turn(f"e{n}", "s", n, "", "Anna")) for n in (1, 2, 3)}
    assert Pool(talk, {}, ENGLISH).by_scenes(np.array([1.0, 2.0, 3.0]), scenes, 2).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("seconds", "gains"), [(400.0, True), (90.0, False)])
def test_a_scene_with_the_words_counts_in_a_video_of_minutes(seconds: float, gains: bool) -> None:
    """One scene that has them is enough: on the first day of a memory there are few scenes."""
    film = [(1, 0.0), (2, seconds)]
    events = {n: Event(n, "g", "v", ("c",), 0, start, start + 1, "") for n, start in film}
    pool = Pool(events, {}, ENGLISH, scenes=[SceneMatch("v", 0, seconds - 5, seconds + 30, 2.0)])
    assert pool.by_words_of_scenes({0: 1.0}, 300.0).tolist() == [0.0, float(gains)]


def test_scenes_count_for_captions_and_not_where_actions_are_listed() -> None:
    """Of two equal events in a long film, the one with matches around it gains only if the events are captions."""
    parsed = asked_of("Who rinses the mug?")

    def lead(**listed) -> float:
        cosines = {n: 0.9 if n in (6, 7, 8) else 0.5 for n in range(40)}
        pool = [candidate(n, "a", parsed, cosine=c, start=60.0 * n, **listed) for n, c in cosines.items()]
        pool += [candidate(99, "a", parsed, cosine=0.5, start=6 * 60.0 + 5, **listed)]
        fit = fit_of(pool, parsed)
        return fit[99] - fit[30]

    assert lead() > lead(actions=(Action("anna", "rinse", "mug"),))
