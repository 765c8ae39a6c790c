"""Which words of a turn ask for which relation, in one language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.stems import forms

Words = Mapping[str, frozenset[str]]
"""Word -> its forms."""


@dataclass(frozen=True)
class QuestionWords:
    """stop: words that ask for nothing. cues: relation -> forms of the words that ask for it.

    weights: form of a cue -> 1 / the number of relations that it may ask for.
    """

    language: str
    stop: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, bullets: Bullets, language: str) -> QuestionWords:
        """From the table of a language."""
        stop = bullets.stop_words | {SPEAKER}
        cues = {each: _forms(" ".join(bullets.cues(each)), language, stop) for each in bullets.relations}
        counts = Counter(form for found in cues.values() for form in found)
        return cls(language, stop, cues, {form: 1 / count for form, count in counts.items()})

    def of_turn(self, text: str, entities: Collection[str]) -> Words:
        """The words of a turn and of what it names, without those that ask for nothing."""
        own = forms(f"{text} {' '.join(entities)}", self.language)
        return {word: each for word, each in own.items() if len(word) > 1 and word not in self.stop}

    def asks_for(self, relation: str) -> frozenset[str]:
        """The forms of the words that ask for a relation, also for one without words of its own."""
        return self.cues.get(relation) or _forms(relation.replace("_", " "), self.language, self.stop)

    def relations_asked(self, named: frozenset[str]) -> list[str]:
        """The relations that some of these forms ask for."""
        return [relation for relation, cues in self.cues.items() if not named.isdisjoint(cues)]

    def weight(self, word: frozenset[str]) -> float:
        """How telling a word is: less, the more relations it may ask for; 1 where it asks for none."""
        return min((self.weights[form] for form in word if form in self.weights), default=1.0)


def all_forms(words: Words) -> frozenset[str]:
    """The forms of all words."""
    return frozenset[str]().union(*words.values())


def _forms(text: str, language: str, stop: frozenset[str]) -> frozenset[str]:
    return all_forms({word: each for word, each in forms(text, language).items() if word not in stop})
