"""Turns that correct a value said before without saying of what."""

from __future__ import annotations

import pytest

from amr_neo4j.turn_reader.corrected_turns import DATE, DAY, NUMBER, corrected, kinds_asked


@pytest.mark.parametrize(
    ("language", "before", "text", "kind"),
    [
        ("en", "The choir practice is on Monday.", "Sorry, I meant Tuesday.", DAY),
        ("en", "The lease ends on 3 March.", "no wait, it's the 4th", DATE),
        ("en", "The lesson is at 4 pm.", "correction: the lesson is at 5, not 4", NUMBER),
        ("en", "Our outing is on Monday.", "The outing moved to Tuesday.", DAY),
        ("en", "Our outing is on Monday.", "its on tuesday sorry", DAY),
        ("es", "El examen es el lunes.", "Perdón, quise decir el martes.", DAY),
        ("fr", "L'examen est lundi.", "Pardon, je voulais dire mardi.", DAY),
        ("de", "Die Prüfung ist am Montag.", "Entschuldigung, ich meinte Dienstag.", DAY),
        ("it", "L'esame è lunedì.", "Scusa, intendevo martedì.", DAY),
        ("it", "L'affitto scade il 3 marzo.", "Mi sono sbagliato, il 4 marzo.", DATE),
        ("en", "We're going to Porto on Saturday.", "No wait, Sunday. Clara works on Saturdays at the clinic.", DAY),
        ("en", "We're going to Porto on Saturday.", "No. I meant Sunday. She works on Saturdays.", DAY),
        ("es", "Vamos a Oporto el sábado.", "No, el domingo. Clara trabaja los sábados.", DAY),
        ("fr", "On va à Porto samedi.", "Non, dimanche. Clara travaille le samedi.", DAY),
        ("de", "Wir fahren am Samstag nach Porto.", "Nein, Sonntag. Clara arbeitet samstags.", DAY),
        ("it", "Andiamo a Porto sabato.", "No, domenica. Clara lavora il sabato.", DAY),
    ],
)
def test_another_value_of_the_same_kind_corrects(language: str, before: str, text: str, kind: str) -> None:
    assert corrected([before, text], language) == {1: (0, kind)}


@pytest.mark.parametrize(
    "text",
    [
        "I work on Tuesdays.",
        "No, I'm free on Tuesday.",
        "Sorry, the dentist is on Tuesday.",
        "Sorry, I meant Lyon.",
        "Did you mean Tuesday?",
        "Sorry, I meant Monday.",
        "Sorry, the dentist is on Tuesday. I forgot.",
        "Tuesday is fine. I am free then.",
    ],
)
def test_what_is_of_something_else_or_says_the_same_corrects_nothing(text: str) -> None:
    assert corrected(["The choir practice is on Monday.", text], "en") == {}


def test_the_last_one_that_can_be_meant_is_corrected() -> None:
    turns = ["The exam is on Monday.", "The choir is on Wednesday.", "I like tea.", "No, I meant Thursday."]
    assert corrected(turns, "en") == {3: (1, DAY)}
    assert corrected([*turns[:3], "No, I meant Thursday for the exam."], "en") == {3: (0, DAY)}


def test_a_correction_of_a_correction_is_of_what_that_one_corrects() -> None:
    assert corrected(["The exam is on Monday.", "No, Tuesday.", "Sorry, I meant Friday."], "en") == {
        1: (0, DAY),
        2: (0, DAY),
    }


@pytest.mark.parametrize(
    ("language", "question", "kinds"),
    [
        ("en", "When is the exam?", {DAY, DATE, NUMBER}),
        ("fr", "Quand est l'examen ?", {DAY, DATE, NUMBER}),
        ("en", "How much is my rent?", {NUMBER}),
        ("de", "Wie alt ist Max?", {NUMBER}),
        ("en", "Who is Max?", set[str]()),
    ],
)
def test_a_question_asks_for_kinds_of_values(language: str, question: str, kinds: set[str]) -> None:
    assert kinds_asked(question, language) == kinds
