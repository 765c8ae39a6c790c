"""Which texts are summaries, and which only concatenate fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.ingest.summaries import Fields, refusal
from amr_neo4j.language.en.sentences import count_sentences
from amr_neo4j.language.languages import ENGLISH

FIELDS = Fields(
    summary="Anna picks up the phone from the table.",
    actors=("Anna",),
    objects=(("phone", "left of the mug on the table"), ("mug", "right of the phone")),
    dialogue=("I am leaving soon.", "See you on Monday then!"),
    actions=(("Anna", "pick up", "phone", "from the table in front of her"),),
)
SYNTHESISED = [
    # The style that specification 000 I.3.3 asks for, as it stands there.
    "From the woman’s perspective, she picks up the phone to the left of her mug on the table and tells her friend "
    "that she is leaving soon.",
    "From Anna's perspective, she picks up the phone left of her mug and tells her friend that she is leaving soon.",
    "Anna picks up the phone from the table.",
    "Anna takes the phone, left of the mug on the table. She says that she is leaving soon.",
    "Mr. Smith says goodbye to Anna.",
]


@pytest.mark.parametrize("summary", SYNTHESISED)
def test_valid_summaries_are_accepted(summary: str) -> None:
    assert refusal(summary, FIELDS.texts, ENGLISH) == ""


@pytest.mark.parametrize(
    ("summary", "ids", "taken"),
    [
        ("C1 hands the lid to the woman.", ["C1"], False),
        ("The man hands C1 the lid.", ["C1"], False),
        ("The man hands the lid to C7.", [], False),
        ("He nods. C7 leaves.", [], False),
        ("He pays, and S2 says that it is enough.", ["S2"], False),
        ("On camera 2 the man buys an S3 phone near the A7 and C4 gates.", ["C1", "S1"], True),
        ("He waits at gate C4.", ["C1"], True),
        ("He takes the E5 bread.", ["C1"], True),
    ],
)
def test_only_local_ids_are_replaced(summary: str, ids: list[str], taken: bool) -> None:
    assert (refusal(summary, FIELDS.texts, ENGLISH, ids) == "") == taken


longer = st.sampled_from([text for text in FIELDS.texts if len(text.split()) >= 3])


@given(
    parts=st.lists(longer, min_size=2, max_size=6, unique=True),
    between=st.sampled_from(["; ", ", ", " ", " - ", ", and "]),
    shout=st.booleans(),
)
def test_a_concatenation_is_never_accepted(parts: list[str], between: str, shout: bool) -> None:
    """Two or more fields in any order, with any marks between them, in any case, are no summary."""
    text = between.join(part.rstrip(".!") for part in parts)
    assert refusal(text.upper() if shout else text, FIELDS.texts, ENGLISH)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("She goes", 1),
        ("She goes. He stays.", 2),
        ("Dr. Ames pays 2.50 euros. He leaves!", 2),
        ("“Stop!” She runs.", 2),
        ("She says: go. And he goes.", 2),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count
