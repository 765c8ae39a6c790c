# pyright: basic
"""Word forms of English, from LemmInflect's dictionary (NIH SPECIALIST lexicon).

Words the dictionary lacks (names, other languages) are left as they are: no link is better than a wrong one.
LemmInflect rather than inflect: inflect takes 2 s to import, reads "bus" as a plural, and has no verbs.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

from lemminflect import Inflections, Lemmatizer, getAllInflections, getAllLemmas, getLemma
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
from lemminflect.core.LexicalUtils import categoryToUPos

Entry = dict[str, Any]


class FormTable(dict[str, Entry]):
    """The dictionary that the library's codec returns, for reading by `get`, parsed row by row.

    To parse all rows takes half a second of every start.
    """

    def __init__(self, path: str, parse: Callable[[str], Entry]) -> None:
        super().__init__()
        self._path, self._parse = path, parse

    @cached_property
    def _rows(self) -> list[str]:
        """The rows as the file has them, those of a word together and in order of the words."""
        with gzip.open(self._path, "rt", encoding="utf-8") as file:
            return file.read().splitlines()

    def get(self, word: str, default: Any = None) -> Any:
        """Returns the word's entry: forms by part of speech or Penn tag."""
        if word not in self and (rows := self._rows_of(word)):
            entry: Entry = {}
            for row in rows:
                entry |= self._parse(row)
            self[word] = entry
        return super().get(word, default)

    def words(self) -> set[str]:
        """Returns every word that has an entry."""
        return self.keys() | set(map(_word, self._rows))

    def _rows_of(self, word: str) -> list[str]:
        rows = self._rows
        return rows[bisect_left(rows, word, key=_word) : bisect_right(rows, word, key=_word)]


def _install() -> None:
    """Give the library's readers these tables in place of those they would parse at once."""
    lemmatizer, inflections = Lemmatizer(), Inflections()
    lemmatizer.lemma_dict = FormTable(lemmatizer.lemma_lu_fn, _lemmas)
    table = FormTable(inflections.infl_lu_fn, lambda row: InflectionLUCodec.fromString(row)[2])
    inflections.infl_dict = InflectionLUCodec.updateForAuxMod(table)


def _word(row: str) -> str:
    return row[: row.index(",")]


def _lemmas(row: str) -> Entry:
    _, category, forms = LemmaLUCodec.fromString(row)
    return {categoryToUPos(category): forms}


_install()


@lru_cache(maxsize=8192)
def verb_lemmas(word: str) -> tuple[str, ...]:
    """Every verb that `word` may be a form of ("lay": lay, lie); empty for an unknown verb."""
    if lemmas := getLemma(word, "VERB", lemmatize_oov=False):
        return tuple(sorted(lemmas, key=lambda lemma: lemma != word))
    prefix, stem = _split(word)
    return tuple(prefix + lemma for lemma in verb_lemmas(stem)) if prefix else ()


@lru_cache(maxsize=8192)
def noun_lemmas(word: str) -> tuple[str, ...]:
    """Every noun that `word` may be a form of ("glasses": glass, glasses); empty for an unknown noun."""
    return tuple(getLemma(word, "NOUN", lemmatize_oov=False))


@lru_cache(maxsize=8192)
def is_word(word: str) -> bool:
    """Whether the dictionary has the word, as any part of speech."""
    return bool(getAllLemmas(word))


def noun_plural(noun: str) -> str:
    """The plural of a single-word noun; a word that the dictionary lacks takes an s."""
    listed = getAllInflections(noun, "NOUN").get("NNS")
    return listed[0] if listed else noun + "s"


def verb_form(lemma: str, tag: str) -> str:
    """A single-word verb in the form of a Penn tag (VBZ "takes", VBD "took", VBN "taken", VBG); rules where unlisted.

    The dictionary lists VBN only where it is not the past tense.
    """
    listed = getAllInflections(lemma, "VERB")
    if forms := listed.get(tag) or (listed.get("VBD") if tag == "VBN" else None):
        return forms[0]
    prefix, stem = _split(lemma)
    return prefix + verb_form(stem, tag) if prefix else _regular(lemma, tag)


def _split(verb: str) -> tuple[str, str]:
    """ "reclose" is as regular as "close", which the dictionary has."""
    return (verb[:2], verb[2:]) if verb[:2] in ("un", "re") and verb[2:] else ("", verb)


def _regular(lemma: str, tag: str) -> str:
    if tag == "VBZ":
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    stem = lemma.removesuffix("e")
    return stem + ("ing" if tag == "VBG" else "ed")
