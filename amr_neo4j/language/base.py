"""What every language offers: words and their forms, identities, verbs, questions, statements, sentences.

A language is a folder beside this file, found by its code (registry.py). docs/languages.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.tables import AnyTable

Moves = Literal["to_place", "to_actor", "to_other"]

HOLDING = ("inside", "on top of")
"""Spatial relations in which the other thing holds the first."""


@dataclass(frozen=True)
class ContentWord:
    """A word as written (casefolded) and the base forms it may have.

    names: it names a thing or a person, as "umbrella" does in "the blue umbrella" and "blue" does not.
    acts: it says what is done, as "dry" does in "who dried it" and not in "the dry towel".
    vague: it may be said of anything ("the person", "in the morning").
    """

    word: str
    forms: frozenset[str]
    names: bool = False
    acts: bool = False
    vague: bool = False


@dataclass(frozen=True)
class PersonKey:
    """person_id: casefolded words joined by "_". is_name: a name means the same person in every video."""

    person_id: str
    is_name: bool


@dataclass(frozen=True)
class KnownNames:
    """Person ids and object keys, in the order in which a text names them."""

    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Transition:
    """What a verb does to its object.

    kind: the dimension of state it touches ("open", "place" ...); states of different kinds are independent.
    from_state: what it needs, None for anything. to_state: what it leaves, None where it changes nothing.
    moves: to_place (the spatial relation names the new place), to_actor, to_other, or None (it stays where it is).
    """

    lemma: str
    from_state: str | None = None
    to_state: str | None = None
    kind: str | None = None
    moves: Moves | None = None


@dataclass(frozen=True)
class NamedMention:
    """Words of a sentence and the type of thing they name (PERSON, LOCATION ...).

    A pronoun has the type of what it refers to.
    """

    type: str
    text: str


@dataclass(frozen=True)
class StatedRelation:
    """A relation that one sentence states. content: the words of the statement; confidence: 0 to 1."""

    type: str
    source: NamedMention
    target: NamedMention
    content: str
    confidence: float


@dataclass(frozen=True)
class Position:
    """Where a thing is in the picture.

    of: its class. part: of the picture, "left", "middle" or "right". neighbours: (spatial relation, class).
    alone: whether nothing else of its class was in view.
    """

    of: str
    part: str
    neighbours: tuple[tuple[str, str], ...] = ()
    alone: bool = True

    @property
    def holders(self) -> tuple[tuple[str, str], ...]:
        """The neighbours that it is in or on."""
        return tuple(each for each in self.neighbours if each[0] in HOLDING)


@dataclass(frozen=True)
class Observation:
    """Something that a camera recorded, as a sentence needs it. Fields that do not apply are empty.

    verb: one of enter, leave, approach, stay, stay beside, pick up, put down, have, appear, disappear, move.
    actor: the description of who does it. thing: the class of what it is done to, or of what moves by itself.
    person: the description of whom it is done to. side: where the thing was for the actor: "front", "behind", "left"
    or "right". origin, goal, stop: parts or edges of the picture ("foreground", "background") that somebody comes
    from, moves to, comes to rest at.
    """

    verb: str
    actor: str = ""
    thing: str = ""
    person: str = ""
    position: Position | None = None
    side: str = ""
    origin: str = ""
    goal: str = ""
    stop: str = ""


class SentenceForms(Protocol):
    """Forms of words and sentences."""

    def sentence(self, text: str) -> str:
        """With a capital at its start and a full stop at its end, unless it ends otherwise."""
        ...

    def with_article(self, noun: str) -> str:
        """With its indefinite article: "an umbrella"."""
        ...

    def joined(self, items: Sequence[str], conjunction: str = ..., *, separator: str = ...) -> str:
        """ "a", "a and b", "a, b and c"; empty for nothing. conjunction: a word of the language."""
        ...

    def counted(self, noun: str, number: int) -> str:
        """ "a bottle", "two bottles"."""
        ...

    def times(self, count: int) -> str:
        """ "never", "once", "twice", "3 times"."""
        ...

    def third_person(self, lemma: str) -> str:
        """ "pick up" -> "picks up"."""
        ...

    def past(self, lemma: str) -> str:
        """ "pick up" -> "picked up"."""
        ...

    def past_participle(self, lemma: str) -> str:
        """ "take" -> "taken"."""
        ...

    def gerund(self, lemma: str) -> str:
        """ "put down" -> "putting down"."""
        ...


class SceneSentences(Protocol):
    """What was seen and heard in a clip, in words."""

    @property
    def hand(self) -> str:
        """The description of an actor of whom only a hand is seen."""
        ...

    @property
    def someone(self) -> str:
        """The name of an unknown speaker."""
        ...

    def observed(self, what: Observation) -> str:
        """The sentence for one observation."""
        ...

    def spatial_relation(self, what: Observation) -> str:
        """The spatial relation of an action: its course, or where the thing was; the actor's side comes first."""
        ...

    def position(self, where: Position) -> str:
        """Where a thing is, as seen by the camera."""
        ...

    def in_view(self, there: Sequence[tuple[str, str]]) -> str:
        """What is in view, as a sentence. there: (description or class, part of the picture), at least one."""
        ...

    def clothed_person(self, upper: str, lower: str) -> str:
        """The description of a person by the colours of the clothes; a colour is empty where it is not known."""
        ...

    def numbered_person(self, number: int, description: str) -> str:
        """The description of the `number`th person who looks alike: "second person in black clothes"."""
        ...

    def speak(self, names: Sequence[str], *, unknown: bool) -> str:
        """That these people speak, as a sentence; empty where nobody does. unknown: and an unknown speaker."""
        ...

    def says(self, names: Sequence[str], words: str) -> str:
        """What these people say, as a summary. names: at least one."""
        ...

    def more_events(self, number: int) -> str:
        """That so many more events follow, as a sentence; empty for none."""
        ...

    def nothing_happens(self, in_view: str) -> str:
        """That nothing happens. in_view: the sentence that says what is in view, empty for nothing."""
        ...


