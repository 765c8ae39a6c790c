"""`ask` shows what was said in doubt or in passing as doubtful, in each language. Real Neo4j."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking

# {language: (plain home, doubted home, "where?", "in the doubted one?", plain town, doubted town, "here in")}
SAID = {
    "en": (
        "I live in Dundee.",
        "I think I live in Perth.",
        "Where do I live?",
        "Do I live in Perth?",
        "Here in Perth it is cold.",
    ),
    "de": (
        "Ich wohne in Ulm.",
        "Ich glaube, ich wohne in Kiel.",
        "Wo wohne ich?",
        "Wohne ich in Kiel?",
        "Hier in Kiel ist es kalt.",
    ),
    "fr": (
        "J'habite à Nantes.",
        "Je crois que j'habite à Rennes.",
        "Où est-ce que j'habite ?",
        "Est-ce que j'habite à Rennes ?",
        "Ici à Rennes, il fait froid.",
    ),
    "es": ("Vivo en Vigo.", "Creo que vivo en Lugo.", "¿Dónde vivo?", "¿Vivo en Lugo?", "Aquí en Lugo hace frío."),
    "it": ("Vivo a Pisa.", "Mi sa che vivo a Lucca.", "Dove vivo?", "Vivo a Lucca?", "Qui a Lucca fa freddo."),
}


@pytest.fixture(scope="module")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with talking(neo4j_connection, f"doubt-{uuid4()}", tmp_path_factory.mktemp("data")) as memory:
        yield memory


def told(memory: Memory, user: str, *turns: str) -> Memory:
    mine = memory.for_user(user)
    for number, text in enumerate(turns):
        mine.chat(session_id=f"s{number}").observe(text)
    assert mine._parts.live_chats().wait(60)
    return mine


@pytest.mark.parametrize("code", SAID)
def test_a_home_said_in_doubt_alone_is_shown_as_doubtful(memory: Memory, code: str) -> None:
    for number, said in enumerate((SAID[code][1], SAID[code][4])):
        answer = told(memory, f"{code}-alone-{number}", said).ask(SAID[code][2])
        print(code, "ALONE", said, "->", answer.found, answer.text)


@pytest.mark.parametrize("code", SAID)
def test_a_doubted_home_beside_a_plain_one(memory: Memory, code: str) -> None:
    plain, doubted, where, there, here = SAID[code]
    mine = told(memory, f"{code}-both", plain, doubted)
    for q in (where, there):
        answer = mine.ask(q)
        print(code, "BOTH", q, "->", answer.found, answer.text)
    mine = told(memory, f"{code}-here", plain, here)
    for q in (where, there):
        answer = mine.ask(q)
        print(code, "HERE", q, "->", answer.found, answer.text)
