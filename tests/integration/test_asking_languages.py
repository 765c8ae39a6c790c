"""Questions about conversations are answered in the language of the question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking

SAID = {
    "de": [
        "Ich wohne in Bremen.",
        "Meine Schwester Birgit arbeitet in einer Apotheke.",
        "Birgit kommt heute zum Essen.",
    ],
    "es": ["Vivo en Bremen.", "Mi hermana Birgit trabaja en una farmacia.", "Birgit viene hoy a comer."],
    "fr": ["J'habite à Bremen.", "Ma sœur Birgit travaille dans une pharmacie.", "Birgit vient manger aujourd'hui."],
    "it": ["Abito a Bremen.", "Mia sorella Birgit lavora in una farmacia.", "Birgit viene oggi a mangiare."],
}


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        for code, turns in SAID.items():
            memory.remember(
                [{"content": text, "at": f"2026-05-0{n + 1}T09:00:00Z"} for n, text in enumerate(turns)],
                user_id=code,
                session_id="monday",
            )
            memory.extract(user_id=code)
        yield memory


@pytest.mark.parametrize(
    ("code", "question", "text"),
    [
        ("de", "Wo wohne ich?", "Du wohnst in Bremen, gesagt am 1. Mai 2026 um 09:00 UTC [turn 0, monday, user]."),
        ("es", "¿Dónde vivo?", "Vives en Bremen, dicho el 1 de mayo de 2026 a las 09:00 UTC [turn 0, monday, user]."),
        (
            "fr",
            "Où est-ce que j'habite ?",
            "Tu habites à Bremen, dit le 1 mai 2026 à 09:00 UTC [turn 0, monday, user].",
        ),
        ("it", "Dove abito?", "Vivi a Bremen, detto il 1 maggio 2026 alle 09:00 UTC [turn 0, monday, user]."),
    ],
)
def test_a_fact_is_answered_in_the_language_of_the_question(
    memory: Memory, code: str, question: str, text: str
) -> None:
    assert memory.ask(question, user_id=code).text == text


def test_a_fact_that_was_said_in_another_language_is_too(memory: Memory) -> None:
    assert memory.ask("Where do I live?", user_id="de").text.startswith("You live in Bremen, said on 1 May 2026")
    assert memory.ask("Wo wohne ich?", user_id="es").text.startswith("Du wohnst in Bremen, gesagt am 1. Mai")


@pytest.mark.parametrize(
    ("code", "question", "text"),
    [
        ("de", "Wer ist Birgit?", "Deine Schwester heißt Birgit, gesagt am 2. Mai"),
        ("es", "¿Quién es Birgit?", "Tu hermana es Birgit, dicho el 2 de mayo"),
        ("fr", "Qui est Birgit ?", "Ta sœur s'appelle Birgit, dit le 2 mai"),
        ("it", "Chi è Birgit?", "Tua sorella si chiama Birgit, detto il 2 maggio"),
    ],
)
def test_who_somebody_is_stays_whatever_is_said_of_them_later(
    memory: Memory, code: str, question: str, text: str
) -> None:
    assert memory.ask(question, user_id=code).text.startswith(text)


@pytest.mark.parametrize(
    ("code", "question", "text"),
    [
        (
            "de",
            "Arbeitet Birgit in Bremen?",
            "Nichts im Gedächtnis sagt das mit „bremen“; am nächsten kommt dies. Am",
        ),
        ("es", "¿Trabaja Birgit en Bremen?", "Nada en la memoria lo dice con «bremen»; esto es lo más cercano. El 2"),
        (
            "fr",
            "Birgit travaille à Bremen ?",
            "Rien dans la mémoire ne le dit avec « bremen » ; voici le plus proche. Le",
        ),
        (
            "it",
            "Birgit lavora a Bremen?",
            "Niente nella memoria lo dice con «bremen»; questo è il più vicino. Il",
        ),
    ],
)
def test_a_turn_without_a_word_of_the_question_is_in_doubt(
    memory: Memory, code: str, question: str, text: str
) -> None:
    assert memory.ask(question, user_id=code).text.startswith(text)


@pytest.mark.parametrize(
    ("code", "question", "text"),
    [
        ("de", "Wo ist mein Fahrrad?", "Nichts im Gedächtnis passt dazu: von „fahrrad“ weiß es nichts."),
        ("es", "¿Dónde está mi bicicleta?", "Nada en la memoria responde a eso: no sabe nada de «bicicleta»."),
        ("fr", "Où est mon vélo ?", "Rien dans la mémoire n'y répond : elle ne sait rien de « vélo »."),
        ("de", "Wie alt ist Birgit?", "Nichts im Gedächtnis passt dazu: von „alt“ weiß es nichts."),
        ("fr", "Quel âge a Birgit ?", "Rien dans la mémoire n'y répond : elle ne sait rien de « âge »."),
        ("it", "Dov'è la mia bicicletta?", "Niente nella memoria risponde a questo: non sa nulla di «bicicletta»."),
    ],
)
def test_what_memory_has_no_word_for_is_declined(memory: Memory, code: str, question: str, text: str) -> None:
    answer = memory.ask(question, user_id=code)
    assert (answer.found, answer.text) == (False, text)
