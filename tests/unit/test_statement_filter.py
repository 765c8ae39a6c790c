"""Which turns a search leaves out: those that merely ask."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j.app.beliefs import only_reacts
from amr_neo4j.app.memory_search import StatementFilter
from amr_neo4j.language.languages import ENGLISH

NOTHING_OUTDATED: Any = SimpleNamespace(outdated=lambda numbers: [])
LONG = (
    "I'm building a budget tracker with Flask and want the first version out by 15 March, "
    "can you help me plan the weeks until then?"
)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Where do I live?", False),
        ("Hi! Can you recommend a restaurant?", False),
        ("I live in Porto.", True),
        (LONG, True),
    ],
)
def test_a_long_question_tells_what_it_is_about(text: str, holds: bool) -> None:
    turn: Any = SimpleNamespace(summary_text=text, node_id=-1, turn=None)
    assert bool(StatementFilter(NOTHING_OUTDATED, ENGLISH, ("en",)).holds([turn])) is holds


@pytest.mark.parametrize(
    "text",
    [
        *("ok", "haha nice", "Good morning!", "thanks a lot", "ciao", "merci !", "Guten Morgen", "gracias"),
        *(
            "Hi there!",
            "Sounds good.",
            "That is funny",
            "Great, thank you so much for your help!",
            "See you tomorrow!",
        ),
        *("Klingt gut", "Vielen Dank für deine Hilfe!", "Auf Wiedersehen!", "D'accord, super.", "À demain !"),
        *(
            "Merci beaucoup pour ton aide !",
            "Hasta mañana",
            "Muchas gracias por tu ayuda",
            "A domani!",
            "Buona notte",
        ),
        "Haha. Nice!",
    ],
)
def test_reactions_and_greetings_are_no_memory(text: str) -> None:
    assert only_reacts(text, ("en", "es", "fr", "de", "it"))


@pytest.mark.parametrize(
    "text",
    [
        "I quit",
        "Rex died",
        "Great. Rex died.",
        "tomorrow",
        "My friend is funny",
        "I love jazz.",
        "Mi piace",
        "Ich mag Tee",
    ],
)
def test_a_short_turn_that_says_something_is_no_reaction(text: str) -> None:
    assert not only_reacts(text, ("en", "es", "fr", "de", "it"))
