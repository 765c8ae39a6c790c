"""Passive recall at the end of a program."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from amr_neo4j.app.memory_search import is_small_talk
from amr_neo4j.app.passive_recall import PassiveStream
from amr_neo4j.domain.budget import Budget, estimated_tokens
from amr_neo4j.domain.recall import Recalled, Streamed, TurnCitation
from amr_neo4j.domain.speakers import Speakers

# A memory that is closed while its search is under way, as a chat that ends with its last turn.
PROGRAM = """
import time
from types import SimpleNamespace
from amr_neo4j.domain.recall import Streamed
from amr_neo4j.domain.budget import estimated_tokens
from amr_neo4j.domain.budget import Budget
from amr_neo4j.app.passive_recall import PassiveRecall

def stream(text, skip, personal):
    print("searches", flush=True)
    time.sleep(1)
    print("has searched", flush=True)
    return Streamed()

search = SimpleNamespace(stream=stream, load=lambda: None)
recall = PassiveRecall(lambda user: search, count=estimated_tokens, budget=Budget())
recall.of("anna").said("e1", "I live in Porto.")
time.sleep(0.2)
recall.close()
print("closed", flush=True)
"""


def test_a_search_under_way_delays_the_end_of_the_program_and_not_of_the_memory() -> None:
    """If the interpreter ended during a search in a C++ library, the library would abort it."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:3] == ["searches", "closed", "has searched"], done.stderr


@pytest.mark.parametrize(
    ("lines", "shown"),
    [(3, ["You like jazz", "You like tea", "You dislike tea"]), (2, ["You like jazz", "You like opera"]), (0, [])],
)
def test_both_sides_of_a_contradiction_are_brought_to_mind_or_neither(lines: int, shown: list[str]) -> None:
    def fact(text: str, *opposed: str) -> Recalled:
        return Recalled("fact", text, 0.7, None, None, fact_id=text, opposed=opposed)

    like, dislike = fact("You like tea", "You dislike tea"), fact("You dislike tea", "You like tea")
    found = Streamed((fact("You live in Rome"), fact("You like jazz"), like, dislike, fact("You like opera")))
    stream = PassiveStream(lambda *_: found, lambda job: job(), estimated_tokens, Budget())
    for turn in ("e1", "e2"):
        stream.said(turn, "Hello")
    hints = ["You live in Rome"]
    assert list(stream.context([], [], hints, lambda triple: True, lines).facts) == [*hints, *shown]


SMALL_TALK = [
    "You're welcome! Is there anything else I can help you with?",
    "That sounds lovely, enjoy your walk with your dog!",
    "Gern geschehen! Ich wünsche dir einen schönen Tag.",
    "De rien, bonne journée à vous !",
    "¡Qué bien! Disfruta del paseo.",
    "Che bello, divertiti!",
]
TELLS = [
    "I booked the table for eight at Luigi's.",
    "The appointment is at 15:30.",
    "Ich habe Anna angerufen.",
    "J'ai réservé une table à Lyon.",
]


@pytest.mark.parametrize(("text", "small"), [*((t, True) for t in SMALL_TALK), *((t, False) for t in TELLS)])
def test_an_assistants_small_talk_is_not_streamed(text: str, small: bool) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    for actor, expected in (("assistant", small), ("user", False), ("Ben", False)):
        source = TurnCitation(-1, "ep", "s", 1, "t", actor, now)
        said = Recalled("turn", f"{actor}: {text}", 0.8, now, source)
        assert is_small_talk(Speakers(), "anna", ("en", "es", "fr", "de", "it"), said) == expected
