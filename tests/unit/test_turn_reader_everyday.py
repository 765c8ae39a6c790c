"""Everyday ways to state facts, in each language: classes of words rather than examples."""

from __future__ import annotations

import pytest

from amr_neo4j.turn_reader import extract
from amr_neo4j.turn_reader.language_kit import language_kit
from amr_neo4j.turn_reader.understand import entities

SAID = [
    ("en", "im from lisbon", ("you", "born_in", "lisbon")),
    ("en", "I drive a Honda Civic.", ("you", "owns", "honda civic")),
    ("en", "I've been married to Tom for eleven years.", ("you", "husband", "tom")),
    ("en", "Croydon is where I live.", ("you", "lives_in", "croydon")),
    ("es", "Soy de Oviedo.", ("you", "born_in", "oviedo")),
    ("es", "Conduzco una furgoneta Renault.", ("you", "owns", "furgoneta renault")),
    ("fr", "Je roule en Peugeot 208.", ("you", "owns", "peugeot 208")),
    ("fr", "Je suis belge, de Namur.", ("you", "born_in", "namur")),
    ("de", "Ich bin seit zwölf Jahren mit Thomas verheiratet.", ("you", "husband", "thomas")),
    ("de", "wohn in Köln", ("you", "lives_in", "köln")),
    ("it", "Sono di Lecce.", ("you", "born_in", "lecce")),
    ("it", "Guido una Panda.", ("you", "owns", "panda")),
    ("en", "We ended up in a flat in Leith.", ("you", "lives_in", "leith")),
    ("es", "¿Te he dicho que mi perro se llama Coco?", ("you", "dog", "coco")),
]
NOTHING = [
    ("en", "I drive a bus."),
    ("en", "I ended up in hospital."),
    ("en", "Ended up in A&E once because of a brownie."),
    ("en", "We landed up in a ditch."),
    ("en", "My bike got stolen last night."),
    ("en", "The book is from Amazon."),
    ("en", "The neighbours in that film live in Paris and own a yacht."),
    ("en", "I was going to call my son Arthur."),
    ("es", "No tengo hijos ni estoy casado."),
    ("es", "Soy de letras."),
    ("de", "Ich komme aus einem Dorf."),
    ("it", "Sono in ritardo."),
    ("it", "Ho letto un romanzo, di Calvino."),
]
ASKED = [
    ("en", "Can you tell me the capital of France?", False),
    ("en", "Can you tell me where my keys are?", True),
    ("es", "¿Me puedes decir la capital de Francia?", False),
    ("fr", "Peux-tu me dire la capitale de la France ?", False),
    ("de", "Kannst du mir die Hauptstadt von Frankreich sagen?", False),
    ("it", "Mi puoi dire la capitale della Francia?", False),
    ("it", "Mi puoi dire dove abito?", True),
]


@pytest.mark.parametrize(("language", "text", "triple"), SAID)
def test_it_is_read(language: str, text: str, triple: tuple[str, str, str]) -> None:
    assert triple in {tuple(found) for found in extract(text, language)}


@pytest.mark.parametrize(("language", "text"), NOTHING)
def test_it_states_nothing(language: str, text: str) -> None:
    assert extract(text, language) == []


def test_a_spouse_is_wife_or_husband_by_the_name_and_else_a_partner() -> None:
    relations = {name: extract(f"I'm married to {name}.", "en")[0][1] for name in ("Anna", "Peter", "Sam")}
    assert relations == {"Anna": "wife", "Peter": "husband", "Sam": "partner"}


@pytest.mark.parametrize(("language", "text", "personal"), ASKED)
def test_who_asks_to_be_told_something_does_not_ask_about_themselves(
    language: str, text: str, personal: bool
) -> None:
    assert ("you" in entities(language_kit(language), text)) is personal


FILLED = [("en", "Mostly Rex, my dog."), ("de", "Meistens Rex, mein Hund."), ("fr", "Surtout Rex, mon chien.")]


@pytest.mark.parametrize(("language", "text"), FILLED)
def test_a_filler_before_a_name_is_no_part_of_it(language: str, text: str) -> None:
    assert [tuple(found) for found in extract(text, language)] == [("you", "dog", "rex")]
