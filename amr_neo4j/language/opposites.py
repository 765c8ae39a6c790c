"""Words that deny or exclude one another, from a table per language (opposites.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from amr_neo4j import tables
from amr_neo4j.language.fact_tables import Words

_WORD = re.compile(r"\w+(?:['’]\w+)?")


class OppositesTable(tables.Table):
    """opposites.yaml.

    negations: words that deny. contrasts: words of which only one can hold; "ill/sick" are two words for one. empty:
    words that say nothing of their own in an object. stemmer: the language's name for snowballstemmer.
    """

    negations: Words
    contrasts: tuple[Words, ...]
    empty: Words
    stemmer: str


@dataclass(frozen=True)
class Opposites:
    """The words of one language."""

    table: OppositesTable

    def words(self, text: str, *, exact: bool = False) -> frozenset[str]:
        """What a text says: its words without endings, empty words and negations. exact: with endings, for names."""
        said = (word for word in self._all(text) if word not in self._skipped)
        found = frozenset(said) if exact else frozenset(self.stem(word) for word in said)
        return found or frozenset([text.casefold()])

    def in_order(self, text: str) -> tuple[str, ...]:
        """The words of a text as they are, in order, without empty words and negations."""
        return tuple(word for word in self._all(text) if word not in self._skipped)

    def denies(self, text: str) -> bool:
        """Whether a text is negated: by an odd number of negations."""
        return sum(word in self._negations for word in self._all(text)) % 2 == 1

    def exclude(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Whether words of one exclude words of the other, as `married` and `single`; both from `words`."""
        only, others = one - other, other - one
        for group in self._contrasts:
            mine, its = ({group[word] for word in words if word in group} for words in (only, others))
            if mine and its and mine.isdisjoint(its):
                return True
        return False

    def stem(self, word: str) -> str:
        """A word without its ending."""
        return stemmed(word, self.table.stemmer)

    @cached_property
    def _negations(self) -> frozenset[str]:
        return frozenset(self.table.negations)

    @cached_property
    def _skipped(self) -> frozenset[str]:
        return self._negations | frozenset(self.table.empty)

    @cached_property
    def _contrasts(self) -> tuple[dict[str, int], ...]:
        """For each group, the number of what a word says in it."""
        return tuple(
            {self.stem(word): number for number, same in enumerate(group) for word in same.split("/")}
            for group in self.table.contrasts
        )

    @staticmethod
    def _all(text: str) -> list[str]:
        return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


@lru_cache(maxsize=50_000)
def stemmed(word: str, stemmer: str) -> str:
    """A word without its ending. Remembered: a stemmer takes 0.2 ms a word.

    stemmer: what snowballstemmer calls the language. Each call makes its own: they keep state and threads share none.
    """
    return str(cast(Any, snowballstemmer).stemmer(stemmer).stemWord(word))
