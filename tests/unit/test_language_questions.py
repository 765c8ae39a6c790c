"""Question classification: household wordings, and the EPIC-KITCHENS questions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.language.languages import ENGLISH

HOUSEHOLD = Path(__file__).with_suffix(".tsv")
EPIC = Path(__file__).parents[2] / "../shared/data/epic/questions_dev.jsonl"
LABELS = {
    "object_tracking": QuestionType.OBJECT_TRACKING,
    "person": QuestionType.PERSON_UNDERSTANDING,
    "temporal_multihop": QuestionType.TEMPORAL_MULTIHOP,
    "cross_modal": QuestionType.CROSS_MODAL,
    "general": QuestionType.GENERAL,
}


def test_household_questions_have_their_type() -> None:
    lines = [line.split("\t") for line in HOUSEHOLD.read_text(encoding="utf-8").splitlines()]
    wrong = [(label, question) for label, question in lines if ENGLISH.type_question(question) != QuestionType(label)]
    assert len(wrong) <= 0.03 * len(lines), wrong


@pytest.mark.skipif(not EPIC.exists(), reason=f"no {EPIC}")
@pytest.mark.parametrize("wording", ["question", "question_para"])
def test_epic_questions_have_their_type(wording: str) -> None:
    asked = [json.loads(line) for line in EPIC.read_text(encoding="utf-8").splitlines()]
    agreed = sum(ENGLISH.type_question(question[wording]) == LABELS[question["type"]] for question in asked)
    assert agreed / len(asked) >= 0.95


@pytest.mark.parametrize(
    "question", ["Where did Anna put the keys?", "What did Anna do after lunch?", "Who is Anna?"]
)
@given(
    lead=st.sampled_from(["", "Please, ", "Can you tell me ", "do you know ", "hey, "]),
    name=st.sampled_from(["P07", "Łukasz"]),
)
def test_politeness_and_names_do_not_change_the_type(question: str, lead: str, name: str) -> None:
    """The type of a question depends neither on the person it names nor on politeness."""
    asked = question.replace("Anna", name)
    asked = lead + (asked[0].lower() + asked[1:] if lead else asked)
    assert ENGLISH.type_question(asked) == ENGLISH.type_question(question)


@given(st.text())
def test_any_text_has_a_type(text: str) -> None:
    """Any text is a question of some type."""
    assert ENGLISH.type_question(text) in QuestionType


def test_questions_in_other_languages_are_general() -> None:
    assert ENGLISH.type_question("Wo ist der Schlüssel?") == QuestionType.GENERAL
