"""A long clause is read in parts: by its structure, whatever its verbs."""

from __future__ import annotations

import pytest

from amr_neo4j.turn_reader import extract
from amr_neo4j.turn_reader.language_kit import language_kit
from amr_neo4j.turn_reader.lines import line_of
from amr_neo4j.turn_reader.simple_clauses import simple_clauses, without_nested

NESTED = [
    ("en", "My sister who repairs old radios is a nurse.", ("sister", "is", "nurse")),
    ("en", "My aunt, who was born in Turin, never phones me.", ("aunt", "born_in", "turin")),
    ("es", "Mi padre, que nació en Cuenca, trabaja en Renfe.", ("padre", "works_at", "renfe")),
    ("fr", "Ma mère, qui est infirmière, habite à Nantes.", ("mère", "lives_in", "nantes")),
    ("de", "Meine Schwester, die in Ulm lebt, ist Lehrerin.", ("schwester", "is", "lehrerin")),
    ("fr", "Mon ami Luc, que j'ai rencontré à la fac, travaille chez Orange.", ("luc", "works_at", "orange")),
    ("en", "My wife's dad, who was born in Cork, fishes.", ("wife's dad", "born_in", "cork")),
    ("it", "Mio padre, che è nato a Bari, lavora alla Fiat.", ("padre", "works_at", "fiat")),
]


@pytest.mark.parametrize(("code", "text", "fact"), NESTED)
def test_what_stands_between_a_subject_and_its_verb_is_read_apart(code: str, text: str, fact: object) -> None:
    assert fact in extract(text, code)


SHARED = [
    ("My gran is ninety and, on most days, still lives in Swansea.", ("gran", "lives_in", "swansea")),
    ("For what it cost us in the end we still live on the outskirts of Lyon.", ("you", "lives_in", "lyon")),
    ("The ferry leaves at 6:45 from pier 2.", ("ferry", "time", "6:45")),
    ("the missus hates it when i hum, her name is Carol", ("you", "wife", "carol")),
]


@pytest.mark.parametrize(("text", "fact"), SHARED)
def test_subjects_and_verbs_are_found_within_a_longer_clause(text: str, fact: object) -> None:
    assert fact in extract(text, "en")


NOTHING = [
    "People who live in Rome love pizza.",
    "If my brother who lives in Rome calls, tell him no.",
    "He says that whoever lives in Leeds supports United.",
    "My friends would say that I live in a dump.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_strangers_conditions_and_hearsay_state_nothing_of_the_speaker(text: str) -> None:
    assert not [fact for fact in extract(text, "en") if fact[0] == "you" or fact[0] == "people"]


def test_a_sentence_without_nesting_stays_as_it_is() -> None:
    kit = language_kit("en")
    line = line_of("My sister lives in Rome and works at the zoo", kit.table)
    assert without_nested(kit, line) == (line, [])


def test_reading_in_parts_is_bounded() -> None:
    kit = language_kit("en")
    line = line_of("my dog ran and " * 200, kit.table)
    assert list(simple_clauses(kit, line)) == []


FICTION = [
    ("en", "In the film the hero is called Marcus and lives in Rome."),
    ("fr", "Dans le film, le héros s'appelle Marcus et vit à Rome."),
    ("es", "En la película el héroe se llama Marcos y vive en Roma."),
    ("it", "Nel film il protagonista si chiama Marco e vive a Roma."),
    ("de", "Im Film heißt der Held Markus und wohnt in Rom."),
]


@pytest.mark.parametrize(("code", "text"), FICTION)
def test_what_happens_in_fiction_is_no_fact(code: str, text: str) -> None:
    assert extract(text, code) == []
