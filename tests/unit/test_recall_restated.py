"""Of two turns that state values of one thing the newer one stands above the older."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Answer, Path, citation
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.render import with_replaced
from amr_neo4j.recall.evidence.replacements import contradictions, restated
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.retrieve.candidate import Candidate

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def turn(n: int, words: str, day: int, score: float, actor: str = "user") -> Candidate:
    said = Turn(f"e{n}", "s", n, f"t{n}", actor)
    event = Event(-n, "g", "s", (), 0, 0.0, 1.0, f"{actor}: {words}", turn=said, at=START + timedelta(days=day))
    return Candidate(event, Path((-n,), (), 0.0), score=score, language=ENGLISH)


def replaced(question: str, *ranked: Candidate) -> list[tuple[int, int]]:
    parsed = parse_question(question, Names(), ENGLISH)
    return [(-each.old, -each.new) for each in restated(parsed, ranked)]


@pytest.mark.parametrize(
    ("question", "before", "now"),
    [
        ("How many hens does our coop hold?", "The coop holds 12 hens.", "Our coop holds twenty hens."),
        ("When is the dentist appointment?", "The dentist appointment is 3 May.", "My dentist appointment: May 9."),
        ("What is the rent of the garage?", "The garage rent is €90.", "The rent of the garage rose to €110."),
        ("What is the humidity in the cellar?", "Humidity in the cellar is 60%.", "Cellar humidity is now 45%."),
        ("At what time does the ferry to Skye leave?", "Skye ferry leaves at 8 am.", "Skye ferry leaves 9:30 am."),
    ],
)  # fmt: skip
def test_the_newer_value_replaces_the_older(question: str, before: str, now: str) -> None:
    assert replaced(question, turn(1, before, 0, 0.8), turn(2, now, 9, 0.7)) == [(1, 2)]


HENS = "How many hens does our coop hold?"
OLD = turn(1, "Our coop holds 12 hens.", 0, 0.8)


@pytest.mark.parametrize(
    ("question", "other"),
    [
        (HENS, turn(2, "Our coop holds twelve hens.", 9, 0.7)),
        (HENS, turn(2, "The neighbours keep 7 geese.", 9, 0.7)),
        (HENS, turn(2, "Our coop with the hens cost $300.", 9, 0.7)),
        (HENS, turn(2, "A coop holds 20 hens.", 9, 0.7, actor="assistant")),
        (HENS, turn(2, "Our coop holds 20 hens.", 9, 0.7, actor="Ben")),
        (HENS, turn(2, "Our coop holds 20 hens.", -9, 0.7)),
        (HENS, turn(2, "Our coop holds 20 hens.", 9, 0.3)),
        (HENS, turn(2, "Here is code:\n```\ncoop = hens(20)\n```", 9, 0.7)),
        ("How many hens did our coop hold before?", turn(2, "Our coop holds 20 hens.", 9, 0.7)),
        ("Do we have hens in our coop?", turn(2, "Our coop holds 20 hens.", 9, 0.7)),
    ],
    ids=["the same value", "another thing", "another kind", "an assistant", "another speaker", "older", "hardly fits",
         "code", "what was so", "no value asked"],
)  # fmt: skip
def test_what_replaces_nothing(question: str, other: Candidate) -> None:
    assert replaced(question, OLD, other) == []


def test_a_newer_turn_that_is_above_already_needs_nothing() -> None:
    assert replaced(HENS, turn(2, "Our coop holds 20 hens.", 9, 0.9), OLD) == []


def test_the_answer_says_what_it_was_before_and_keeps_the_older_turn_behind_the_newer() -> None:
    newer = turn(2, "Our coop holds 20 hens.", 9, 0.7)
    outdated = {each.old: each for each in restated(parse_question(HENS, Names(), ENGLISH), [OLD, newer])}
    question = parse_question(HENS, Names(), ENGLISH).question
    other = turn(3, "It rains.", 1, 0.1)
    hits = (newer.hit(), other.hit())
    found = Answer(question, "Our coop holds 20 hens.", True, hits, (citation(newer.event),))
    answer = with_replaced(found, [newer, OLD, other], outdated, ENGLISH.grammar)
    assert "Something else was said on " in answer.text and "12 hens" not in answer.text
    assert answer.replaced and answer.replaced.event.summary_text == "user: Our coop holds 12 hens."
    assert [hit.event.node_id for hit in answer.evidence] == [-2, -1, -3]
    assert [cited.node_id for cited in answer.citations] == [-2, -1]


def test_of_contrary_turns_of_one_call_the_last_is_the_newer() -> None:
    events = [turn(n, words, 0, 0.5).event for n, words in ((1, "allowed"), (2, "not allowed"))]
    for given in (events, events[::-1]):
        [found] = contradictions(given, lambda said: {said.index("allowed"): said.index("not allowed")})
        assert (found.old, found.new) == (-1, -2)
    told: list[str] = []
    contradictions(events[::-1], lambda said: told.extend(said) or {})
    assert told == ["allowed", "not allowed"]
