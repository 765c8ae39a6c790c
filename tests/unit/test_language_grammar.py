"""The sentences of answers: number, articles, times; and that recall contains none of its own."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import amr_neo4j
from amr_neo4j.domain.event import Action, Event, Turn
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage

EVENT = Event(7, "g", "kitchen", ("c",), 0, 12.0, 14.0, "Anna waters the basil.")
TURN = replace(
    EVENT,
    at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    turn=Turn("e", "session_1", 4, "t", "Anna"),
)
grammar = ENGLISH.grammar
ANSWER_ROOM = Path(amr_neo4j.__file__).parent / "recall" / "answer"


@pytest.mark.parametrize(
    ("action", "actor", "clause"),
    [
        (Action("anna", "puts", "keys", "on the hook"), "Anna", "the keys were put on the hook, by Anna, at"),
        (Action("", "puts", "scissors"), "", "the scissors were put, at"),
        (Action("", "puts", "her glass"), "", "her glass was put, at"),
        (Action("", "puts", "the bus", time=13.5), "", "the bus was put, at 00:00:13.5 of kitchen"),
    ],
)
def test_a_change_agrees_with_its_object(action: Action, actor: str, clause: str) -> None:
    assert grammar.change_at(action, "put", actor, EVENT).startswith(clause)


def test_a_particle_that_the_place_repeats_is_said_once() -> None:
    put = Action("", "puts in", "glasses", "into the case")
    assert grammar.change_at(put, "put in", "", EVENT).startswith("the glasses were put into the case, at")
    lit = Action("", "turns on", "lamp", "on the desk")
    assert grammar.change_at(lit, "turn on", "", EVENT).startswith("the lamp was turned on on the desk, at")


@pytest.mark.parametrize(
    ("name", "called"),
    [("Anna", "Anna"), ("man in a yellow jacket", "the man in a yellow jacket"), ("a man", "a man")],
)
def test_only_a_description_takes_an_article(name: str, called: str) -> None:
    assert grammar.person_name(name) == called


def test_an_event_of_a_video_has_its_time_and_a_turn_its_date() -> None:
    assert grammar.event_at(EVENT) == "at 00:00:12 of kitchen: Anna waters the basil"
    assert grammar.when(TURN) == "on 8 May 2023 at 13:56 UTC"
    assert grammar.moment(EVENT, date_asked=True).startswith("at 00:00:12 of kitchen (its day is not known): ")
    assert grammar.moment(TURN, date_asked=True).startswith("said on Monday 8 May 2023, 13:56:00 UTC: ")


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ((), "Nothing in memory fits."),
        (("elephant", "zoe", "zoe"), "Nothing in memory fits: it knows nothing of “elephant” or “zoe”."),
    ],
)
def test_not_found_names_each_missing_word_once(missing: tuple[str, ...], text: str) -> None:
    assert grammar.not_found(missing) == text


def test_a_question_about_an_action_names_no_state() -> None:
    assert "on" in ENGLISH.asking.state_words("was the stove on")
    assert not {"on", "off"} & ENGLISH.asking.state_words("how long was the pan on the stove")
    assert ENGLISH.asking.state_words("how long did Ben turn the stove on") == frozenset()
    assert "on" in ENGLISH.asking.state_words("how long did the stove stay on")


def test_the_answer_package_contains_no_sentence() -> None:
    """Every phrase of an answer is the grammar's, so that another language needs no other code."""
    assert [text for path in ANSWER_ROOM.rglob("*.py") for text in _phrases(path)] == []


def _phrases(path: Path) -> list[str]:
    """The string literals of a module, but for docstrings, with two words next to each other."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    literals = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [node.value for node in literals if re.search(r"[a-z]{2,},? [a-z]{2,}", str(node.value))]


@pytest.mark.parametrize(
    ("code", "said", "fact"),
    [
        ("en", "on 8 May 2023 at 13:56 UTC Caroline said: “I work", "x, said on 8 May 2023 at 13:56 UTC: “I work”"),
        (
            "de",
            "am 8. Mai 2023 um 13:56 UTC sagte Caroline: „I work",
            "x, gesagt am 8. Mai 2023 um 13:56 UTC: „I work“",
        ),
        ("es", "el 8 de mayo de 2023 a las 13:56 UTC Caroline dijo: «I", "x, dicho el 8 de mayo de 2023 a las 13:56"),
        ("fr", "le 8 mai 2023 à 13:56 UTC Caroline a dit : « I", "x, dit le 8 mai 2023 à 13:56 UTC : « I work »"),
        (
            "it",
            "il 8 maggio 2023 alle 13:56 UTC Caroline ha detto: «I",
            "x, detto il 8 maggio 2023 alle 13:56 UTC: «I",
        ),
    ],
)
def test_the_time_of_a_turn_is_when_it_was_said_and_its_words_stand_beside_it(
    code: str, said: str, fact: str
) -> None:
    """When something was said is not when it happened."""
    turn = replace(TURN, summary_text="Caroline: I work at BMW since 1999.")
    spoken = AskedLanguage(code, "en").grammar
    assert spoken.event_at(turn).startswith(said)
    assert spoken.people_at(["Clara"], turn).startswith(f"Clara, {said}")
    assert spoken.believed_at("x", turn, "I work").startswith(fact)


@pytest.mark.parametrize("code", ["en", "de", "es", "fr", "it"])
def test_where_a_time_was_asked_for_no_word_is_said_to_be_unknown(code: str) -> None:
    """Memory may have the word at another time."""
    spoken = AskedLanguage(code, "en").grammar
    assert "zoe" in spoken.not_found(["zoe"])
    assert "zoe" not in spoken.not_found(["zoe"], in_time_span=True)
