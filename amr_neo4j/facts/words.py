"""Similarity by words, where there is no vector to compare."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from amr_neo4j.facts.options import recall_table
from amr_neo4j.language.languages import Language

_SHORT = 2


@dataclass(frozen=True)
class QueryWords:
    """The content words of a query in all their forms, to be looked for in texts; all its words where none is one."""

    wanted: tuple[frozenset[str], ...]
    language: Language

    @classmethod
    def of(cls, query: str, language: Language, but: Collection[str] = ()) -> QueryWords:
        """The words of a query. but: words that are not looked for."""
        wanted = [word.forms for word in language.content_words(query)]
        wanted = wanted or [language.forms(word) for word in language.words_of(query)]
        return cls(tuple(forms for forms in wanted if forms.isdisjoint(but)), language)

    def share_in(self, text: str) -> float:
        """The part of the words that a text has, in any of their forms, in [0, 1]."""
        return len(self.found_in(text)) / len(self.wanted) if self.wanted else 0.0

    def found_in(self, text: str) -> frozenset[int]:
        """The numbers of the words that a text has, in any of their forms."""
        there = self.language.all_forms(text)
        return frozenset(number for number, forms in enumerate(self.wanted) if not forms.isdisjoint(there))

    def places_in(self, text: str) -> list[int]:
        """Which of a text's words are words of the query, in any of their forms."""
        known = frozenset[str]().union(*self.wanted)
        forms = map(self.language.forms, self.language.words_of(text))
        return [place for place, each in enumerate(forms) if not each.isdisjoint(known)]


def is_brief(text: str) -> bool:
    """Whether a text says one thing only; the words of a query that a longer one has may be about several."""
    return len(text.split()) <= recall_table().brief_words


def is_short(text: str, language: Language) -> bool:
    """Whether a turn says so little that its facts are all it says."""
    return len(language.sentences(text)) <= _SHORT
