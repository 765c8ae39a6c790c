"""Which turns a search leaves out: those that merely ask."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j.app.beliefs import only_reacts
from amr_neo4j.app.memory_search import StatementFilter
from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.recall import OutdatedTurn
from amr_neo4j.language.languages import ENGLISH

NOTHING_OUTDATED: Any = SimpleNamespace(outdated=lambda numbers: {})
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
    assert bool(StatementFilter(NOTHING_OUTDATED, ENGLISH, ("en",)).holding([turn])) is holds


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


def test_a_turn_tells_what_of_it_holds_no_longer() -> None:
    """A short turn of which nothing holds is left out, a long one stays."""
    over = {
        0: OutdatedTurn(whole=False, over=("You live in Porto",)),
        1: OutdatedTurn(whole=True, over=("You live in Bonn",)),
        2: OutdatedTurn(whole=True, over=("You live in Lima",)),
    }
    reader: Any = SimpleNamespace(outdated=lambda numbers: {n: over[n] for n in numbers if n in over})
    texts = [
        "I live in Porto and work at BMW.",
        "I live in Bonn.",
        "I live in Lima. It rains. I am tired.",
        "Rex is ill.",
    ]
    turns: Any = [SimpleNamespace(summary_text=t, node_id=said_id(n), turn=None) for n, t in enumerate(texts)]
    holding = StatementFilter(reader, ENGLISH, ("en",)).holding(turns)
    assert [(turn.summary_text, no_longer) for turn, no_longer in holding] == [
        (texts[0], ("You live in Porto",)),
        (texts[2], ("You live in Lima",)),
        (texts[3], ()),
    ]
