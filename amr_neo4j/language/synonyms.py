"""Words that mean the same, by the senses of a word net: `holidays` and `vacations`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from amr_neo4j.language.opposites import Opposites

# Longer objects are compared by their vectors alone; so long a part of one may be looked up as one word.
_MOST_WORDS, _LONGEST = 6, 3


@dataclass(frozen=True)
class SenseKeys:
    """What a text means, as keys: it with one of its words in one sense.

    main: the first sense of a word. all: the second one too.
    """

    main: frozenset[str] = frozenset()
    all: frozenset[str] = frozenset()

    def meets(self, other: SenseKeys) -> bool:
        """Whether the two may mean the same: the first sense of one is a sense of the other."""
        return not (self.main.isdisjoint(other.all) and self.all.isdisjoint(other.main))


@dataclass(frozen=True)
class Synonyms:
    """The senses of nouns.

    senses: lemma -> its senses, the usual one first. forms: the base forms that a word may have.
    """

    senses: Mapping[str, Sequence[int]]
    words: Opposites
    forms: Callable[[str], Iterable[str]]

    def keys(self, text: str) -> SenseKeys:
        """The keys of a text; none of a long one."""
        if text not in self._known:
            made = list(self._keys(self.words.in_order(text)))
            self._known[text] = SenseKeys(
                frozenset(key for key, first in made if first), frozenset(k for k, _ in made)
            )
        return self._known[text]

    @cached_property
    def _known(self) -> dict[str, SenseKeys]:
        return {}

    def _keys(self, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """(key, whether it is of a first sense)."""
        if len(words) > _MOST_WORDS:
            return
        stems = [self.words.stem(word) for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + _LONGEST) + 1):
                around = " ".join(stems[:start]), " ".join(stems[end:])
                for place, sense in enumerate(self._senses(words[start:end])):
                    yield f"{around[0]}|{sense}|{around[1]}", place == 0

    def _senses(self, phrase: Sequence[str]) -> Sequence[int]:
        if found := self.senses.get(" ".join(phrase)):
            return found
        singular = (" ".join([*phrase[:-1], lemma]) for lemma in sorted(self.forms(phrase[-1])))
        return next((found for each in singular if (found := self.senses.get(each))), ())
