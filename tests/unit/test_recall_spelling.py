"""Misspelled names."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.en.words import is_word
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.spelling import respellings, respelt
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, kitchen

PERSONS = ("anna", "ben", "clara", "man_yellow_jacket")
OBJECTS = ("refrigerator", "chopping board", "airpod", "phone", "red mug", "kettle", "parcel", "umbrella", "teapot")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("Where is the refrigrator?", "Where is the refrigerator?"),
        ("What did Ana do?", "What did Anna do?"),
        ("What did Clarra do with the phnoe?", "What did Clara do with the phone?"),
        ("Where is the choping board?", "Where is the chopping board?"),
        ("Where are my airpods?", "Where are my airpods?"),
        ("Where is the elephant?", "Where is the elephant?"),
        ("What did Zoe say?", "What did Zoe say?"),
        ("Wo ist der Schlüssel?", "Wo ist der Schlüssel?"),
        ("Where is the tray?", "Where is the tray?"),
    ],
)
def test_errors_are_corrected_and_other_words_kept(question: str, understood: str) -> None:
    assert respelt(question, respellings(question, PERSONS, OBJECTS, ENGLISH)) == understood


def test_the_answer_states_the_correction() -> None:
    graph = kitchen()
    found = ask("Where is the umbrela?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert found.text.startswith("Memory knows no “umbrela”, taken as umbrella. The umbrella was last leant")


def slips(word: str, chance: random.Random) -> str:
    """The word with one letter left out, added, changed, or two exchanged."""
    place, letter = chance.randrange(len(word) - 1), chance.choice(LETTERS)
    return chance.choice(
        [
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place:],
            word[:place] + letter + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        ]
    )


def test_of_names_with_one_error_nine_in_ten_are_corrected_and_none_to_another() -> None:
    """Over the names of the example household, ten misspellings of each, excluding those that are other words."""
    chance, graph = random.Random(11), kitchen()
    names = graph.vocabulary(Scope("test"))
    words = [name for name in sorted(names.objects) if name.isalpha() and len(name) > 3]
    wrong = [(slip, name) for name in words for _ in range(10) if not is_word(slip := slips(name, chance))]
    taken = [
        ({s.taken_as for s in respellings(f"Where is the {slip}?", names.persons, names.objects, ENGLISH)}, name)
        for slip, name in wrong
    ]
    assert sum(as_ == {name} for as_, name in taken) >= 0.9 * len(taken)
    assert sum(bool(as_ - {name}) for as_, name in taken) <= 0.02 * len(taken)


@given(st.lists(st.sampled_from(["the", "Anna", "phone", "where", "red mug", "kettle", "is", "airpods"]), max_size=8))
def test_known_words_are_never_corrected(words: list[str]) -> None:
    """A text of known words is unchanged."""
    text = " ".join(words)
    assert respelt(text, respellings(text, PERSONS, OBJECTS, ENGLISH)) == text
