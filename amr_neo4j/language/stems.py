"""Reduces words to stems without accents and case, by which turns and facts are compared."""

from __future__ import annotations

import re
from functools import lru_cache

from amr_neo4j.domain.folding import without_accents
from amr_neo4j.language.languages import language

_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Return the text in lower case, without accents."""
    if text.isascii():  # most words, and normalising takes ten times as long
        return text.lower()
    # The ligatures are whole letters there.
    return without_accents(text.casefold()).replace("œ", "oe").replace("æ", "ae")


@lru_cache(maxsize=50_000)
def stem(word: str, code: str) -> str:
    """Return the stem of a word, without accents. In a language without a stemmer the word keeps its ending."""
    spoken = language(code)
    return folded(spoken.opposites.stem(word) if spoken.stemmer else word)


def words_in(text: str) -> list[str]:
    """Return the words of a text in order, in lower case."""
    return _WORD.findall(text.casefold())


@lru_cache(maxsize=50_000)
def _forms(word: str, code: str) -> frozenset[str]:
    return frozenset((word, folded(word), stem(word, code)))


def forms(text: str, code: str) -> dict[str, frozenset[str]]:
    """Return {word: its forms} for a text. The forms are the word, the word without accents, and its stem.

    Two words with a form in common count as the same word.
    """
    return {word: _forms(word, code) for word in words_in(text)}


def stems(text: str, code: str) -> frozenset[str]:
    """Return the forms of all words of a text."""
    return frozenset[str]().union(*forms(text, code).values())
