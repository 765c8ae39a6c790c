"""What tells nothing about the user does not answer a question about the user."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from amr_neo4j.app.beliefs import UserBeliefs
from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.speakers import Speakers

_SCOPE = Scope("home", user_id="anna")
_BELIEFS = UserBeliefs(Mock(), "en,es,fr,de,it", speakers=Speakers.with_agents("Jarvis"))
_ABOUT_USER = {
    "en": "Where do I live?",
    "es": "¿Dónde trabajo?",
    "fr": "Comment je m'appelle ?",
    "de": "Wie heißt meine Katze?",
    "it": "Come mi chiamo?",
}


def _turn(text: str, actor: str = "user") -> Event:
    turn = Turn("e", "s", 0, "t", actor)
    return Event(-1, "home", "s", (), 0, 0.0, 1.0, f"{actor}: {text}", turn=turn)


@pytest.mark.parametrize("question", _ABOUT_USER.values())
@pytest.mark.parametrize("actor", ["assistant", "system", "tool", "Système", "gpt-4o", "jarvis", "weather-bot"])
def test_the_words_of_programs_are_no_evidence(question: str, actor: str) -> None:
    assert _BELIEFS.no_evidence(question, [_turn("You live in Rome.", actor)], _SCOPE) == {-1}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Is there a good dentist in Leamington?"),
        ("en", "where can I find a dentist in Rome"),
        ("en", "What if I bought a Tesla?"),
        ("en", 'How do you say "my name is Otto" in German?'),
        ("en", "Translate: I live in Rome."),
        ("en", "If I lived in Rome, I would eat pizza every day."),
        ("en", "Imagine I lived in Rome."),
        ("es", "¿Hay un buen dentista en Getafe?"),
        ("es", "Si viviera en Roma, comería pizza."),
        ("es", "Traduce: vivo en Roma."),
        ("fr", "Y a-t-il un bon dentiste à Reims ?"),
        ("fr", "Traduis : j'habite à Rome."),
        ("fr", "Imagine que j'habite à Rome."),
        ("de", "Angenommen, ich hätte eine Katze namens Mimi, wäre das ein guter Name?"),
        ("de", "Wenn ich in Rom wohnte, würde ich Pizza essen."),
        ("de", "Übersetze: Ich wohne in Rom."),
        ("it", "C'è un bravo dentista a Pavia?"),
        ("it", "Traduci: abito a Roma."),
        ("it", 'Come si dice "mi chiamo Otto" in tedesco?'),
    ],
)
def test_questions_hypotheses_and_tasks_are_no_evidence(code: str, text: str) -> None:
    assert _BELIEFS.no_evidence(_ABOUT_USER[code], [_turn(text)], _SCOPE) == {-1}


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome, right?",
        "I live in Rome. Where can I eat?",
        "Did I tell you that I live in Rome?",
        "Which is why I moved to Rome.",
        "If it rains I take my umbrella.",
        "Thanks! My car is a Tesla.",
        "Vivo en Roma, ¿verdad?",
        "J'habite à Rome, non ?",
        "Wenn es regnet, bleibe ich zu Hause.",
    ],
)
def test_statements_are_evidence(text: str) -> None:
    assert _BELIEFS.no_evidence("Where do I live?", [_turn(text), _turn(text, "Ben")], _SCOPE) == set()


@pytest.mark.parametrize(
    "question",
    ["What did you recommend to me?", "¿Qué me recomendaste?", "What did I ask you?", "What is Anna's job?"],
)
def test_questions_about_others_and_about_what_was_said_take_all_turns(question: str) -> None:
    turns = [_turn("You might like Rome.", "assistant"), _turn("Is Rome nice?")]
    assert _BELIEFS.no_evidence(question, turns, _SCOPE) == set()
