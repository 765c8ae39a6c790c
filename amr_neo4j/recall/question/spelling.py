"""Misspelled names in a question: its "refrigrator" is the "refrigerator" of the events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from amr_neo4j.language.languages import Language

# One error (a letter left out, added, changed, or two exchanged) in four letters, two in eight. Of EPIC's words with
# one error all are found, with two a third; of other words 15 in 100 come as near, of those in no dictionary 1.
NEAR_ENOUGH = 0.75
SHORTEST = 3


@dataclass(frozen=True)
class Respelling:
    """A word of a question that memory spells otherwise."""

    word: str
    taken_as: str


def respellings(text: str, persons: Iterable[str], objects: Iterable[str], language: Language) -> list[Respelling]:
    """The words of a text that neither memory nor the dictionary knows, each with the word of memory nearest to it.

    persons, objects: the identities that memory knows. A person's name is compared with persons alone. Words without
    a near enough neighbour are left out.
    """
    named = {word.casefold() for name in language.mentioned_names(text) for word in name.split()}
    people, things = frozenset(persons), frozenset(objects)
    unknown = _unknown_words(text, named, language)
    found = ((word, _near(word, people if word in named else things, language)) for word in unknown)
    return [Respelling(word, near) for word, near in found if near]


def _unknown_words(text: str, named: Collection[str], language: Language) -> Iterator[str]:
    for word in language.content_words(text):
        plain = word.word.isalpha() and len(word.word) >= SHORTEST
        if plain and not word.vague and (word.word in named or not language.is_word(word.word)):
            yield word.word


def _near(word: str, identities: frozenset[str], language: Language) -> str:
    """The word of an identity nearest to this one; empty where none is near enough, or the word itself is one."""
    found = process.extractOne(word, _words(identities), scorer=OSA.normalized_similarity, score_cutoff=NEAR_ENOUGH)
    return found[0] if found and found[0] not in (word, language.object_key(word)) else ""


@lru_cache(maxsize=8)
def _words(identities: frozenset[str]) -> list[str]:
    """Each word of the identities; the same list for a memory that has not changed."""
    return sorted({*" ".join(identities).replace("_", " ").split()})


def respelt(text: str, respellings: Collection[Respelling]) -> str:
    """The text with these words as memory spells them; capitals are kept."""
    taken_as = {word.word: word.taken_as for word in respellings}

    def as_known(found: re.Match[str]) -> str:
        known = taken_as.get(found[0].casefold(), found[0])
        return known.capitalize() if found[0][:1].isupper() else known

    return re.sub(r"[^\W\d_]+", as_known, text) if taken_as else text
