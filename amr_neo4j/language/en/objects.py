"""The identity of an object: one key for "the Mugs", "a mug" and "Anna's mug"."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from amr_neo4j.language.en.words import noun_lemmas
from amr_neo4j.tables import Table, load

_NO_PLURAL = ("ss", "us", "is", "as", "os")
_EDGES = " .'-"


class ObjectTable(Table):
    """objects.yaml, whose head says what its keys mean."""

    determiners: frozenset[str]
    singulars: dict[str, str]
    whole: frozenset[str]


@cache
def _table() -> ObjectTable:
    return load("amr_neo4j.language.en", "objects.yaml", ObjectTable)


@lru_cache(maxsize=65536)
def object_key(name: str) -> str:
    """The identity of an object within its place: casefolded, singular, without article or owner.

    Only English nouns are made singular; other words pass through, in NFC. Never empty for a name that is not.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    words = re.findall(r"[^\s_\"“”„«»,;:!?()\[\]{}]+", plain.replace("’", "'"))
    text = " ".join(word for word in words if re.search(r"\w", word))
    return _singular(_bare(text).strip(_EDGES)) or text.strip(_EDGES) or name


def _bare(text: str) -> str:
    """Without what says whose it is or how many."""
    if text in _table().whole:
        return text
    for cut in re.finditer(r" ", text):
        head, rest = text[: cut.start()], text[cut.end() :]
        if head in _table().determiners or re.search(r"\w('s|s')$", head):
            return _bare(rest)
    return text


def _singular(text: str) -> str:
    """Singular in the nouns that it turns on: the last word, or the one before "of", on each side of "and"."""
    if text in _table().singulars:
        return _table().singulars[text]
    head, of, tail = text.partition(" of ")
    return " and ".join(_singular_last(part) for part in head.split(" and ")) + of + tail


def _singular_last(text: str) -> str:
    before, space, noun = text.rpartition(" ")
    return before + space + _singular_word(noun)


@lru_cache(maxsize=8192)
def _singular_word(noun: str) -> str:
    if stated := _table().singulars.get(noun):
        return stated
    lemmas = noun_lemmas(noun)
    return _regular(noun) if not lemmas else noun if noun in lemmas else lemmas[0]


def _regular(noun: str) -> str:
    """For words the dictionary lacks ("airpods"): only endings that are hardly anything but a plural."""
    regular = noun.isascii() and noun.isalpha() and len(noun) > 3 and noun.endswith("s")
    if not regular or noun.endswith(_NO_PLURAL):
        return noun
    return noun[:-2] if noun.endswith(("ches", "shes", "xes")) else noun[:-1]
