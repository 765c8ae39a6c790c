"""An answer that may be wrong says so; only what memory cannot state is declined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from amr_neo4j.domain.event import Action, Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.by_rules import closest_claims
from amr_neo4j.recall.answer.checks import doubt, is_of_named, is_together
from amr_neo4j.recall.answer.claim import Reason
from amr_neo4j.recall.answer.render import render
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.rank.relevance import Answerability, coverage
from amr_neo4j.recall.rank.selection import Evidence, SelectedEvents
from amr_neo4j.recall.retrieve.candidate import Candidate

UNRELATED, CLOSE = 0.36, 0.56
ACTION = Action("emil", "repair", "bicycle", "")


def parsed(text: str) -> ParsedQuestion:
    return parse_question(text, Names(), ENGLISH)


def candidate(summary: str, cosine: float = 0.0, *actions: Action, turn: Turn | None = None) -> Candidate:
    event = Event(1, "g", "v", ("c",), 0, 0.0, 5.0, summary, actions=actions, turn=turn)
    return Candidate(event, Path((1,), (), 0.0), cosines={WHOLE: cosine}, language=ENGLISH)


@pytest.mark.parametrize(
    ("cosine", "actions", "relevance"),
    [
        (0.5, (), Answerability.DOUBTFUL),
        (0.5, (ACTION,), Answerability.UNRELATED),
        (0.3, (), Answerability.UNRELATED),
    ],
    ids=["caption, near", "taken apart", "caption, far"],
)
def test_a_caption_near_in_meaning_may_have_another_word_for_the_thing(
    cosine: float, actions: tuple[Action, ...], relevance: Answerability
) -> None:
    found = [candidate("Emil repairs a bicycle", cosine, *actions)]
    assert coverage(parsed("Who repaired the velocipede?"), found, UNRELATED).relevance is relevance


@pytest.mark.parametrize(
    ("question", "cosine", "reason"),
    [
        ("Who painted the bicycle?", 0.5, Reason.IN_DOUBT),
        ("Who painted the bicycle?", 0.4, Reason.NOT_STATED),
        ("Who painted the fence?", 0.5, Reason.NOT_STATED),
        ("Who painted the fence?", 0.6, Reason.IN_DOUBT),
    ],
)
def test_an_event_that_bears_out_a_part_is_doubted_at_less_of_a_cosine(
    question: str, cosine: float, reason: Reason
) -> None:
    found = [candidate("A bicycle is repaired", cosine, ACTION)]
    assert doubt(parsed(question), found[0], Evidence(SelectedEvents(found), found, found, CLOSE)) is reason


@pytest.mark.parametrize(("between", "together"), [(0, True), (3, True), (12, False)])
def test_words_far_apart_in_a_long_turn_state_nothing_together(between: int, together: bool) -> None:
    text = " ".join(
        ["The workshop was on rebuttals.", *["We ate soup."] * between, "Techniques differ.", *["It rained."] * 4]
    )
    turn = Turn("e", "s", 0, "t", "Anna")
    asked = parsed("Which techniques did the workshop teach?").main
    assert is_together(asked, candidate(text, turn=turn)) is together
    assert is_together(asked, candidate(text))


@pytest.mark.parametrize(("cosine", "found"), [(0.4, True), (0.3, False)], ids=["near", "far"])
def test_a_word_that_memory_lacks_is_named_beside_the_nearest_unless_nothing_is_near(
    cosine: float, found: bool
) -> None:
    events = [candidate("A bicycle is repaired", cosine, ACTION)]
    question = parsed("Who repaired the bicycle with the wrench?")
    answer = render(question, closest_claims(question, events, ("wrench",), close=CLOSE), events)
    assert (answer.found, "wrench" in answer.text) == (found, True)


@pytest.mark.parametrize(
    ("question", "actor", "is_of_her"),
    [
        ("What does Anna paint?", "Anna", True),
        ("What does Anna paint?", "Ben", False),
        ("What does Anna paint?", "", True),  # an event of a video
        ("What is painted?", "Ben", True),
    ],
)
def test_what_one_speaker_says_is_no_answer_about_another(question: str, actor: str, is_of_her: bool) -> None:
    asked = parse_question(question, Names(persons=frozenset({"anna"})), ENGLISH)
    turn = Turn("e", "s", 0, "t", actor) if actor else None
    event = replace(candidate("I paint boats", turn=turn).event, persons=(actor,) if actor else ())
    assert is_of_named(asked, Candidate(event, Path((1,), (), 0.0), language=ENGLISH)) is is_of_her
