"""A question as the stages hand it on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from amr_neo4j.domain.recall import Question
from amr_neo4j.language.content import ContentWord

# A word of a question and the object that memory knows for it: ("mobile", "phone").
Meaning = tuple[str, str]


class Aim(str, Enum):
    """What an answer is made of."""

    PLACE = "where a thing is"
    CONTENTS = "what is there"
    STATE = "how a thing is"
    HISTORY = "what became of a thing"
    PERSON = "who"
    MOMENT = "when"
    SPEECH = "what was said"
    SEQUENCE = "in which order"
    EVENT = "what happened"


class Order(str, Enum):
    """Which of the events that fit is meant; before, after and during count from another event."""

    FIRST = "first"
    LAST = "last"
    BEFORE = "before"
    AFTER = "after"
    DURING = "during"


@dataclass(frozen=True)
class Clause:
    """A part of a question. persons, objects: identities that it names and memory knows.

    weights: word -> how much it tells, 0 to 1; all alike until the candidates are known.
    """

    text: str
    words: tuple[ContentWord, ...] = ()
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict[str, float])

    def met(self, forms: Collection[str]) -> float:
        """The weights of the words that have one of these forms, in all."""
        return sum(self.weights.get(word.word, 1.0) for word in self.words if not word.forms.isdisjoint(forms))

    @property
    def telling(self) -> tuple[ContentWord, ...]:
        """The words that can't be said of just anything."""
        return tuple(word for word in self.words if not word.vague)

    @property
    def names(self) -> tuple[ContentWord, ...]:
        """The words an answer can't do without: they name a thing or a person."""
        return tuple(word for word in self.telling if word.names)

    def taking(self, meanings: Collection[Meaning]) -> Clause:
        """The clause naming by its words also the objects that they mean."""
        words = tuple(_taking(word, meanings) for word in self.words)
        meant = [name for word, name in meanings if word in {known.word for known in self.words}]
        return replace(self, words=words, objects=tuple(dict.fromkeys([*self.objects, *meant])))


def _taking(known: ContentWord, meanings: Collection[Meaning]) -> ContentWord:
    meant = {form for word, name in meanings if word == known.word for form in name.split()}
    return replace(known, forms=known.forms | meant)


@dataclass(frozen=True)
class Reading:
    """A question understood. main: what is asked; reference: the event that `order` counts from ("the bell rang")."""

    question: Question
    aim: Aim
    main: Clause
    order: Order | None = None
    reference: Clause | None = None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Its parts, the reference first: that is where a search starts."""
        return (self.reference, self.main) if self.reference else (self.main,)

    def taking(self, meanings: Collection[Meaning]) -> Reading:
        """The reading with the names that memory has for what the question calls otherwise."""
        reading = replace(
            self,
            main=self.main.taking(meanings),
            reference=self.reference.taking(meanings) if self.reference else None,
        )
        objects = dict.fromkeys(name for clause in reading.clauses for name in clause.objects)
        return replace(reading, question=replace(self.question, objects=tuple(objects)))

    def weighing(self, weights: Mapping[str, float]) -> Reading:
        """The reading with this weight for each word."""
        reference = replace(self.reference, weights=weights) if self.reference else None
        return replace(self, main=replace(self.main, weights=weights), reference=reference)
