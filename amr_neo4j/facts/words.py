"""Similarity by words, where there is no vector to compare; and turns that only ask."""

from __future__ import annotations

from amr_neo4j.language.base import Words

_ASKS = ("?", "？", "؟")
_CLOSING = "\"'”’»)* "
_FEW_WORDS = 2
_SHORT = 2


def shared_words(query: str, text: str, language: Words) -> float:
    """The part of a query's content words that a text has, in any of their forms, in [0, 1]."""
    wanted = [word.forms for word in language.content_words(query)]
    if not wanted:
        wanted = [language.forms(word) for word in language.words_of(query)]
    there = language.all_forms(text)
    return sum(not forms.isdisjoint(there) for forms in wanted) / len(wanted) if wanted else 0.0


def only_asks(text: str, language: Words) -> bool:
    """Whether a turn is a question, with nothing beside it but a word or two ("Hi!", "Thanks.")."""
    sentences = [sentence.rstrip(_CLOSING) for sentence in language.sentences(text)]
    others = [sentence for sentence in sentences if not sentence.endswith(_ASKS)]
    return len(others) < len(sentences) and all(len(language.words_of(each)) <= _FEW_WORDS for each in others)


def is_short(text: str, language: Words) -> bool:
    """Whether a turn says so little that its facts are all it says."""
    return len(language.sentences(text)) <= _SHORT
