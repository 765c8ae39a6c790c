"""The content words of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.language.en.content import (
    all_forms,
    content_words,
    forms,
    has_function_words,
    telling_words,
    words_of,
)


def names(text: str) -> list[str]:
    return [word.word for word in content_words(text) if word.names and not word.vague]


def deeds(text: str) -> list[str]:
    return [word.word for word in content_words(text) if word.acts and not word.vague]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where did Anna put the elephant?", ["anna", "elephant"]),
        ("Who took the visitor's blue umbrella?", ["umbrella"]),
        ("Where's the red mug?", ["mug"]),
        ("Where is the coffee mug?", ["mug"]),
        ("Where are my airpods?", ["airpods"]),
        ("Did the courier leave?", ["courier"]),
        ("Who ate cake?", ["cake"]),
        ("Did Anna feed the dog?", ["anna", "dog"]),
        ("Is the fridge still open?", ["fridge"]),
        ("What happened to the milk after Ben opened the fridge?", ["milk", "ben", "fridge"]),
        ("Which person was in the room in the morning?", []),
        ("What's in a/b? (c:d)", []),
        ("Where is the note?", ["note"]),
        ("Where did Anna put her list?", ["anna", "list"]),
        ("In the session whose note says hello, what was on the list?", ["hello", "list"]),
        ("List everything that was handled in the recording", []),
        ("Which camera saw the dog?", ["dog"]),
    ],
)
def test_words_for_objects_and_persons(question: str, named: list[str]) -> None:
    assert names(question) == named


@pytest.mark.parametrize(
    ("question", "done"),
    [
        ("Did Ben wash the car?", ["wash"]),
        ("Who dried the wet towel?", ["dried"]),
        ("What had the man in the yellow jacket forgotten?", ["forgotten"]),
        ("Who stole the can of paint?", ["stole"]),
        ("Where are the keys?", []),
    ],
)
def test_words_for_actions(question: str, done: list[str]) -> None:
    assert deeds(question) == done


def test_words_match_in_any_inflection() -> None:
    assert forms("knives") & forms("knife") and forms("took") & forms("taking") and not forms("mug") & forms("cup")
    assert all_forms("Anna's keys_1") >= {"anna", "keys", "key", "1"}


def test_another_language_is_recognised() -> None:
    assert has_function_words("Where is it?") and not has_function_words("Wo ist der Schlüssel?")


@given(st.text(max_size=80))
def test_any_text_is_accepted(text: str) -> None:
    """Every content word is a word of the text and one of its own forms."""
    found = content_words(text)
    assert telling_words(text) == {word.word for word in found}
    assert {word.word for word in found} <= set(words_of(text))
    assert all(word.word in word.forms for word in found)


def test_a_number_or_letter_that_says_which_is_telling() -> None:
    assert telling_words("Ida walks from bay nine to gate B.") == {"ida", "walks", "bay", "nine", "gate", "b"}
