"""Finds which words of a turn ask for which relation, in one language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import forms, stems

Words = Mapping[str, frozenset[str]]
"""{word: its forms}, such as {"cities": {"cities", "citi"}}."""


@dataclass(frozen=True)
class QuestionWords:
    """The words of one language that ask for relations.

    stop: words that ask for nothing.
    cues: {relation: forms of the words that ask for it}.
    own: {relation: forms of those of its cues that ask for it by themselves}.
    weights: {form of a cue: 1 / the number of relations that it may ask for}.
    """

    language: str
    stop: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    own: Mapping[str, frozenset[str]]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, bullets: Bullets, language: str) -> QuestionWords:
        """Build the words from the table of a language."""
        stop = bullets.stop_words | {SPEAKER}
        cues = {each: _forms(" ".join(bullets.cues(each)), language, stop) for each in bullets.relations}
        own = {each: stems(" ".join(bullets.own_cues(each)), language) for each in cues}
        counts = Counter(form for found in cues.values() for form in found)
        return cls(language, stop, cues, own, {form: 1 / count for form, count in counts.items()})

    def of_turn(self, text: str, entities: Collection[str]) -> Words:
        """Return the words of a turn and of the entities it names, without words that ask for nothing."""
        own = forms(f"{text} {' '.join(entities)}", self.language)
        return {word: each for word, each in own.items() if len(word) > 1 and word not in self.stop}

    def asks_for(self, relation: str) -> frozenset[str]:
        """Return the forms of the words that ask for a relation.

        A relation without cues in the table is asked for by the words of its own name.
        """
        return self.cues.get(relation) or _forms(relation.replace("_", " "), self.language, self.stop)

    def relations_asked(self, named: frozenset[str]) -> list[str]:
        """Return the relations that any of these forms asks for."""
        return [relation for relation, cues in self.cues.items() if not named.isdisjoint(cues)]

    def weight(self, word: frozenset[str]) -> float:
        """Return the weight of a word, given by its forms: the more relations it may ask for, the lower.

        A word that asks for no relation weighs 1.
        """
        return min((self.weights[form] for form in word if form in self.weights), default=1.0)


@cache
def question_words(code: str) -> QuestionWords:
    """Return the words of a language, read once."""
    return QuestionWords.of(language(code).bullets, code)


def all_forms(words: Words) -> frozenset[str]:
    """Return the forms of all words."""
    return frozenset[str]().union(*words.values())


def _forms(text: str, language: str, stop: frozenset[str]) -> frozenset[str]:
    return all_forms({word: each for word, each in forms(text, language).items() if word not in stop})
