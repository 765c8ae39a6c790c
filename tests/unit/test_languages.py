"""Languages are folders: they are found by name, and a new one needs no change outside it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import amr_neo4j.language
from amr_neo4j.language import registry
from amr_neo4j.language.base import Language
from amr_neo4j.language.en.questions import QuestionTable

PIRATE = """
from amr_neo4j.language.en import English
from amr_neo4j.language.en.persons import PersonKey


class Pirate(English):
    code = "pir"

    @staticmethod
    def person_key(name_or_description):
        return PersonKey("matey_" + name_or_description.casefold(), True)


LANGUAGE = Pirate()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A further folder in which languages are found, as if it were amr_neo4j/language."""
    monkeypatch.setattr(amr_neo4j.language, "__path__", [*amr_neo4j.language.__path__, str(tmp_path)])
    registry.language.cache_clear()
    yield tmp_path
    registry.language.cache_clear()
    sys.modules.pop("amr_neo4j.language.pir", None)


def test_english_is_supported_and_the_fallback_of_other_languages() -> None:
    assert "en" in registry.known_languages()
    assert registry.language("de") is registry.language("en")
    assert registry.language("../en") is registry.language("en")


def test_a_language_is_a_folder(folder: Path) -> None:
    """With what it overrides; the rest, tables included, is what it inherits."""
    (folder / "pir").mkdir()
    (folder / "pir" / "__init__.py").write_text(PIRATE, encoding="utf-8")
    assert "pir" in registry.known_languages()
    pirate: Language = registry.language("pir")
    assert pirate.code == "pir"
    assert pirate.person_key("Anna").person_id == "matey_anna"
    assert pirate.object_key("the Mugs") == "mug"
    assert pirate.table("questions.yaml", QuestionTable).version == 1


def test_a_table_of_a_language_overrides_the_inherited_one(folder: Path) -> None:
    (folder / "pir").mkdir()
    (folder / "pir" / "__init__.py").write_text(PIRATE, encoding="utf-8")
    text = (Path(amr_neo4j.language.__path__[0]) / "en" / "questions.yaml").read_text(encoding="utf-8")
    (folder / "pir" / "questions.yaml").write_text(text.replace("version: 1", "version: 7"), encoding="utf-8")
    assert registry.language("pir").table("questions.yaml", QuestionTable).version == 7
    assert registry.language("en").table("questions.yaml", QuestionTable).version == 1
