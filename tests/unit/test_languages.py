"""Languages are folders: they are found by name, and a new one needs no change outside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import amr_neo4j.language
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.errors import ConfigError
from amr_neo4j.language import languages
from amr_neo4j.language.languages import ENGLISH, Language, language
from amr_neo4j.language.questions import QuestionTable
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, kitchen

PIRATE = """
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import PersonKey


class Pirate(Language):
    @staticmethod
    def person_key(name_or_description):
        return PersonKey("matey_" + name_or_description.casefold(), True)


LANGUAGE = Pirate("pir")
"""
WITH_ANSWERS = """
from amr_neo4j.language.languages import ENGLISH, Language
from amr_neo4j.language.pir.grammar import PirateGrammar


class Pirate(Language):
    grammar = PirateGrammar()

    @staticmethod
    def content_words(text):
        return tuple(word for word in ENGLISH.content_words(text) if word.word != "whar")


LANGUAGE = Pirate("pir")
"""
GRAMMAR = """
from amr_neo4j.language.en.grammar import EnglishGrammar


class PirateGrammar(EnglishGrammar):
    def not_found(self, missing_words=(), *, in_time_span=False):
        return "Arr, naught o' " + " nor ".join(missing_words)

    def change_at(self, action, lemma, actor, event, *, last=False):
        return f"arr, {actor} did {lemma} the {action.object} {action.spatial_relation}"

    def path_place(self, node_id, event):
        return f"log {node_id}"
"""
# Patterns of the language's own tables, in the place of English ones.
TABLES = {
    "asking.yaml": {"PLACE: '": "PLACE: '^whar be\\b|"},
    "time_expressions.yaml": {"(second|minute)": "(second|bell)"},
}

EMBEDDER = HashedWords()


@cache
def household() -> FakeGraph:
    return kitchen()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A further folder in which languages are found, as if it were amr_neo4j/language."""
    monkeypatch.setattr(amr_neo4j.language, "__path__", [*amr_neo4j.language.__path__, str(tmp_path)])
    languages.language.cache_clear()
    yield tmp_path
    languages.language.cache_clear()
    for name in ("amr_neo4j.language.pir", "amr_neo4j.language.pir.grammar"):
        sys.modules.pop(name, None)


def test_english_is_supported_and_the_fallback_of_other_languages() -> None:
    assert language("en") is ENGLISH and ENGLISH.reads_statements
    german = language("de")
    assert german is language("de") and german.code == "de" and not german.reads_statements
    assert german.object_key is ENGLISH.object_key and german.grammar is ENGLISH.grammar
    assert german.asking.answer_types.keys() == ENGLISH.asking.answer_types.keys()


def test_what_a_language_cannot_do_is_asked_for_openly() -> None:
    """Its tables tell: without them, facts and answers are None. Nothing is read outside its folder."""
    assert language("de").answers and language("de").facts
    for code in ("xx", "", "../en", "__pycache__"):
        assert language(code).facts is None and language(code).answers is None
        assert language(code).first_names.names == ()
        assert language(code).bullets.table == ENGLISH.bullets.table
        with pytest.raises(ConfigError, match="no rules read facts"):
            _ = language(code).fact_table


def test_a_language_is_a_folder(folder: Path) -> None:
    """With what it overrides; the rest, tables included, is what it inherits."""
    (folder / "pir").mkdir()
    (folder / "pir" / "__init__.py").write_text(PIRATE, encoding="utf-8")
    pirate: Language = language("pir")
    assert pirate.code == "pir"
    assert pirate.person_key("Anna").person_id == "matey_anna"
    assert pirate.object_key("the Mugs") == "mug"
    assert pirate.table("questions.yaml", QuestionTable).version == 1


def test_a_table_of_a_language_overrides_the_inherited_one(folder: Path) -> None:
    (folder / "pir").mkdir()
    (folder / "pir" / "__init__.py").write_text(PIRATE, encoding="utf-8")
    text = (Path(amr_neo4j.language.__path__[0]) / "en" / "questions.yaml").read_text(encoding="utf-8")
    (folder / "pir" / "questions.yaml").write_text(text.replace("version: 1", "version: 7"), encoding="utf-8")
    assert language("pir").table("questions.yaml", QuestionTable).version == 7
    assert language("en").table("questions.yaml", QuestionTable).version == 1


@pytest.fixture
def pirate(folder: Path) -> Language:
    """A language with words, patterns and answers of its own; it knows the rest of English."""
    (folder / "pir").mkdir()
    (folder / "pir" / "__init__.py").write_text(WITH_ANSWERS, encoding="utf-8")
    (folder / "pir" / "grammar.py").write_text(GRAMMAR, encoding="utf-8")
    for name, replaced in TABLES.items():
        text = (Path(amr_neo4j.language.__path__[0]) / "en" / name).read_text(encoding="utf-8")
        for english, own in replaced.items():
            assert english in text
            text = text.replace(english, own)
        (folder / "pir" / name).write_text(text, encoding="utf-8")
    return language("pir")


def answer(question: str, spoken: Language) -> Answer:
    return ask(question, Sources(Scope("test"), household(), household(), EMBEDDER, spoken))


def test_a_question_is_read_and_answered_in_its_language(pirate: Language) -> None:
    """By the patterns, the function words and the sentences of its folder; English reads and answers as before."""
    asked = answer("Whar be the keys?", pirate)
    assert asked.text.startswith("Arr, Ben did lay the keys on top of the fridge [event ")
    assert any(hit.trail.startswith("log ") for hit in asked.evidence)
    assert answer("Whar be the parrot?", pirate).text == "Arr, naught o' parrot"
    english = answer("Where are the keys?", language("en"))
    assert english.citations == asked.citations and english.text.startswith("The keys were last ")
    assert "Arr" not in answer("Whar be the keys?", language("en")).text


def test_a_time_is_read_in_its_language(pirate: Language) -> None:
    graph, morning = household(), Scope("test", ("kitchen_morning",))
    early = search("the keys at bell 30", Sources(morning, graph, graph, EMBEDDER, pirate))
    assert {hit.event.time_start <= 30 <= hit.event.time_end for hit in early} == {True}
