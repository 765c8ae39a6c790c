"""Words of a text as stems, without accents and case: what a turn and a fact are compared by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

_WORD = re.compile(r"[^\W_]+")
_STEMMERS = {"en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian"}


def folded(text: str) -> str:
    """The text in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold()).replace("œ", "oe").replace("æ", "ae")
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    """Another language than the known ones is not stemmed."""
    if language not in _STEMMERS:
        return str
    known: Any = cast(Any, snowballstemmer).stemmer(_STEMMERS[language])
    return known.stemWord


@lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """The stem of a word, without accents."""
    return folded(_stemmer(language)(word))


def words_in(text: str) -> list[str]:
    """The words of a text in order, in lower case."""
    return _WORD.findall(text.casefold())


def forms(text: str, language: str) -> dict[str, frozenset[str]]:
    """Each word with its forms: as written, without accents, and its stem. Words with equal endings share one."""
    return {word: frozenset((word, folded(word), stem(word, language))) for word in words_in(text)}


def stems(text: str, language: str) -> frozenset[str]:
    """The forms of all words."""
    return frozenset[str]().union(*forms(text, language).values())
