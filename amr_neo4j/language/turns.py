"""What a turn of a conversation does, as far as its punctuation tells."""

from __future__ import annotations

from amr_neo4j.language.base import Words

_ASKS = ("?", "？", "؟")
_CLOSING = "\"'”’»)* "
_FEW_WORDS = 2


def only_asks(text: str, language: Words) -> bool:
    """Whether a turn is a question, with nothing beside it but a word or two ("Hi!", "Thanks.")."""
    if not any(mark in text for mark in _ASKS):
        return False
    sentences = [sentence.rstrip(_CLOSING) for sentence in language.sentences(text)]
    others = [sentence for sentence in sentences if not sentence.endswith(_ASKS)]
    return len(others) < len(sentences) and all(len(language.words_of(each)) <= _FEW_WORDS for each in others)
