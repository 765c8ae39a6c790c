"""Words of a text as stems, without accents and case: what a turn and a fact are compared by."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from amr_neo4j.language.languages import language
from amr_neo4j.language.opposites import stemmed

_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """The text in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold()).replace("œ", "oe").replace("æ", "ae")
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


@lru_cache(maxsize=50_000)
def stem(word: str, code: str) -> str:
    """The stem of a word, without accents. A language without a stemmer has its words as they are."""
    stemmer = language(code).stemmer
    return folded(stemmed(word, stemmer) if stemmer else word)


def words_in(text: str) -> list[str]:
    """The words of a text in order, in lower case."""
    return _WORD.findall(text.casefold())


def forms(text: str, code: str) -> dict[str, frozenset[str]]:
    """Each word with its forms: as written, without accents, and its stem. Words with equal endings share one."""
    return {word: frozenset((word, folded(word), stem(word, code))) for word in words_in(text)}


def stems(text: str, code: str) -> frozenset[str]:
    """The forms of all words."""
    return frozenset[str]().union(*forms(text, code).values())
