"""Corrects misspelled names in a question: "refrigrator" is the "refrigerator" of the events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from amr_neo4j.language.languages import Language

# Allows one error in four letters and two in eight; an error is a letter left out, added or changed, or two letters
# exchanged. Measured on the words of EPIC-KITCHENS: all words with one error are corrected, and a third of those with
# two. Among other words, 15 % are as near to a name, but only 1 % of those that no dictionary has. So only those are
# corrected (decision 0022).
NEAR_ENOUGH = 0.75
SHORTEST = 3  # words with fewer letters are not corrected


@dataclass(frozen=True)
class Respelling:
    """A word of a question, and the word of memory that it was taken for."""

    word: str
    taken_as: str


def respellings(text: str, persons: Iterable[str], objects: Iterable[str], language: Language) -> list[Respelling]:
    """Return the corrections of words that neither memory nor the dictionary knows.

    A person's name is compared with persons only. A word that is near no word of memory is not corrected.

    persons, objects: the identities that memory knows.
    """
    named = {word.casefold() for name in language.mentioned_names(text) for word in name.split()}
    # Frozen, because they are the keys of the cache of `_words`.
    people, things = frozenset(persons), frozenset(objects)
    unknown = _unknown_words(text, named, language)
    found = ((word, _near(word, people if word in named else things, language)) for word in unknown)
    return [Respelling(word, near) for word, near in found if near]


def _unknown_words(text: str, named: Collection[str], language: Language) -> Iterator[str]:
    for word in language.content_words(text):
        # Names have no dictionary, so they are always compared: "Anne" may be Anna.
        plain = word.word.isalpha() and len(word.word) >= SHORTEST
        if plain and not word.vague and (word.word in named or not language.is_word(word.word)):
            yield word.word


def _near(word: str, identities: frozenset[str], language: Language) -> str:
    """Return the word of an identity nearest to this one; empty if none is near enough or the word is one itself."""
    found = process.extractOne(word, _words(identities), scorer=OSA.normalized_similarity, score_cutoff=NEAR_ENOUGH)
    return found[0] if found and found[0] not in (word, language.object_key(word)) else ""


@lru_cache(maxsize=8)
def _words(identities: frozenset[str]) -> list[str]:
    """Return every word of the identities. Cached, because memory rarely changes between two questions."""
    return sorted({*" ".join(identities).replace("_", " ").split()})


def respelt(text: str, respellings: Collection[Respelling]) -> str:
    """Return the text with these words spelled as memory spells them. Capitals are kept."""
    taken_as = {word.word: word.taken_as for word in respellings}

    def as_known(found: re.Match[str]) -> str:
        known = taken_as.get(found[0].casefold(), found[0])
        return known.capitalize() if found[0][:1].isupper() else known

    return re.sub(r"[^\W\d_]+", as_known, text) if taken_as else text