class Words(Protocol):
    """Words of a text and their forms."""

    def words_of(self, text: str) -> list[str]:
        """The words of a text in order, casefolded, without a possessive ending."""
        ...

    def is_word(self, word: str) -> bool:
        """Whether the dictionary has the word, as any part of speech."""
        ...

    def forms(self, word: str) -> frozenset[str]:
        """The word and every base form it may be an inflection of."""
        ...

    def all_forms(self, text: str) -> frozenset[str]:
        """Every form of every word of a text."""
        ...

    def content_words(self, text: str) -> tuple[ContentWord, ...]:
        """The words that are not function words, each once, in order."""
        ...

    def has_function_words(self, text: str) -> bool:
        """Whether any word is a function word of this language."""
        ...

    def gist(self, text: str, telling: Collection[str]) -> str:
        """The words of `telling` in a text, each with the particles behind it."""
        ...

    def preposition_of(self, text: str, thing: frozenset[str]) -> str:
        """The preposition between a text and a thing, given by its forms; empty where there is none."""
        ...

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text; lines end sentences."""
        ...

    def sentences_in(self, text: str) -> int:
        """How many sentences a summary has."""
        ...

    def quoted_sentences(self, text: str) -> list[str]:
        """The sentences of a text; a full stop within quotation marks ends none."""
        ...


class Identities(Protocol):
    """The identities of persons and objects."""

    def object_key(self, name: str) -> str:
        """The identity of an object within its place: casefolded, singular, without article or owner."""
        ...

    def person_key(self, name_or_description: str) -> PersonKey:
        """The identity of a person, by name or description. Never empty."""
        ...

    def short_id(self, words: str) -> str:
        """Words in the form of an id; empty where they hold neither letter nor digit."""
        ...

    def is_unknown(self, words: str) -> bool:
        """Whether the words say that the person is not known: "unknown", "N/A"."""
        ...

    def is_indistinct(self, words: str) -> bool:
        """Whether the words fit anybody: "unknown", "the speaker"."""
        ...

    def mentioned_names(self, text: str, known: Iterable[str] = ...) -> list[str]:
        """Names of persons in a text, as written, each once, in order. known: names and ids that count anywhere."""
        ...

    def named_in(self, text: str, persons: Collection[str], objects: Collection[str]) -> KnownNames:
        """Those of the known person ids and object keys that a text names; of overlapping ones the longest."""
        ...


class Verbs(Protocol):
    """What verbs do to their objects."""

    def known_verbs(self) -> tuple[Transition, ...]:
        """Every verb of the table."""
        ...

    def transition(self, verb: str, thing: str = ..., where: str | None = ...) -> Transition | None:
        """What a verb, in any form, does to an object; None for an unknown verb. where: the words for the place."""
        ...

    def states_meant(self, change: Transition) -> tuple[str, ...]:
        """The states that a question with this verb asks for."""
        ...

    def lemma(self, verb: str) -> str:
        """The verb's base form with its particle: "picks up" -> "pick up". Unknown words stay."""
        ...


class Statements(Protocol):
    """What sentences of a conversation mention and state."""

    @property
    def rules_version(self) -> int:
        """The version of the rules, kept with what they extract."""
        ...

    def is_pronoun(self, text: str) -> bool:
        """Whether a text refers to something without naming it."""
        ...

    def is_first_person(self, pronoun: str) -> bool:
        """Whether a pronoun refers to the speaker."""
        ...

    def own_name(self, text: str) -> str:
        """What follows "my name is" in a text; empty where nobody gives their name."""
        ...

    def stated_relations(self, sentence: str) -> list[StatedRelation]:
        """The relations that a sentence states. Questions, conditions and denials state none."""
        ...

    def named_mentions(self, sentence: str, known: tuple[str, ...] = ...) -> list[NamedMention]:
        """What a sentence names beside its statements. known: names of persons that count anywhere."""
        ...


class Language(Words, Identities, Verbs, Statements, Protocol):
    """A language: its words, identities, verbs, statements, and the sentences that are written in it."""

    @property
    def code(self) -> str:
        """Its ISO 639 code, the name of its folder."""
        ...

    @property
    def sentence_forms(self) -> SentenceForms:
        """Forms of words and sentences."""
        ...

    @property
    def scenes(self) -> SceneSentences:
        """Sentences about what was seen and heard in a clip."""
        ...

    def type_question(self, text: str) -> QuestionType:
        """The type of a question; General where no rule fits."""
        ...

    def table(self, name: str, model: type[AnyTable]) -> AnyTable:
        """A YAML table of the language's folder: "asking.yaml", "time_expressions.yaml"."""
        ...
