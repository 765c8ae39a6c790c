"""How a query of search_memory is read: its language, whom it asks about, and by which words results are judged."""

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from amr_neo4j.app.memory_search import query_filter, without_user
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recall import Recalled, TurnCitation
from amr_neo4j.facts.query_filter import QueryFilter
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import words_in

LANGUAGES = ("en", "es", "fr", "de", "it")


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("user's work projects", "work projects"),
        ("The user’s family", "family"),
        ("hobbies of the user", "hobbies"),
        ("familia del usuario", "familia"),
        ("projets professionnels de l'utilisatrice", "projets professionnels"),
        ("Hobbys der Benutzerin", "Hobbys"),
        ("problemi di salute dell'utente", "problemi di salute"),
        ("user interface", "user interface"),
        ("the user", "the user"),
        ("Which dog does Ben have?", "Which dog does Ben have?"),
    ],
)
def test_the_words_of_a_query_are_those_beside_the_user(query: str, left: str) -> None:
    assert without_user(query, LANGUAGES) == left


GOLD = Path(__file__).parents[1] / "gold"
# Queries that name somebody besides the user: a relative, a pet or a partner.
NAMES_ANOTHER = frozenset(
    words_in(
        """brother sister spouse partner hermano hermana esposa mascota mascotas frère sœur mari animaux bruder
        schwester ehemann tiere haustier fratello sorella compagno marito animale"""
    )
)


@cache
def needs() -> tuple[tuple[str, str], ...]:
    """Return (language, query) of the needs of the gold conversations."""
    rows = [
        json.loads(line)
        for name in ("reminding", "reminding_search")
        for line in (GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    return tuple((row["lang"], need["query"]) for row in rows for need in row.get("needs", ()))


def read(query: str, code: str = "en") -> QueryFilter:
    return query_filter("u1", query, own=language(code), languages=LANGUAGES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_need_is_read_in_its_language(code: str) -> None:
    queries = [query for lang, query in needs() if lang == code]
    assert queries and {query: read(query).code for query in queries} == dict.fromkeys(queries, code)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_need_that_names_the_user_alone_asks_of_the_user(code: str) -> None:
    queries = [q for lang, q in needs() if lang == code and without_user(q, LANGUAGES) != q]
    of_user = {query: read(query).asks_of_user for query in queries}
    assert of_user == {query: NAMES_ANOTHER.isdisjoint(words_in(query)) for query in queries}


NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = TurnCitation(-1, "ep", "s", 0, "turn", "user", NOW)


def turn(text: str) -> Recalled:
    return Recalled("turn", f"user: {text}", 0.7, NOW, SAID)


def fact(text: str, *triple: str) -> Recalled:
    return Recalled("fact", text, 0.7, NOW, SAID, 0.0, Triple(*triple))


@pytest.mark.parametrize(
    ("code", "query", "own", "others"),
    [
        ("en", "the user's job", "I work at a bakery", ["My sister has a new boss", "Ben has a new boss"]),
        ("de", "Beruf der Nutzerin", "Mein Chef ist krank", ["Meine Schwester hat einen neuen Chef"]),
        ("fr", "métier de l'utilisatrice", "mon chef est malade", ["Ma sœur a un nouveau chef"]),
        (
            "es",
            "trabajo del usuario",
            "mi jefe está enfermo",
            ["Mi hermana tiene un nuevo jefe", "Mi hermana tiene mucho trabajo"],
        ),
        (
            "it",
            "lavoro dell'utente",
            "il mio capo è malato",
            ["Mia sorella ha un nuovo capo", "Mia sorella ha molto lavoro"],
        ),
    ],
)
def test_what_is_said_of_others_is_not_of_the_users_topic(code: str, query: str, own: str, others: list[str]) -> None:
    filter_of = read(query, code)
    assert filter_of.is_of_topic(turn(own))
    assert not any(filter_of.is_of_topic(turn(each)) for each in others)
    of_eva, of_user = (Triple(subject, "works_at", "bosch") for subject in ("eva", "you"))
    bullets = language(code).bullets
    assert filter_of.is_of_topic(fact(bullets.bullet(of_user), *of_user))
    assert not filter_of.is_of_topic(fact(bullets.bullet(of_eva), *of_eva))


@pytest.mark.parametrize(
    ("code", "query", "text"),
    [
        ("en", "the user's travel plans", "My husband booked us a trip to Rome"),
        ("en", "the user's favourite food", "My wife cooks pasta for me, my favourite food"),
        ("de", "Reisen der Nutzerin", "Mein Mann bucht eine Reise für uns"),
        ("fr", "voyages de l'utilisatrice", "Mon mari réserve un voyage pour nous"),
        ("es", "viajes de la usuaria", "Mi marido reservó un viaje para nosotros"),
        ("it", "viaggi dell'utente", "Mio marito prenota un viaggio per noi"),
    ],
)
def test_what_another_does_for_the_user_is_of_the_users_topic(code: str, query: str, text: str) -> None:
    assert read(query, code).is_of_topic(turn(text))


@pytest.mark.parametrize(
    ("query", "text"), [("the user's family", "My sister is a nurse"), ("the user's pets", "My dog Rex has a cough")]
)
def test_others_are_of_the_topic_that_they_are(query: str, text: str) -> None:
    assert read(query).is_of_topic(turn(text))
