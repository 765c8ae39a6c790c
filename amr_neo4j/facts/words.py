"""Similarity by words, where there is no vector to compare."""

from __future__ import annotations

from dataclasses import dataclass

from amr_neo4j.language.base import Words

_SHORT = 2


@dataclass(frozen=True)
class QueryWords:
    """The content words of a query in all their forms, to be looked for in texts; all its words where none is one."""

    wanted: tuple[frozenset[str], ...]
    language: Words

    @classmethod
    def of(cls, query: str, language: Words) -> QueryWords:
        """The words of a query."""
        wanted = [word.forms for word in language.content_words(query)]
        return cls(tuple(wanted or map(language.forms, language.words_of(query))), language)

    def share_in(self, text: str) -> float:
        """The part of the words that a text has, in any of their forms, in [0, 1]."""
        there = self.language.all_forms(text)
        return sum(not forms.isdisjoint(there) for forms in self.wanted) / len(self.wanted) if self.wanted else 0.0


def is_short(text: str, language: Words) -> bool:
    """Whether a turn says so little that its facts are all it says."""
    return len(language.sentences(text)) <= _SHORT
