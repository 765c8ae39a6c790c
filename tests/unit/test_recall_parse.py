"""Questions parsed by rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.nouns import forms_of
from amr_neo4j.recall.answer.by_type import BY_TYPE
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.clause import Synonym
from amr_neo4j.recall.question.parse import MAX_CHARACTERS, Typing, parse_question
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion

PERSONS, OBJECTS = ("anna", "ben"), ("key", "phone", "fridge", "red mug", "blue mug", "door")


def read(question: str) -> ParsedQuestion:
    return parse_question(question, Names(frozenset(PERSONS), frozenset(OBJECTS)), ENGLISH)


@pytest.mark.parametrize(
    ("question", "answer_type", "order"),
    [
        ("Where are the keys?", AnswerType.PLACE, None),
        ("Where is the phone now?", AnswerType.PLACE, Order.LAST),
        ("Where were the keys before Anna took them?", AnswerType.PLACE, Order.BEFORE),
        ("In which drawer is the knife?", AnswerType.PLACE, None),
        ("Who opened the door?", AnswerType.PERSON, None),
        ("Who came in after Anna?", AnswerType.PERSON, Order.AFTER),
        ("When did Ben open the fridge?", AnswerType.MOMENT, None),
        ("At what time did the bell ring?", AnswerType.MOMENT, None),
        ("On which later day did Ben open the fridge?", AnswerType.MOMENT, None),
        ("When the bell rang, who opened?", AnswerType.PERSON, Order.DURING),
        ("What did Anna say about the phone?", AnswerType.SPEECH, None),
        ("Is the fridge open?", AnswerType.STATE, None),
        ("Is the phone on the table?", AnswerType.EVENT, None),
        ("What's in the fridge?", AnswerType.CONTENTS, None),
        ("What happened to the red mug?", AnswerType.HISTORY, None),
        ("In what order did Anna use them?", AnswerType.SEQUENCE, None),
        ("What did Ben do first?", AnswerType.EVENT, Order.FIRST),
        ("What did Ben do right after he closed the door?", AnswerType.EVENT, Order.AFTER),
        ("Tell me about the phone", AnswerType.EVENT, None),
    ],
)
def test_answer_type_and_order(question: str, answer_type: AnswerType, order: Order | None) -> None:
    assert (read(question).answer_type, read(question).order) == (answer_type, order)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Anna is now in the kitchen, where did Ben put the phone?", "where did Ben put the phone?"),
        ("Now that I'm at the fridge, who opened the door?", "who opened the door?"),
        ("Anna wants a mug. Who washed the red mug before?", "Who washed the red mug before?"),
        ("Anna is now looking for the key, who had it before?", "who had it before? key"),
        ("Ben took the phone. Where did he put it last time?", "Where did he put it last time? phone"),
        ("Anna and Ben were in the kitchen. Who opened the fridge?", None),
        ("Ben was singing. When was that?", None),
        ("Ben washed the mug, where did he put it?", None),
        ("The person wearing a red hat, where did they go before?", None),
        ("I lost my phone, which was on the table before.", None),
        ("Anna came in now. Who came in after that?", None),
        ("Anna, who opened the door before?", None),
        ("On the table, what did Anna put before?", None),
        ("The phone or the key, which did Anna take before?", None),
    ],
)
def test_what_is_said_of_the_present_is_no_part_of_a_question_for_another_time(
    question: str, asked: str | None
) -> None:
    parsed = read(question)
    assert parsed.main.text == (asked or question) and parsed.reference is None
    assert parsed.question.text == question


@pytest.mark.parametrize(
    ("question", "main", "order"),
    [
        ("What did Ben do the last time Anna opened the fridge?", "What did Ben do", Order.DURING),
        ("The last time Anna opened the fridge, what did Ben do?", "what did Ben do?", Order.DURING),
        ("I'm here now, what did Ben do the last time Anna opened the fridge?", "what did Ben do", Order.DURING),
        (
            "When was the last time Anna opened the fridge?",
            "When was the last time Anna opened the fridge?",
            Order.LAST,
        ),
        ("Who washed the mug last time?", "Who washed the mug last time?", Order.LAST),
        (
            "I want to know the last time Anna opened the fridge.",
            "I want to know the last time Anna opened the fridge.",
            Order.LAST,
        ),
        (
            "Where did Ben put the mug the last time he had it?",
            "Where did Ben put the mug the last time he had it?",
            Order.LAST,
        ),
    ],
)
def test_the_last_time_of_something_is_what_time_is_counted_from(question: str, main: str, order: Order) -> None:
    parsed = read(question)
    assert (parsed.main.text, parsed.order) == (main, order)
    assert (parsed.reference is not None) == (order is Order.DURING)


def test_the_day_of_the_last_time_bounds_it_and_what_came_after_it_is_asked() -> None:
    on_thursday = read("What did Ben do the last time Anna opened the fridge on Thursday?")
    assert on_thursday.span is not None and on_thursday.reference is not None
    assert read("What happened after the last time Anna opened the fridge?").order is Order.AFTER


def test_a_clause_of_time_is_separate() -> None:
    parsed = read("After Ben closed the door, what did Anna do with the phone?")
    assert parsed.reference is not None
    assert (parsed.reference.persons, parsed.reference.objects) == (("ben",), ("door",))
    assert (parsed.main.persons, parsed.main.objects) == (("anna",), ("phone",))
    assert parsed.clauses == (parsed.reference, parsed.main)
    assert parsed.question.type is QuestionType.TEMPORAL_MULTIHOP


def test_done_again_repeats_the_action_of_the_other_clause() -> None:
    main = read("After Ben first opened the fridge, when did he do it again?").main
    assert "opened" in {word.word for word in main.action_words} and main.objects == ("fridge",)
    assert "opened" not in {
        word.word for word in read("When did it ring after Ben opened the fridge?").main.action_words
    }


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("Who was seen switching on the red lamp?", "switching on red lamp"),
        ("What does Anna most often do with the phone?", "phone"),
        ("Which people handled the keys?", "keys"),
        ("Where did Anna put the phone down?", "put phone down"),
        ("What was Anna doing?", "What was Anna doing?"),
        ("Who was there?", "Who was there?"),
    ],
)
def test_the_key_phrase_leaves_out_question_words(question: str, phrase: str) -> None:
    assert read(question).main.key_phrase == phrase


def test_a_capitalised_word_that_names_nobody_is_a_word() -> None:
    (opened,) = [word for word in read("Who had Opened the fridge?").main.words if word.word == "opened"]
    assert (opened.acts, opened.names) == (True, False)
    (lily,) = [word for word in read("Did Lily open the fridge?").main.words if word.word == "lily"]
    assert lily.names, "a first name is one, also where nobody of this name is known"


def test_a_vague_word_is_specific_where_memory_knows_such_an_object() -> None:
    [clip] = parse_question("Who has the clip?", Names(objects=frozenset(["clip"])), ENGLISH).main.specific_words
    assert clip.word == "clip" and not parse_question("What is in the clip?", Names(), ENGLISH).main.specific_words


def test_a_pronoun_refers_to_what_the_other_clause_names() -> None:
    parsed = read("Where was the phone before he took it?")
    assert parsed.reference is not None and parsed.reference.objects == ("phone",)


def test_a_kind_names_every_object_of_it() -> None:
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
def test_verbs_are_compared_by_their_effects(question: str, effects: set[tuple[str, str, str]]) -> None:
    assert read(question).main.effects == effects


def test_a_synonym_adds_an_object() -> None:
    parsed = read("Where is my mobile?").with_synonyms([Synonym("mobile", "phone", guessed=True)])
    assert parsed.question.objects == parsed.main.objects == ("phone",)
    assert [guess.thing for guess in parsed.guesses] == ["phone"]
    assert "phone" in forms_of(parsed.main.words)


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n\t", "____", "x" * (MAX_CHARACTERS + 1), "why " * 25_000])
def test_no_question_is_an_error_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert error.value.hint and "\n" not in str(error.value) and len(str(error.value)) < 200


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """A text gives a parsed question or an InputError."""
    try:
        parsed = read(text)
    except InputError:
        return
    assert parsed.main.text and parsed.question.text


@pytest.mark.parametrize(
    ("question", "answer_type", "order", "nth"),
    [
        ("How often was the fridge opened?", AnswerType.COUNT, None, 0),
        ("On how many days was the fridge opened?", AnswerType.DAYS, None, 0),
        ("How many times did Ben open the door before Anna came?", AnswerType.COUNT, Order.BEFORE, 0),
        ("How long was the door open?", AnswerType.DURATION, None, 0),
        ("How long ago was the door opened?", AnswerType.EVENT, None, 0),
        ("Where has the phone been?", AnswerType.ITINERARY, None, 0),
        ("When was the phone last seen?", AnswerType.SIGHTING, Order.LAST, 0),
        ("On which day was the door opened?", AnswerType.MOMENT, None, 0),
        ("What time was it when the phone rang?", AnswerType.MOMENT, None, 0),
        ("Who opened the door for the third time?", AnswerType.PERSON, None, 3),
        ("Who opened the door the 12th time?", AnswerType.PERSON, None, 12),
        ("Where is the second mug?", AnswerType.PLACE, None, 0),
        ("What did Ben do between opening the door and taking the phone?", AnswerType.EVENT, Order.BETWEEN, 0),
        ("After Ben opened the door but before Anna came, who called?", AnswerType.PERSON, Order.AFTER, 0),
    ],
)
def test_what_is_asked_of_time(question: str, answer_type: AnswerType, order: Order | None, nth: int) -> None:
    parsed = read(question)
    assert (parsed.answer_type, parsed.order, parsed.nth) == (answer_type, order, nth)


def test_both_ends_are_clauses() -> None:
    for question in (
        "What did Ben do between opening the door and taking the phone?",
        "Between opening the door and taking the phone, what did Ben do?",
        "What did Ben do after opening the door but before taking the phone?",
    ):
        parsed = read(question)
        assert parsed.reference and parsed.until
        assert (parsed.reference.objects, parsed.until.objects) == (("door",), ("phone",))
        assert parsed.main.text.strip(" ?").casefold() == "what did ben do"


def test_a_date_belongs_to_its_clause() -> None:
    assert read("What did Ben do on Tuesday after Anna opened the door?").span
    after = read("What did Ben do after Anna opened the door on Tuesday?")
    assert not after.span and after.reference_span and after.reference_span.words == "on Tuesday"
    assert read("What did Ben do after 18:30?").span


def test_names_out_of_scope_are_read_as_other_words() -> None:
    """A name outside the scope neither names an object nor corrects a word."""
    names = Names(frozenset({"anna"}), frozenset({"red mug", "phone"}))
    asked: list[Names] = []

    def in_scope(held: Names) -> Names:
        asked.append(held)
        return Names(held.persons, held.objects - {"phone"})

    parsed = parse_question("Where did Anna put the phnoe?", names, ENGLISH, in_scope=in_scope)
    assert parsed.question.objects == () and parsed.respellings == ()
    assert parsed.question.persons == ("anna",)
    assert asked[0] == Names(frozenset({"anna"}), frozenset({"phone"}))


def test_what_a_model_names_joins_what_the_rules_find() -> None:
    def by_model(text: str, names: Names) -> Typing:
        return Typing(QuestionType.CROSS_MODAL, persons=("ben", "anna"), objects=("door",), videos=("noon",))

    names = Names(frozenset(PERSONS), frozenset(OBJECTS), {"anna": ("speaker_1",)})
    parsed = parse_question("What did Anna say about the phone?", names, ENGLISH, by_model=by_model)
    assert parsed.question.type is QuestionType.CROSS_MODAL and parsed.videos == ("noon",)
    assert parsed.question.persons == ("anna", "ben", "speaker_1")
    assert parsed.question.objects == ("phone", "door")
    assert (parsed.main.persons, parsed.main.aliases) == (("anna",), ("speaker_1",))


def test_synonyms_keep_the_objects_that_only_a_model_names() -> None:
    def by_model(text: str, names: Names) -> Typing:
        return Typing(QuestionType.OBJECT_TRACKING, objects=("door",))

    names = Names(frozenset(PERSONS), frozenset(OBJECTS))
    parsed = parse_question("What did Anna do with the phone and the mobile?", names, ENGLISH, by_model=by_model)
    assert parsed.with_synonyms([]).question.objects == ("phone", "door")
    assert parsed.with_synonyms([Synonym("mobile", "key")]).question.objects == ("phone", "key", "door")


def test_each_answer_type_is_read_and_answered() -> None:
    """HABIT is asked by an adverb ("usually")."""
    assert ENGLISH.asking.answer_types.keys() == {each.name for each in AnswerType} - {"HABIT"}
    assert BY_TYPE.keys() == set(AnswerType)
