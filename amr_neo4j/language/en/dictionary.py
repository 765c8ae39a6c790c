# pyright: basic
"""LemmInflect's two tables, row by row: to parse all of them takes half a second of every start."""

from __future__ import annotations

import gzip
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import Any

from lemminflect import Inflections, Lemmatizer
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
from lemminflect.core.LexicalUtils import categoryToUPos

Entry = dict[str, Any]


class Table(dict[str, Entry]):
    """The dictionary that the library's codec returns, for reading by `get`."""

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


def install() -> None:
    """Give the library's readers these tables in place of those they would parse at once."""
    lemmatizer, inflections = Lemmatizer(), Inflections()
    lemmatizer.lemma_dict = Table(lemmatizer.lemma_lu_fn, _lemmas)
    table = Table(inflections.infl_lu_fn, lambda row: InflectionLUCodec.fromString(row)[2])
    inflections.infl_dict = InflectionLUCodec.updateForAuxMod(table)


def _word(row: str) -> str:
    return row[: row.index(",")]


def _lemmas(row: str) -> Entry:
    _, category, forms = LemmaLUCodec.fromString(row)
    return {categoryToUPos(category): forms}
