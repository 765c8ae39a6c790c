"""`ask` shows what was said in doubt or in passing as doubtful, in each language. Real Neo4j."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking

# {language: ((a plain home, a doubted one, "here in" the latter), ("where?", "in the latter?"), the two homes)}
SAID = {
    "en": (
        ("I live in Dundee.", "I think I live in Perth.", "Here in Perth it is cold."),
        ("Where do I live?", "Do I live in Perth?"),
        ("Dundee", "Perth"),
    ),
    "de": (
        ("Ich wohne in Ulm.", "Ich glaube, ich wohne in Kiel.", "Es regnet hier in Kiel."),
        ("Wo wohne ich?", "Wohne ich in Kiel?"),
        ("Ulm", "Kiel"),
    ),
    "fr": (
        ("J'habite à Nantes.", "Je crois que j'habite à Rennes.", "Ici à Rennes, il fait froid."),
        ("Où est-ce que j'habite ?", "Est-ce que j'habite à Rennes ?"),
        ("Nantes", "Rennes"),
    ),
    "es": (
        ("Vivo en Vigo.", "Creo que vivo en Bilbao.", "Aquí en Bilbao hace frío."),
        ("¿Dónde vivo?", "¿Vivo en Bilbao?"),
        ("Vigo", "Bilbao"),
    ),
    "it": (
        ("Vivo a Pisa.", "Mi sa che vivo a Lucca.", "Qui a Lucca fa freddo."),
        ("Dove vivo?", "Vivo a Lucca?"),
        ("Pisa", "Lucca"),
    ),
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


DOUBT = (
    "As far as memory knows:",
    "Soweit bekannt:",
    "Pour autant qu'on sache :",
    "Hasta donde se sabe:",
    "Per quanto si sa:",
)


def is_doubtful(text: str) -> bool:
    return text.startswith(DOUBT)


@pytest.mark.parametrize("code", SAID)
def test_a_home_that_is_only_doubted_or_named_in_passing_is_shown_as_doubtful(memory: Memory, code: str) -> None:
    (_, doubted, here), (where, _), (_, town) = SAID[code]
    for said in (doubted, here):
        answer = told(memory, f"{code}-{said}", said).ask(where)
        assert town in answer.text and is_doubtful(answer.text), answer.text


@pytest.mark.parametrize("code", SAID)
def test_beside_a_plain_home_the_other_is_doubted_or_a_stay(memory: Memory, code: str) -> None:
    (plain, doubted, here), (where, there), (home, town) = SAID[code]
    for said in (doubted, here):
        mine = told(memory, f"{code}-plain-{said}", plain, said)
        answer = mine.ask(where)
        assert home in answer.text and town not in answer.text and not is_doubtful(answer.text), answer.text
        answer = mine.ask(there)
        # Of the visit it says that it is one, without doubt.
        assert town in answer.text and is_doubtful(answer.text) == (said == doubted), answer.text
