"""French and Italian as people talk and type them: accents as apostrophes, kin, homes, jobs, travels, tastes."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.lines import line_of
from amr_neo4j.turn_reader.understand import read_by_rules

STATED: list[tuple[str, str, set[tuple[str, str, str]]]] = [
    ("it", "mia sorella e' dentista", {("sorella", "is", "dentista")}),
    ("it", "La mia citta' preferita e' Lecce", {("you", "favorite_city", "lecce")}),
    (
        "it",
        "vivo a Torino perche' lavoro alla Fiat",
        {("you", "lives_in", "torino"), ("you", "works_at", "fiat")},
    ),
    ("it", "qui a Genova piove", {("you", "lives_in", "genova")}),
    ("it", "mi sono fermato a Rieti", {("you", "lives_in", "rieti")}),
    ("it", "siamo andati a Parigi in treno", {("you", "went_to", "parigi")}),
    ("it", "Mio nonno era calzolaio", {("nonno", "is", "calzolaio")}),
    ("it", "Ho una dozzina di galline", {("you", "has", "galline"), ("galline", "quantity", "12")}),
    ("it", "In ufficio mi chiamano Teo", {("you", "name", "teo")}),
    ("it", "Mi pare che la nuova collega si chiami Irma", {("you", "colleague", "irma")}),
    (
        "it",
        "Lavoro alla Pirelli come magazziniere",
        {("you", "works_at", "pirelli"), ("you", "is", "magazziniere")},
    ),
    ("it", "odio il caldo con tutto il cuore", {("you", "dislikes", "caldo")}),
    ("it", "La nebbia mi mette ansia", {("you", "dislikes", "nebbia")}),
    (
        "it",
        "Ho due figli e canto in un coro",
        {("you", "has", "figli"), ("figli", "quantity", "2"), ("you", "participated_in", "coro")},
    ),
    ("fr", "Je suis en congé parental", {("you", "is", "en congé parental")}),
    ("fr", "Mon rappeur préféré est Oxmo", {("you", "favorite_rapper", "oxmo")}),
    ("fr", "moi c'est Bastien", {("you", "name", "bastien")}),
    ("fr", "j'ai rejoint Airbus en 2019", {("you", "works_at", "airbus")}),
    ("fr", "boîte : capgemini", {("you", "works_at", "capgemini")}),
    ("fr", "les réunions ça m'insupporte", {("you", "dislikes", "réunions")}),
    ("fr", "Je suis coiffeuse à Lyon", {("you", "is", "coiffeuse")}),
    (
        "fr",
        "J'ai deux enfants et chante dans une chorale",
        {("you", "has", "enfants"), ("enfants", "quantity", "2"), ("you", "participated_in", "chorale")},
    ),
]

NOTHING = [
    ("it", "Ho vinto una scommessa"),
    ("it", "Ho smesso di fumare"),
    ("it", "Ho intenzione di comprare un camper"),
    ("it", "mi occupo di energia"),
    ("fr", "Mon frère est reparti"),
    ("fr", "Marseille en août"),
]


@pytest.mark.parametrize(("code", "text", "triples"), STATED)
def test_stated(code: str, text: str, triples: set[tuple[str, str, str]]) -> None:
    assert {tuple(fact.triple) for fact in read_by_rules(text, code).facts} == triples


@pytest.mark.parametrize(("code", "text"), NOTHING)
def test_nothing_is_stated(code: str, text: str) -> None:
    assert not read_by_rules(text, code).facts


@pytest.mark.parametrize(
    ("text", "retracted"),
    [("Abitavo a Bari", ("you", "lives_in", "bari")), ("Lavoravo alla Pirelli", ("you", "works_at", "pirelli"))],
)
def test_the_imperfect_is_over(text: str, retracted: tuple[str, str, str]) -> None:
    assert list(read_by_rules(text, "it").retracted) == [Triple(*retracted)]


@pytest.mark.parametrize("word", ["citta", "perche", "cosi", "pero", "piu"])
def test_an_accent_typed_as_an_apostrophe_is_one(word: str) -> None:
    table = language("it").fact_table
    with_accent = word[:-1] + {"a": "à", "e": "é", "i": "ì", "o": "ò", "u": "ù"}[word[-1]]
    assert line_of(f"{word}' si", table).folded == line_of(f"{with_accent} si", table).folded


def test_an_elision_keeps_its_apostrophe() -> None:
    assert line_of("l'amica dell'oste", language("it").fact_table).folded == "l' amica dell' oste "
