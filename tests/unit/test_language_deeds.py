"""What summaries say is done: plain clauses are read, all else is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.language.en.deeds import deeds_in


@pytest.mark.parametrize(
    ("summary", "deeds"),
    [
        ("Zora opens the drawer.", [("Zora", "opens", "drawer", "")]),
        (
            "A man takes the red cup from the shelf and puts it on the table.",
            [("man", "takes", "red cup", "from the shelf"), ("man", "puts", "red cup", "on the table")],
        ),
        ("A girl is pouring milk into a glass.", [("girl", "pouring", "milk", "into a glass")]),
        (
            "The woman turns the radio off and sits down.",
            [("woman", "turns off", "radio", ""), ("woman", "sits down", "", "")],
        ),
        ("The lamp goes out.", [("", "goes out", "lamp", "")]),
        ("Six birds fly over the roof.", [("", "fly", "bird", "over the roof")]),
        ("The image shows a boy with blue shorts and brown shoes.", []),
        ('The old man says: "She opens the door."', [("old man", "says", "", "")]),
        ("Ms Bell hands a pot of grey paint to Zora.", [("Ms Bell", "hands", "pot of grey paint", "to Zora")]),
        ("The woman in a red jacket locks the car.", [("woman in a red jacket", "locks", "car", "")]),
        ("The boy does not close the gate.", []),
        ("I'm turning to look at the shelf.", []),
        ("They're carrying boxes.", [("", "carrying", "boxes", "")]),
        ("Took a few steps forward.", []),
        ("The man continued walking.", [("man", "continued", "", "")]),
        ("The boy moves the painting.", [("boy", "moves", "painting", "")]),
        ("The man took a few steps forward.", [("man", "took", "steps", "")]),
        ("Zora will be sitting at the table.", []),
        ("Her hand reaches for the cup.", [("", "reaches", "hand", "for the cup")]),
    ],
)
def test_a_summary_says_what_is_done(summary: str, deeds: list[tuple[str, str, str, str]]) -> None:
    assert [(deed.actor, deed.verb, deed.object, deed.where) for deed in deeds_in(summary)] == deeds


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """Verbs are never empty."""
    assert all(deed.verb for deed in deeds_in(text))
