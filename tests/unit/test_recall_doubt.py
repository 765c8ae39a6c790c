"""An answer that may be wrong says so; only what memory cannot state is declined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from amr_neo4j.domain.event import Action, Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.attribute import attribute_claims
from amr_neo4j.recall.answer.by_rules import closest_claims
from amr_neo4j.recall.answer.checks import doubt, is_of_named, is_together
from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown, event_claim
from amr_neo4j.recall.answer.confidence import confidence, worded
from amr_neo4j.recall.answer.render import render
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.rank.relevance import Answerability, coverage
from amr_neo4j.recall.retrieve.candidate import Candidate

UNRELATED = 0.36
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


@pytest.mark.parametrize("question", ["Does Clara have children?", "Is Clara a girl?"])
def test_a_turn_without_the_persons_asked_for_is_in_doubt(question: str) -> None:
    """Films may call whom they show otherwise, talk need not."""
    said = candidate("user: Clara bought a new car", 0.9, turn=Turn("e", "s", 0, "t", "user"))
    assert coverage(parsed(question), [said], UNRELATED).relevance is Answerability.DOUBTFUL
    shown = candidate("Clara buys a new car", 0.9)
    assert coverage(parsed(question), [shown], UNRELATED).relevance is Answerability.RELEVANT


@pytest.mark.parametrize(
    ("question", "actions", "reason"),
    [
        ("Who painted the bicycle?", (ACTION,), Reason.IN_DOUBT),
        ("When did Anna repair the bicycle?", (ACTION,), Reason.NOT_STATED),
        ("When did Anna repair the bicycle?", (), Reason.IN_DOUBT),
    ],
    ids=["another verb", "another person", "another person, caption"],
)
def test_lists_of_others_than_the_person_who_is_named_state_no_deed_of_theirs(
    question: str, actions: tuple[Action, ...], reason: Reason
) -> None:
    asked = parse_question(question, Names(persons=frozenset({"anna"})), ENGLISH)
    assert doubt(asked, candidate("Emil repairs a bicycle", 0.5, *actions)) is reason


@pytest.mark.parametrize(("between", "together"), [(0, True), (3, True), (12, False)])
def test_words_far_apart_in_a_long_turn_state_nothing_together(between: int, together: bool) -> None:
    text = " ".join(
        ["The workshop was on rebuttals.", *["We ate soup."] * between, "Techniques differ.", *["It rained."] * 4]
    )
    turn = Turn("e", "s", 0, "t", "Anna")
    asked = parsed("Which techniques did the workshop teach?").main
    assert is_together(asked, candidate(text, turn=turn)) is together
    assert is_together(asked, candidate(text))


def test_a_word_that_memory_lacks_is_named_beside_the_nearest() -> None:
    events = [candidate("A bicycle is repaired", 0.4, ACTION)]
    question = parsed("Who repaired the bicycle with the wrench?")
    answer = render(question, closest_claims(question, events, ("wrench",)), events)
    assert (answer.found, "wrench" in answer.text) == (True, True)


def scored(number: int, summary: str, score: float, *actions: Action) -> Candidate:
    event = Event(number, "g", "v", ("c",), 0, 9.0 * number, 9.0 * number + 5, summary, actions=actions)
    return Candidate(event, Path((number,), (), 0.0), score=score, language=ENGLISH)


BICYCLE = "Who repaired the bicycle?"


def test_what_stands_out_and_has_the_words_is_surer() -> None:
    """A rival with the same score takes half of it, and a missing word some more."""
    question, alone = parsed(BICYCLE), scored(1, "Emil repairs the bicycle", 0.9)
    rivals = [alone, *(scored(n, "Emil repairs the bicycle", 0.9) for n in range(2, 12))]
    other = scored(1, "Emil repairs a pump", 0.9)
    sure = confidence(question, Claims((event_claim(alone),)), [alone])
    assert sure > confidence(question, Claims((event_claim(alone),)), rivals) > 0
    assert sure > confidence(question, Claims((event_claim(other),)), [other])
    assert sure > confidence(question, Unknown(Reason.IN_DOUBT, (event_claim(alone),)), [alone])
    assert confidence(question, Unknown(), []) == 0.0
    assert confidence(question, Claims((event_claim(alone),), confidence=0.7), rivals) == 0.7


@pytest.mark.parametrize(
    ("sure", "cost", "actions", "rule", "worded_as"),
    [
        (0.6, 1.0, (), "doubted", "plain"),
        (0.6, 1.0, (ACTION,), "doubted", "doubted"),  # what lists do not have is missing, however sure
        (0.6, 1.0, (), "plain", "plain"),
        (0.6, 3.0, (), "plain", "doubted"),
        (0.35, 1.0, (), "plain", "doubted"),
        (0.35, 0.5, (), "plain", "plain"),
        (0.1, 1.0, (), "plain", "declined"),
        (0.1, 1.0, (), "doubted", "declined"),
        (0.18, 1.0, (ACTION,), "doubted", "declined"),
        (0.18, 1.0, (), "doubted", "doubted"),
        (0.9, 1.0, (), "declined", "declined"),
    ],
)
def test_the_words_of_an_answer_follow_from_its_confidence_and_the_cost_of_a_wrong_one(
    sure: float, cost: float, actions: tuple[Action, ...], rule: str, worded_as: str
) -> None:
    claims = (event_claim(candidate("Emil repairs the bicycle", 0.5, *actions)),)
    reason = Reason.IN_DOUBT if rule == "doubted" else Reason.NOT_STATED
    result = worded(parsed(BICYCLE), Claims(claims) if rule == "plain" else Unknown(reason, claims), sure, cost)
    kind = "plain" if isinstance(result, Claims) else "declined" if result.declines else "doubted"
    assert kind == worded_as


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


@pytest.mark.parametrize(
    ("question", "uri", "told"),
    [
        ("What colour is the bicycle?", "/films/yard cam.mp4", True),
        ("What brand is the bicycle?", "/films/yard cam.mp4", True),
        ("What colour is the bicycle?", "", False),
        ("How much did the bicycle cost?", "/films/yard cam.mp4", False),
    ],
)
def test_what_no_caption_states_may_be_seen_in_the_film_at_hand(question: str, uri: str, told: bool) -> None:
    """The answer names the film, and where in it to look."""
    found = candidate("Emil repairs a bicycle", 0.5, ACTION)
    found = replace(found, event=replace(found.event, uri=uri, video_id="yard cam"))
    asked = parsed(question)
    claims = attribute_claims(asked, [found])
    assert isinstance(claims, Unknown)
    look = "(00:00:00 to 00:00:05): amr explore 'yard cam'"
    assert (look in render(asked, claims, [found]).text) is told
    doubtful = replace(claims, nearest=(event_claim(found),))
    assert (look in render(asked, doubtful, [found]).text) is told
