"""Knows which words deny or exclude one another, from a table per language (opposites.yaml)."""

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

    negations: words that deny.
    contrasts: groups of words of which only one can be true at a time ("married", "single"); "ill/sick" are two words
        for the same.
    empty: words that add nothing to the meaning of an object.
    stemmer: the language's name in snowballstemmer.
    """

    negations: Words
    contrasts: tuple[Words, ...]
    empty: Words
    stemmer: str


@dataclass(frozen=True)
class Opposites:
    """Compares texts of one language: their words, whether they deny, whether they exclude each other."""

    table: OppositesTable

    def words(self, text: str, *, exact: bool = False) -> frozenset[str]:
        """Return the stems of a text, without empty words and negations.

        exact: return the words as they are, for names.
        If the text has only such words, the whole text is returned.
        """
        said = (word for word in self._all(text) if word not in self._skipped)
        found = frozenset(said) if exact else frozenset(self.stem(word) for word in said)
        return found or frozenset([text.casefold()])

    def in_order(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as written, in order, without empty words and negations."""
        return tuple(word for word in self._all(text) if word not in self._skipped)

    def denies(self, text: str) -> bool:
        """Return whether a text is negated, which takes an odd number of negations."""
        return sum(word in self._negations for word in self._all(text)) % 2 == 1

    def exclude(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Return whether words of one text exclude words of the other, as "married" excludes "single".

        one, other: what `words` returned for each text.
        """
        # A word that both texts have cannot make them exclude each other.
        only, others = one - other, other - one
        for group in self._contrasts:
            mine, its = ({group[word] for word in words if word in group} for words in (only, others))
            if mine and its and mine.isdisjoint(its):
                return True
        return False

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return stemmed(word, self.table.stemmer)

    @cached_property
    def _negations(self) -> frozenset[str]:
        return frozenset(self.table.negations)

    @cached_property
    def _skipped(self) -> frozenset[str]:
        return self._negations | frozenset(self.table.empty)

    @cached_property
    def _contrasts(self) -> tuple[dict[str, int], ...]:
        """For each group of contrasts: {stem: a number that words of the same meaning share}."""
        return tuple(
            {self.stem(word): number for number, same in enumerate(group) for word in same.split("/")}
            for group in self.table.contrasts
        )

    @staticmethod
    def _all(text: str) -> list[str]:
        return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


@lru_cache(maxsize=50_000)
def stemmed(word: str, stemmer: str) -> str:
    """Return the stem of a word. Cached, because a stemmer takes 0.2 ms per word.

    stemmer: the language's name in snowballstemmer.
    Each call makes its own stemmer, because a stemmer keeps state and threads must not share one.
    """
    return str(cast(Any, snowballstemmer).stemmer(stemmer).stemWord(word))
