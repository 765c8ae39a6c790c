"""Word forms of English, from LemmInflect's dictionary (NIH SPECIALIST lexicon).

Words that the dictionary lacks (names, other languages) have no lemmas: no link is better than a wrong one.
The library inflect was rejected: it takes 2 s to import, reads "bus" as a plural, and has no verbs.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

# LemmInflect has no types. Imported by name, it is Any to the type checker.
lemminflect = import_module("lemminflect")
InflectionLUCodec = import_module("lemminflect.codecs.InflectionLUCodec").InflectionLUCodec
LemmaLUCodec = import_module("lemminflect.codecs.LemmaLUCodec").LemmaLUCodec
LexicalUtils = import_module("lemminflect.core.LexicalUtils")

Entry = dict[str, Any]


class FormTable(dict[str, Entry]):
    """The library's dictionary, with each word parsed when `get` first reads it.

    The library itself parses all rows at once, which takes half a second of every start.
    """

    def __init__(self, path: str, parse: Callable[[str], Entry]) -> None:
        super().__init__()
        self._path, self._parse = path, parse

    @cached_property
    def _rows(self) -> list[str]:
        """The rows of the file, which are sorted by word, so that a word's rows can be found by bisection."""
        with gzip.open(self._path, "rt", encoding="utf-8") as file:
            return file.read().splitlines()

    def get(self, word: str, default: Any = None) -> Any:
        """Return the word's entry: {part of speech or Penn tag: forms}."""
        if word not in self and (rows := self._rows_of(word)):
            entry: Entry = {}
            for row in rows:
                entry |= self._parse(row)
            self[word] = entry
        return super().get(word, default)

    def words(self) -> set[str]:
        """Return every word that has an entry."""
        return self.keys() | set(map(_word, self._rows))

    def _rows_of(self, word: str) -> list[str]:
        rows = self._rows
        return rows[bisect_left(rows, word, key=_word) : bisect_right(rows, word, key=_word)]


def _install() -> None:
    """Give the library's readers these lazy tables instead of the ones that they would parse at once."""
    lemmatizer, inflections = lemminflect.Lemmatizer(), lemminflect.Inflections()
    lemmatizer.lemma_dict = FormTable(lemmatizer.lemma_lu_fn, _lemmas)
    table = FormTable(inflections.infl_lu_fn, lambda row: InflectionLUCodec.fromString(row)[2])
    inflections.infl_dict = InflectionLUCodec.updateForAuxMod(table)


def _word(row: str) -> str:
    return row[: row.index(",")]


def _lemmas(row: str) -> Entry:
    _, category, forms = LemmaLUCodec.fromString(row)
    return {LexicalUtils.categoryToUPos(category): forms}


_install()


@lru_cache(maxsize=8192)
def verb_lemmas(word: str) -> tuple[str, ...]:
    """Return every verb that `word` may be a form of ("lay": lay, lie), the word itself first; empty if unknown."""
    if lemmas := lemminflect.getLemma(word, "VERB", lemmatize_oov=False):
        # The sort is stable: it only moves the word itself to the front.
        return tuple(sorted(lemmas, key=lambda lemma: lemma != word))
    prefix, stem = _split(word)
    return tuple(prefix + lemma for lemma in verb_lemmas(stem)) if prefix else ()


@lru_cache(maxsize=8192)
def noun_lemmas(word: str) -> tuple[str, ...]:
    """Return every noun that `word` may be a form of ("glasses": glass, glasses); empty for an unknown noun."""
    return tuple(lemminflect.getLemma(word, "NOUN", lemmatize_oov=False))


@lru_cache(maxsize=8192)
def is_word(word: str) -> bool:
    """Return whether the dictionary has the word, as any part of speech."""
    return bool(lemminflect.getAllLemmas(word))


def noun_plural(noun: str) -> str:
    """Return the plural of a single-word noun. A noun that the dictionary lacks gets an s."""
    listed = lemminflect.getAllInflections(noun, "NOUN").get("NNS")
    return listed[0] if listed else noun + "s"


def verb_form(lemma: str, tag: str) -> str:
    """Return a single-word verb in the form of a Penn tag: VBZ "takes", VBD "took", VBN "taken", VBG "taking".

    A verb that the dictionary lacks is formed by rules. The dictionary lists VBN only if it differs from VBD.
    """
    listed = lemminflect.getAllInflections(lemma, "VERB")
    if forms := listed.get(tag) or (listed.get("VBD") if tag == "VBN" else None):
        return forms[0]
    prefix, stem = _split(lemma)
    return prefix + verb_form(stem, tag) if prefix else _regular(lemma, tag)


def _split(verb: str) -> tuple[str, str]:
    """Split "un" or "re" from a verb: the dictionary lacks "reclose", which is inflected as "close" is."""
    return (verb[:2], verb[2:]) if verb[:2] in ("un", "re") and verb[2:] else ("", verb)


def _regular(lemma: str, tag: str) -> str:
    if tag == "VBZ":
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    stem = lemma.removesuffix("e")
    return stem + ("ing" if tag == "VBG" else "ed")
