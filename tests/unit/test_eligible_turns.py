"""Whether the nearest turns state the fact that a question asks for."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from amr_neo4j.app.beliefs import UserBeliefs
from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.rank.eligible import about_what_is_asked
from amr_neo4j.recall.rank.relevance import Answerability, Coverage
from amr_neo4j.recall.retrieve.candidate import Candidate

SCOPE = Scope("home", user_id="anna")
PASTED = ["Dr. Salt lives in Zurich.", "ok cool", "Karl Berger lives in Kiel.", "she lives for this stuff"]


def candidate(n: int, text: str, *, of_film: bool = False) -> Candidate:
    said = None if of_film else Turn(f"e{n}", "s", n, f"t{n}", "user")
    event = Event(-n, "home", "s", (), 0, 0.0, 1.0, text if of_film else f"user: {text}", turn=said)
    return Candidate(event, Path((-n,), (), 0.0), score=1 - n / 100, language=ENGLISH)


def held(question: str, found: list[Candidate], scope: Scope = SCOPE) -> Answerability:
    return kept(question, found, scope)[1]


def kept(question: str, found: list[Candidate], scope: Scope = SCOPE) -> tuple[list[int], Answerability]:
    facts = Mock()
    facts.return_value.full_names.return_value = frozenset()
    facts.return_value.about.return_value = []
    facts.return_value.turns_of_others.return_value = set()
    beliefs = UserBeliefs(facts, ("en",))
    parsed = parse_question(question, Names(), ENGLISH)
    related = Coverage(Answerability.RELEVANT)
    candidates, held = about_what_is_asked(parsed, found, related, beliefs, scope)
    return [-each.node_id for each in candidates], held.relevance


def test_what_no_turn_states_is_unstated() -> None:
    pasted = [candidate(n, text) for n, text in enumerate(PASTED, 1)]
    assert held("Where do I live?", pasted) is Answerability.UNSTATED
    assert held("Who lives in Paris?", pasted) is Answerability.UNSTATED


def test_one_of_the_nearest_turns_is_enough() -> None:
    found = [candidate(1, "ok cool"), candidate(2, "Dr. Salt lives in Zurich."), candidate(3, "I live in Bonn.")]
    assert held("Where do I live?", found) is Answerability.RELEVANT


def test_when_something_is_asks_for_a_turn_with_a_time() -> None:
    said = [candidate(1, "I bought a dress for Clara's wedding."), candidate(2, "Clara's wedding is on 2 May.")]
    assert kept("When is Clara's wedding?", said) == ([2], Answerability.RELEVANT)
    assert held("When is Clara's wedding?", said[:1]) is Answerability.UNSTATED
    # What was done, was done when it was told.
    assert kept("When did I buy a dress for Clara's wedding?", said)[0] == [1, 2]


def test_what_films_show_is_no_statement() -> None:
    films = [candidate(n, f"Anna buys bread at stall {n}.", of_film=True) for n in range(1, 5)]
    assert held("What did I buy at the market?", films) is Answerability.RELEVANT
    said = [*films, candidate(5, "I drive a Fiat Panda.")]
    assert held("What car do I drive?", said) is Answerability.RELEVANT


def test_a_turn_that_states_nothing_hides_no_film() -> None:
    found = [candidate(1, "ok cool"), candidate(2, "Anna buys bread at the market.", of_film=True)]
    assert kept("What did I buy at the market?", found) == ([2], Answerability.RELEVANT)


@pytest.mark.parametrize("question", ["What did Ben say about me?", "How often do I go to Zurich?", "What happened?"])
def test_only_a_question_for_a_fact_needs_a_statement(question: str) -> None:
    assert held(question, [candidate(1, "ok cool")]) is Answerability.RELEVANT


def test_a_topic_is_told_by_the_facts_of_it() -> None:
    assert held("My hobbies?", [candidate(1, "I play the piano.")]) is Answerability.RELEVANT


def test_a_narrower_scope_has_no_facts_to_miss() -> None:
    narrow = Scope("home", user_id="anna", session_ids=("s",))
    assert held("Where do I live?", [candidate(1, "ok cool")], narrow) is Answerability.RELEVANT


def talk(n: int, speaker: str, words: str) -> Candidate:
    event = Event(
        -n, "home", "film", (), 0, 0.0, 1.0, f"{speaker} says: {words}", dialogue_snippets=(f"{speaker}: {words}",)
    )
    return Candidate(event, Path((-n,), (), 0.0), score=1 - n / 100, language=ENGLISH)


def test_what_others_say_in_films_is_no_fact_about_the_user() -> None:
    ben = talk(1, "Ben", "I live in Lima.")
    assert held("Where do I live?", [ben]) is Answerability.UNSTATED
    assert held("Where does Ben live?", [ben]) is Answerability.RELEVANT
    assert kept("Where do I live?", [ben, talk(2, "Anna", "I live in Bonn.")]) == ([2], Answerability.RELEVANT)
    assert kept("Where do I live?", [ben, candidate(3, "I live in Bonn.")]) == ([3], Answerability.RELEVANT)
    assert held("Where do I live?", [talk(1, "", "I live in Lima.")]) is Answerability.RELEVANT


@pytest.mark.parametrize(
    "words", ["Anna lives in Lima.", "Anna said: I live in Lima.", 'Anna said, "I live in Lima."']
)
def test_what_somebody_says_of_another_in_a_film_is_said_of_the_other(words: str) -> None:
    of_videos = Scope("home")
    assert held("Where does Jake live?", [talk(1, "Jake", words)], of_videos) is Answerability.UNSTATED
    own = talk(1, "Jake", "I live in Lima.")
    assert held("Where does Jake live?", [own], of_videos) is Answerability.RELEVANT
    assert (
        held("What did Jake say about where she lives?", [talk(1, "Jake", words)], of_videos)
        is Answerability.RELEVANT
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What time does the meeting start?", "The meeting with Mister Brown starts at half past four."),
        ("Who is Mister Brown?", "The meeting with Mister Brown starts at half past four."),
        ("Who is Tom?", "Clara lives in Lima with Tom."),
    ],
)
def test_talk_in_a_film_about_what_the_question_names_may_answer(question: str, words: str) -> None:
    told, other = talk(1, "Ben", words), candidate(2, "I sold the garden chairs last week.")
    assert 1 in kept(question, [told, other])[0]


def test_a_turn_about_somebody_may_say_who_that_is() -> None:
    facts = Mock()
    facts.return_value.full_names.return_value = frozenset()
    facts.return_value.about.return_value = []
    facts.return_value.turns_of_others.return_value = {-1}
    beliefs, scope = UserBeliefs(facts, ("en", "de")), Scope("home", user_id="anna")
    said = candidate(1, "The meeting with Mister Brown starts at four.").event
    for question in ("Who is Mister Brown?", "Wer ist Herr Krause?"):
        assert beliefs.fact_asked(question, scope).stated_of_others([said]) == set()
    assert beliefs.fact_asked("Who is my boss?", scope).stated_of_others([said]) == {-1}
