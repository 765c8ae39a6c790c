"""Relatives who are known by two facts: a husband, and his sister."""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial

import pytest

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.kinship import kin_of_kin
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.turn_reader.understand import Understander

FACTS = [
    Triple("you", "husband", "ettore"),
    Triple("ettore", "sister", "ginevra"),
    Triple("ettore", "mother", "carla"),
    Triple("you", "mother", "anna"),
    Triple("anna", "sister", "rosa"),
    Triple("rosa", "son", "luca"),
    Triple("you", "colleague", "ada"),
    Triple("ada", "sister", "ida"),
]


def about(subjects: Collection[str], relations: Collection[str]) -> list[Triple]:
    return [each for each in FACTS if each.subject in subjects and each.relation in relations]


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("sister_in_law", ["ginevra"]),
        ("mother_in_law", ["carla"]),
        ("aunt", ["rosa"]),
        ("sister", []),
        ("cousin", []),
    ],
)
def test_who_has_a_role_by_two_facts(role: str, names: list[str]) -> None:
    assert kin_of_kin([role], about) == [Triple("you", role, name) for name in names]


@pytest.mark.parametrize(
    ("husband", "sister", "question"),
    [
        ("my husband Peter drives a bus", "his sister Olivia is a vet", "What does my sister-in-law do?"),
        ("mein Mann Peter fährt Bus", "seine Schwester Lena ist Tierärztin", "Was macht meine Schwägerin beruflich?"),
        ("mi marido Pedro es camarero", "su hermana Lucía es veterinaria", "¿A qué se dedica mi cuñada?"),
        ("mon mari Pierre est serveur", "sa sœur Léa est vétérinaire", "Quel est le métier de ma belle-sœur ?"),
        ("mio marito Pietro è cuoco", "sua sorella Chiara è veterinaria", "Che mestiere fa mia cognata?"),
    ],
)
def test_the_sister_of_a_husband_is_asked_for_as_a_sister_in_law(husband: str, sister: str, question: str) -> None:
    kept: list[object] = []

    def keep(turn: object) -> str:
        kept.append(turn)
        return f"e{len(kept)}"

    chat = LiveChat(
        "s",
        user_id="u1",
        index=HotIndex(),
        understand=Understander(["en", "es", "fr", "de", "it"]).understand,
        ask=partial(about_facts, "u1"),
        keep=keep,
        options=HotOptions(),
        now=lambda: datetime(2026, 5, 3, 9, tzinfo=UTC),
        clock=time.perf_counter,
    )
    chat.observe(husband)
    chat.observe(sister)
    [hint] = chat.observe(question).hints
    assert hint.triple.relation == "is"
    assert hint.triple.object.startswith(("vet", "vét", "tier"))
