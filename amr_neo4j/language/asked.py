"""Reads a question in one language over footage in another, and answers in the question's language."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from amr_neo4j.language.answers import AnswerGrammar
from amr_neo4j.language.glossary import Glossary, glossary
from amr_neo4j.language.languages import DEFAULT, ENGLISH, Language, language
from amr_neo4j.language.nouns import Gloss
from amr_neo4j.language.stems import stems, words_in


class AskedLanguage(Language):
    """English, except that questions are in another language, or the analyses of the footage are.

    Words of the footage are compared by their stems and by the English words for them.
    """

    def __init__(self, asked: str, footage: str) -> None:
        """asked: the language of the questions. footage: that of the analyses. Each is English or has a glossary."""
        super().__init__(DEFAULT)
        answers = language(asked).answers
        self.grammar = AnswerGrammar(answers) if answers else ENGLISH.grammar
        self._asked = glossary(asked) if asked != DEFAULT else None
        self._told: Glossary | None = glossary(footage) if footage != DEFAULT else None
        self._codes = asked, footage

    @property
    def asked(self) -> str:
        """The code of the language of the questions."""
        return self._codes[0]

    def in_english(self, question: str, persons: Collection[str], objects: Collection[str]) -> Gloss:
        """Return a question in English. persons, objects: the identities that memory knows."""
        gloss = self._asked.english(question, persons, objects) if self._asked else Gloss(question)
        if self._told is None:
            return gloss
        asked, footage = self._codes
        told = [each for word in words_in(gloss.text) for each in self._told.words_for(word)]
        same = dict(gloss.words) if asked == footage else dict[str, str]()
        others = {word: (*gloss.others.get(word, ()), *sorted(stems(said, footage))) for word, said in same.items()}
        return replace(gloss, others={**gloss.others, **others}, told=tuple(dict.fromkeys([*same.values(), *told])))

    def forms(self, word: str) -> frozenset[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the forms of a word of a question or of the footage."""
        found = ENGLISH.forms(word)
        return found | self._told.meanings(word) | stems(word, self._codes[1]) if self._told else found

    def all_forms(self, text: str) -> frozenset[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the forms of all words of a text."""
        found = ENGLISH.all_forms(text)
        return found.union(*map(self.forms, self.words_of(text))) if self._told else found
