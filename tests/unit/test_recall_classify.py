"""Questions read by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.errors import InputError
from amr_neo4j.recall.classify import MAX_CHARACTERS, classify
from amr_neo4j.recall.reading import Aim, Meaning, Order, Reading

PERSONS, OBJECTS = ("anna", "ben"), ("key", "phone", "fridge", "red mug", "blue mug", "door")


def read(question: str) -> Reading:
    return classify(question, PERSONS, OBJECTS)


@pytest.mark.parametrize(
    ("question", "aim", "order"),
    [
        ("Where are the keys?", Aim.PLACE, None),
        ("Where is the phone now?", Aim.PLACE, Order.LAST),
        ("Where were the keys before Anna took them?", Aim.PLACE, Order.BEFORE),
        ("In which drawer is the knife?", Aim.PLACE, None),
        ("Who opened the door?", Aim.PERSON, None),
        ("Who came in after Anna?", Aim.PERSON, Order.AFTER),
        ("When did Ben open the fridge?", Aim.MOMENT, None),
        ("At what time did the bell ring?", Aim.MOMENT, None),
        ("On which later day did Ben open the fridge?", Aim.MOMENT, None),
        ("When the bell rang, who opened?", Aim.PERSON, Order.DURING),
        ("What did Anna say about the phone?", Aim.SPEECH, None),
        ("Is the fridge open?", Aim.STATE, None),
        ("Is the phone on the table?", Aim.EVENT, None),
        ("What's in the fridge?", Aim.CONTENTS, None),
        ("What happened to the red mug?", Aim.HISTORY, None),
        ("In what order did Anna use them?", Aim.SEQUENCE, None),
        ("What did Ben do first?", Aim.EVENT, Order.FIRST),
        ("What did Ben do right after he closed the door?", Aim.EVENT, Order.AFTER),
        ("Tell me about the phone", Aim.EVENT, None),
    ],
)
def test_what_it_aims_at(question: str, aim: Aim, order: Order | None) -> None:
    assert (read(question).aim, read(question).order) == (aim, order)


def test_a_clause_of_time_is_a_part_of_its_own() -> None:
    reading = read("After Ben closed the door, what did Anna do with the phone?")
    assert reading.reference is not None
    assert (reading.reference.persons, reading.reference.objects) == (("ben",), ("door",))
    assert (reading.main.persons, reading.main.objects) == (("anna",), ("phone",))
    assert reading.clauses == (reading.reference, reading.main)
    assert reading.question.type is QuestionType.TEMPORAL_MULTIHOP


def test_what_was_done_again_is_what_the_other_part_says_was_done() -> None:
    main = read("After Ben first opened the fridge, when did he do it again?").main
    assert "opened" in {word.word for word in main.deeds} and main.objects == ("fridge",)
    assert "opened" not in {word.word for word in read("When did it ring after Ben opened the fridge?").main.deeds}


@pytest.mark.parametrize(
    ("question", "sought"),
    [
        ("Who was seen switching on the red lamp?", "switching on red lamp"),
        ("What does Anna most often do with the phone?", "phone"),
        ("Which people handled the keys?", "keys"),
        ("Where did Anna put the phone down?", "put phone down"),
        ("What was Anna doing?", "What was Anna doing?"),
        ("Who was there?", "Who was there?"),
    ],
)
def test_what_is_compared_by_vector_leaves_out_the_words_of_asking(question: str, sought: str) -> None:
    assert read(question).main.gist == sought


def test_a_vague_word_tells_where_memory_knows_such_a_thing() -> None:
    [clip] = classify("Who has the clip?", (), ("clip",)).main.telling
    assert clip.word == "clip" and not classify("What is in the clip?", (), ()).main.telling


def test_a_pronoun_stands_for_what_the_other_part_names() -> None:
    reading = read("Where was the phone before he took it?")
    assert reading.reference is not None and reading.reference.objects == ("phone",)


def test_a_kind_of_thing_names_every_one_of_it() -> None:
    assert read("Where is the mug?").question.objects == ("blue mug", "red mug")
    assert read("Where is the red mug?").question.objects == ("red mug",)


@pytest.mark.parametrize(
    ("question", "effects"),
    [
        ("Who was setting the phone down?", {("phone", "place", "placed")}),
        ("When was the fridge shut?", {("fridge", "open", "closed")}),
        ("Where is the phone?", set()),
    ],
)
def test_a_verb_is_what_it_does(question: str, effects: set[tuple[str, str, str]]) -> None:
    assert read(question).main.effects == effects


def test_a_meaning_joins_what_is_named() -> None:
    reading = read("Where is my mobile?").taking([Meaning("mobile", "phone", guessed=True)])
    assert reading.question.objects == reading.main.objects == ("phone",)
    assert [guess.thing for guess in reading.guesses] == ["phone"]
    assert reading.main.met({"phone"}) > 0


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n\t", "____", "x" * (MAX_CHARACTERS + 1), "why " * 25_000])
def test_no_question_is_a_mistake_said_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert error.value.hint and "\n" not in str(error.value) and len(str(error.value)) < 200


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """A text is a reading or an InputError; nothing else comes out."""
    try:
        reading = read(text)
    except InputError:
        return
    assert reading.main.text and reading.question.text


@pytest.mark.parametrize(
    ("question", "aim", "order", "nth"),
    [
        ("How often was the fridge opened?", Aim.COUNT, None, 0),
        ("How many times did Ben open the door before Anna came?", Aim.COUNT, Order.BEFORE, 0),
        ("How long was the door open?", Aim.DURATION, None, 0),
        ("How long ago was the door opened?", Aim.EVENT, None, 0),
        ("Where has the phone been?", Aim.ITINERARY, None, 0),
        ("When was the phone last seen?", Aim.SIGHTING, Order.LAST, 0),
        ("On which day was the door opened?", Aim.MOMENT, None, 0),
        ("What time was it when the phone rang?", Aim.MOMENT, None, 0),
        ("Who opened the door for the third time?", Aim.PERSON, None, 3),
        ("Who opened the door the 12th time?", Aim.PERSON, None, 12),
        ("Where is the second mug?", Aim.PLACE, None, 0),
        ("What did Ben do between opening the door and taking the phone?", Aim.EVENT, Order.BETWEEN, 0),
        ("After Ben opened the door but before Anna came, who called?", Aim.PERSON, Order.AFTER, 0),
    ],
)
def test_what_is_asked_of_time(question: str, aim: Aim, order: Order | None, nth: int) -> None:
    reading = read(question)
    assert (reading.aim, reading.order, reading.nth) == (aim, order, nth)


def test_both_ends_are_parts_of_their_own() -> None:
    for question in (
        "What did Ben do between opening the door and taking the phone?",
        "Between opening the door and taking the phone, what did Ben do?",
        "What did Ben do after opening the door but before taking the phone?",
    ):
        reading = read(question)
        assert reading.reference and reading.until
        assert (reading.reference.objects, reading.until.objects) == (("door",), ("phone",))
        assert reading.main.text.strip(" ?").casefold() == "what did ben do"


def test_a_date_bounds_the_part_that_it_stands_in() -> None:
    assert read("What did Ben do on Tuesday after Anna opened the door?").span
    assert not read("What did Ben do after Anna opened the door on Tuesday?").span
    assert read("What did Ben do after 18:30?").span
