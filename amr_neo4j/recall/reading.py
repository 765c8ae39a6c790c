"""A question as the stages hand it on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from amr_neo4j.domain.recall import Question
from amr_neo4j.language.content import ContentWord, words_of
from amr_neo4j.language.verbs import transition

# A thing, the dimension of its state ("place", "open" ...) and the state it comes to.
Effect = tuple[str, str | None, str]
# The most words from a verb to the particle that belongs to it: "put the two blue mugs down".
REACH = 6


@dataclass(frozen=True)
class Meaning:
    """A word of a question and what memory calls it, as phone for "mobile". guessed: it may be another thing."""

    word: str
    thing: str
    guessed: bool = False


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

    weights: word -> how much it tells; all alike until the candidates are known (verify.weigh).
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
    def sought(self) -> tuple[ContentWord, ...]:
        """The words to look for: a person's name is in everything the person does, so it counts only alone."""
        return self._beside_names or self.words

    @property
    def tells(self) -> bool:
        """Whether it says more than whom it is about: "What was Anna doing" does not."""
        return any(not word.vague for word in self._beside_names)

    @property
    def _beside_names(self) -> tuple[ContentWord, ...]:
        names = {part for who in self.persons for part in who.split("_")}
        return tuple(word for word in self.words if word.word not in names)

    @property
    def terms(self) -> tuple[frozenset[str], ...]:
        """Those words, each in all its forms."""
        return tuple(word.forms for word in self.sought)

    @property
    def telling(self) -> tuple[ContentWord, ...]:
        """The words that can't be said of just anything."""
        return tuple(word for word in self.words if not word.vague)

    @property
    def names(self) -> tuple[ContentWord, ...]:
        """The words an answer can't do without: they name a thing or a person."""
        return tuple(word for word in self.telling if word.names)

    @property
    def deeds(self) -> tuple[ContentWord, ...]:
        """The words that say what is done."""
        return tuple(word for word in self.telling if word.acts)

    @cached_property
    def effects(self) -> frozenset[Effect]:
        """What its verbs do to the things it names: "setting down the sugar" places it."""
        words, naming = words_of(self.text), {word.word for word in self.words if word.names}
        tails = [" ".join(words[place:][:REACH]) for place, word in enumerate(words) if word not in naming]
        found = ((thing, transition(tail, thing)) for tail in tails for thing in self.objects)
        return frozenset((thing, done.kind, done.to_state) for thing, done in found if done and done.to_state)

    def taking(self, meanings: Collection[Meaning]) -> Clause:
        """The clause naming by its words also the objects that they mean."""
        words = tuple(_taking(word, meanings) for word in self.words)
        known = {word.word for word in self.words}
        meant = [meaning.thing for meaning in meanings if meaning.word in known]
        return replace(self, words=words, objects=tuple(dict.fromkeys([*self.objects, *meant])))


def _taking(word: ContentWord, meanings: Collection[Meaning]) -> ContentWord:
    meant = {form for meaning in meanings if meaning.word == word.word for form in meaning.thing.split()}
    return replace(word, forms=word.forms | meant)


@dataclass(frozen=True)
class Reading:
    """A question understood. main: what is asked; reference: the event that `order` counts from ("the bell rang").

    guesses: meanings taken that may be wrong, so that an answer owns up to them.
    """

    question: Question
    aim: Aim
    main: Clause
    order: Order | None = None
    reference: Clause | None = None
    guesses: tuple[Meaning, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Its parts, the reference first: that is where a search starts."""
        return (self.reference, self.main) if self.reference else (self.main,)

    @property
    def leads(self) -> tuple[Clause, ...]:
        """The clauses that tell what to look for; what is asked, where none does."""
        return tuple(clause for clause in self.clauses if clause.tells) or (self.main,)

    def taking(self, meanings: Collection[Meaning]) -> Reading:
        """The reading with the names that memory has for what the question calls otherwise."""
        reading = replace(
            self,
            main=self.main.taking(meanings),
            reference=self.reference.taking(meanings) if self.reference else None,
            guesses=tuple(meaning for meaning in meanings if meaning.guessed),
        )
        objects = dict.fromkeys(name for clause in reading.clauses for name in clause.objects)
        return replace(reading, question=replace(self.question, objects=tuple(objects)))

    def weighing(self, weights: Mapping[str, float]) -> Reading:
        """The reading with this weight for each word."""
        reference = replace(self.reference, weights=weights) if self.reference else None
        return replace(self, main=replace(self.main, weights=weights), reference=reference)
