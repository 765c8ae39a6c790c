"""The language of a question about conversations, where no folder has rules for it: its words and its sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from amr_neo4j.language.answers import AnswerGrammar, AnswerTable
from amr_neo4j.language.base import ContentWord, Grammar, Language
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.stems import forms, stems, words_in


class SpokenLanguage:
    """As base.Language: words as the stems of a language, answers in its sentences, all else as another's."""

    def __init__(
        self, code: str, bullets: Bullets, table: AnswerTable, language_of: Callable[[str], str], others: Language
    ) -> None:
        """language_of: the code of the language that a text is most likely in."""
        self.code, self._others, self._language_of = code, others, language_of
        self.grammar = cast("Grammar", AnswerGrammar(table, others.grammar))
        self._function = bullets.interrogatives | table.function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._others, name)

    def forms(self, word: str) -> frozenset[str]:
        """The word as written, without accents, and its stem."""
        return stems(word, self.code)

    def all_forms(self, text: str) -> frozenset[str]:
        """The forms of all words of a text."""
        return stems(text, self.code)

    def content_words(self, text: str) -> tuple[ContentWord, ...]:
        """The words that are not function words, each once, in order: an answer must state each of them."""
        found = forms(" ".join(words_in(text)), self.code)
        named = {word: each for word, each in found.items() if len(word) > 1 and not word.isdigit()}
        return tuple(
            ContentWord(word, each, names=True) for word, each in named.items() if word not in self._function
        )

    def has_function_words(self, text: str) -> bool:
        """Whether a text is in the language."""
        return self._language_of(text) == self.code and not self._function.isdisjoint(words_in(text))
