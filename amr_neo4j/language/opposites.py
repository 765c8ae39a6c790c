"""Compares texts by their words: which deny or exclude one another, and which name other kinds of one thing.

The words are in a table per language (opposites.yaml).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product, takewhile
from typing import Annotated, Any, Literal, cast

import Stemmer
from pydantic import BeforeValidator

from amr_neo4j import tables
from amr_neo4j.language.fact_tables import Words

# Sentences with fewer words do not tell what they are about: "It works."
_LEAST_TOLD = 2
# The fewest letters of a compound's last noun, which names the thing, and of what stands before it.
LEAST_NOUN, LEAST_BEFORE = 4, 3
_BETWEEN_CLAUSES = re.compile(r"[,;–—()]\s*|\s-\s")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
WordSet = Annotated[frozenset[str], BeforeValidator(tables.listed)]


class OppositesTable(tables.Table):
    """opposites.yaml.

    negations: words that deny.
    negative_concord: several of them in a sentence deny once, as in French "ne ... pas".
    contrasts: groups of words of which only one can be true at a time ("married", "single"); "ill/sick" are two words
        for the same.
    empty: words that add nothing to the meaning of an object.
    verbs: pairs as in contrasts that exclude one another in sentences about the same ("allowed", "forbidden").
    passing: words that a sentence may have or not without being about something else, such as "now" and auxiliaries.
    head: where the noun stands that names the thing, as "developer" in "backend developer".
    after_head: words that begin what follows such a noun ("developer of games").
    compounds: words may be joined to one, as in "Rotwein".
    stemmer: the language's name in Snowball.
    apart: words that it would take for another one, each with its plural: "prima/primas", who is no "primo".
    """

    negations: WordSet
    negative_concord: bool = False
    contrasts: tuple[Words, ...]
    empty: WordSet
    verbs: tuple[Words, ...]
    passing: WordSet
    head: Literal["first", "last"] = "last"
    after_head: WordSet = frozenset()
    compounds: bool = False
    stemmer: str
    apart: Words = ()


@dataclass(frozen=True, slots=True)
class _Clause:
    """told: the stems that say what the clause is about."""

    told: frozenset[str]
    is_denied: bool


@dataclass(frozen=True)
class Opposites:
    """Compares texts of one language: their words, whether they deny, whether they exclude each other."""

    table: OppositesTable

    def words(self, text: str, *, exact: bool = False) -> frozenset[str]:
        """Return the stems of a text, without empty words and negations.

        If the text has only such words, the whole text is returned.

        exact: return the words as they are, for names.
        """
        said = (word for word in self._all(text) if word not in self._skipped)
        found = frozenset(said) if exact else frozenset(self.stem(word) for word in said)
        return found or frozenset([text.casefold()])

    def in_order(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as written, in order, without empty words and negations."""
        return tuple(word for word in self._all(text) if word not in self._skipped)

    def denies(self, text: str) -> bool:
        """Return whether a text is negated. Without negative concord, two negations cancel each other out."""
        found = sum(word in self.table.negations for word in self._all(text))
        return found > 0 if self.table.negative_concord else found % 2 == 1

    def exclude(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """Return whether words of one text exclude words of the other, as "married" excludes "single".

        one, other: what `words` returned for each text.
        """
        # A word that both texts have cannot make them exclude each other.
        return _excluding(self._contrasts, one - other, other - one)

    def are_kinds(self, one: str, other: str) -> bool:
        """Return whether two texts name different kinds of one thing: "backend developer", "frontend developer"."""
        mine, its = self.words(one), self.words(other)
        if mine <= its or its <= mine or self._joined(one) == self._joined(other):
            return False
        heads = sorted((self._head(one), self._head(other)), key=len)
        # The stems of "développeur" and "développeuse" differ in how far they go.
        is_gendered = self.table.head == "first" and len(heads[0]) >= LEAST_NOUN
        if heads[0] == heads[1] or (is_gendered and heads[1].startswith(heads[0])):
            return True
        backwards = zip(*(reversed(head) for head in heads), strict=False)
        noun = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], backwards))
        return self.table.compounds and noun >= LEAST_NOUN and min(map(len, heads)) >= noun + LEAST_BEFORE

    def _joined(self, text: str) -> str:
        """Return the text as one word, so that "front-end" and "frontend" are the same."""
        return self.stem("".join(self.in_order(text)))

    def _head(self, text: str) -> str:
        """Return the stem of the noun that names the thing."""
        words = self._all(text)
        ends = (place for place, word in enumerate(words) if place and word in self.table.after_head)
        said = [word for word in words[: next(ends, len(words))] if word not in self._skipped] or words
        if not said:
            return ""
        return self.stem(said[0] if self.table.head == "first" else said[-1])

    def contrary(self, one: str, other: str) -> bool:
        """Return whether two sentences say the opposite of the same: "dogs are allowed", "dogs are not allowed".

        Either a clause of one denies what a clause of the other says, or they differ in one word that excludes the
        other's. What follows or leads to it does not matter: "New rule: dogs are not allowed, sadly".
        """
        return any(self._are_contrary(*pair) for pair in product(self._clauses(one), self._clauses(other)))

    def _clauses(self, sentence: str) -> list[_Clause]:
        """Return what stands between the commas of a sentence, and after a heading of several words."""
        parts: list[str] = []
        for part in _BETWEEN_CLAUSES.split(sentence):
            head, _, rest = part.partition(": ")
            # A single word may name who speaks: "Tom: the door is open".
            parts += (head, rest) if rest and len(head.split()) > 1 else (part,)
        clauses = (_Clause(self._told(each), not self.table.negations.isdisjoint(self._all(each))) for each in parts)
        return [clause for clause in clauses if len(clause.told) >= _LEAST_TOLD]

    def _are_contrary(self, one: _Clause, other: _Clause) -> bool:
        mine, its = one.told, other.told
        if mine == its:
            return one.is_denied != other.is_denied
        is_one_word = len(mine - its) == len(its - mine) == 1
        is_denied = one.is_denied or other.is_denied
        return is_one_word and not is_denied and _excluding(self._opposed, mine - its, its - mine)

    def _told(self, sentence: str) -> frozenset[str]:
        """Return the stems that say what a sentence is about."""
        words = self._all(sentence)
        if self.table.negative_concord:  # French "n'est", Italian "c'è"; English negates within "isn't"
            words = [part for word in words for part in word.split("'")]
        said = (word for word in words if word not in self._skipped | self.table.passing)
        return frozenset(self.stem(word) for word in said)

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return self._apart.get(word) or _stemmed(word, self.table.stemmer)

    @cached_property
    def _apart(self) -> dict[str, str]:
        """Return {word: its singular} for the words that keep their ending."""
        groups = [each.split("/") for each in self.table.apart]
        return {word: same[0] for same in groups for word in same}

    @cached_property
    def _skipped(self) -> frozenset[str]:
        return self.table.negations | self.table.empty

    @cached_property
    def _contrasts(self) -> tuple[dict[str, int], ...]:
        return self._numbered(self.table.contrasts)

    @cached_property
    def _opposed(self) -> tuple[dict[str, int], ...]:
        return (*self._contrasts, *self._numbered(self.table.verbs))

    def _numbered(self, groups: tuple[Words, ...]) -> tuple[dict[str, int], ...]:
        """Return for each group {stem: a number that words of the same meaning share}."""
        return tuple(
            {self.stem(word): number for number, same in enumerate(group) for word in same.split("/")}
            for group in groups
        )

    @staticmethod
    def _all(text: str) -> list[str]:
        return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def _excluding(groups: tuple[dict[str, int], ...], one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether a group has words of both, but none of the same meaning."""
    for group in groups:
        mine, its = ({group[word] for word in words if word in group} for words in (one, other))
        if mine and its and mine.isdisjoint(its):
            return True
    return False


@lru_cache(maxsize=50_000)
def _stemmed(word: str, stemmer: str) -> str:
    """Return the stem of a word.

    Each call makes its own stemmer, because a stemmer keeps state and threads must not share one.

    stemmer: the language's name in Snowball.
    """
    return str(cast(Any, Stemmer).Stemmer(stemmer, 0).stemWord(word))
