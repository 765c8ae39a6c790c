"""Similarity by words, where there is no vector to compare."""

from __future__ import annotations

from amr_neo4j.language.base import Words

_SHORT = 2


def shared_words(query: str, text: str, language: Words) -> float:
    """The part of a query's content words that a text has, in any of their forms, in [0, 1]."""
    wanted = [word.forms for word in language.content_words(query)]
    if not wanted:
        wanted = [language.forms(word) for word in language.words_of(query)]
    there = language.all_forms(text)
    return sum(not forms.isdisjoint(there) for forms in wanted) / len(wanted) if wanted else 0.0


def is_short(text: str, language: Words) -> bool:
    """Whether a turn says so little that its facts are all it says."""
    return len(language.sentences(text)) <= _SHORT
