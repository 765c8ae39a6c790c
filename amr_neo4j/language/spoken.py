"""Reads and answers questions about conversations in a language that has tables but no rules of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection

from amr_neo4j.language.answers import AnswerGrammar, AnswerTable
from amr_neo4j.language.glossary import glossary, has_glossary
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import ContentWord, Gloss
from amr_neo4j.language.stems import forms, stems, words_in


class SpokenLanguage(Language):
    """Compares words by the language's stems and answers in its sentences.

    Everything else follows the English rules.
    """

    def __init__(self, language: Language, answers: AnswerTable, language_of: Callable[[str], str]) -> None:
        """language_of: returns the code of the language that a text is most likely in."""
        super().__init__(language.code)
        self._language_of = language_of
        self.grammar = AnswerGrammar(answers)
        self._function = language.bullets.interrogatives | answers.function

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question as it is, with English words for its words, because footage may be described by these."""
        if not has_glossary(self.code):
            return Gloss(question)
        meanings, words = glossary(self.code).meanings, self.content_words(question)
        return Gloss(question, others={each.word: sorted(meanings(each.word)) for each in words})

    def forms(self, word: str) -> frozenset[str]:
        """Return the word as written, the word without accents, and its stem."""
        return stems(word, self.code)

    def all_forms(self, text: str) -> frozenset[str]:
        """Return the forms of all words of a text."""
        return stems(text, self.code)

    def content_words(self, text: str) -> tuple[ContentWord, ...]:
        """Return the words that are not function words, each once, in order.

        All count as names, because the rules cannot tell nouns from verbs here: an answer must state each of them.
        """
        found = forms(" ".join(words_in(text)), self.code)
        named = {word: each for word, each in found.items() if len(word) > 1 and not word.isdigit()}
        return tuple(
            ContentWord(word, each, names=True) for word, each in named.items() if word not in self._function
        )

    def has_function_words(self, text: str) -> bool:
        """Return whether a text is in the language and has function words of it."""
        return self._language_of(text) == self.code and not self._function.isdisjoint(words_in(text))
