"""Finds languages: each folder beside this file whose package has a LANGUAGE is one, named by its code."""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources
from pkgutil import iter_modules

import amr_neo4j.language
from amr_neo4j import tables
from amr_neo4j.language.answers import AnswerTable
from amr_neo4j.language.base import Language
from amr_neo4j.language.bullets import Bullets, BulletTable
from amr_neo4j.language.fact_tables import FactTable, FirstNames
from amr_neo4j.language.opposites import Opposites, OppositesTable

DEFAULT = "en"
"""Whose rules apply to texts in a language without a folder."""


@cache
def language(code: str) -> Language:
    """The language with this code; the default one where there is no folder for it."""
    name = code if code in known_languages() else DEFAULT
    return import_module(f"{amr_neo4j.language.__name__}.{name}").LANGUAGE


def known_languages() -> tuple[str, ...]:
    """The codes of the languages that have a folder, in alphabetical order."""
    return tuple(sorted(module.name for module in iter_modules(amr_neo4j.language.__path__) if module.ispkg))


@cache
def bullets(code: str) -> Bullets:
    """How facts read in this language; in the default one where there is no table for it."""
    folder = resources.files(amr_neo4j.language)
    name = code if folder.joinpath(f"{code}/bullets.yaml").is_file() else DEFAULT
    return Bullets(tables.load(amr_neo4j.language.__name__, f"{name}/bullets.yaml", BulletTable))


@cache
def answer_table(code: str) -> AnswerTable | None:
    """The sentences of answers about conversations in this language; None where it has no such table."""
    name = f"{code}/answers.yaml"
    if not resources.files(amr_neo4j.language).joinpath(name).is_file():
        return None
    return tables.load(amr_neo4j.language.__name__, name, AnswerTable)


@cache
def fact_rules(code: str) -> FactTable:
    """How the language with this code states facts. Raises FileNotFoundError where it has no such table."""
    return tables.load(amr_neo4j.language.__name__, f"{code}/facts.yaml", FactTable)


@cache
def first_names(code: str) -> tuple[str, ...]:
    """The first names of the language with this code; none where it has no such table."""
    name = f"{code}/first_names.yaml"
    if not resources.files(amr_neo4j.language).joinpath(name).is_file():
        return ()
    return tables.load(amr_neo4j.language.__name__, name, FirstNames).names


@cache
def first_names_anywhere() -> tuple[str, ...]:
    """The first names of all languages: friends come from everywhere."""
    folders = sorted(folder.name for folder in resources.files(amr_neo4j.language).iterdir() if folder.is_dir())
    return tuple(name for code in folders for name in first_names(code))


def states_facts(code: str) -> bool:
    """Whether the language with this code has rules that read facts."""
    return resources.files(amr_neo4j.language).joinpath(f"{code}/facts.yaml").is_file()


@cache
def opposites(code: str) -> Opposites:
    """Which words deny or exclude one another; in the default language where there is no table for it."""
    folder = resources.files(amr_neo4j.language)
    name = code if folder.joinpath(f"{code}/opposites.yaml").is_file() else DEFAULT
    return Opposites(tables.load(amr_neo4j.language.__name__, f"{name}/opposites.yaml", OppositesTable))
