"""Reads a question in one language over footage in English, and answers in that language."""

from __future__ import annotations

from collections.abc import Collection

from amr_neo4j.language.answers import AnswerGrammar, AnswerTable
from amr_neo4j.language.glossary import glossary
from amr_neo4j.language.languages import DEFAULT, Language
from amr_neo4j.language.nouns import Gloss


class AskedLanguage(Language):
    """English, except that questions are in another language, and the sentences of answers too."""

    def __init__(self, code: str, answers: AnswerTable) -> None:
        """code: the language of the questions, which has glossary.yaml."""
        super().__init__(DEFAULT)
        self.grammar = AnswerGrammar(answers)
        self._glossary = glossary(code)

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question in English. persons, objects: the identities that memory knows."""
        return self._glossary.english(question, persons, objects)
