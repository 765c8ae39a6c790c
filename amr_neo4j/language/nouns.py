"""The types that language rules return or write sentences about: words, persons, changes, places, observations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Moves = Literal["to_place", "to_actor", "to_other"]

HOLDING = ("inside", "on top of")
"""Spatial relations in which the second thing holds the first: the cup is on top of the table."""


@dataclass(frozen=True)
class Gloss:
    """A question in English.

    words: {English word: the words of the question that it stands for}.
    others: {English word: other words for the same}.
    runs: {a few English words: the words of the question that they stand for}.
    told: words by which footage in another language than English may tell of it.
    may_be_own: whether a verb without a subject may be what whoever asks did: Spanish "regaba" is "I" or "she".
    """

    text: str
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    others: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    told: tuple[str, ...] = ()
    runs: Mapping[str, str] = field(default_factory=dict[str, str])
    may_be_own: bool = False


@dataclass(frozen=True)
class Deed:
    """What a summary says is done: by whom, to which thing and where. Each is as written, or empty if not stated."""

    actor: str
    verb: str
    object: str
    where: str


@dataclass(frozen=True)
class ContentWord:
    """A word as written (casefolded), with the base forms that it may have.

    names: it names a thing or a person, as "umbrella" in "the blue umbrella" does, but not "blue".
    acts: it says what is done, as "dried" in "who dried it" does, but not "dry" in "the dry towel".
    vague: it fits almost anything ("person", "morning"), so it proves nothing if memory lacks it.
    moves: it is a verb of coming or going.
    describes_person: it states a sex or an age ("lady", "kid"). Memory may use another word for the same person.
    """

    word: str
    forms: frozenset[str]
    names: bool = False
    acts: bool = False
    vague: bool = False
    describes_person: bool = False
    moves: bool = False


def forms_of(words: Iterable[ContentWord]) -> frozenset[str]:
    """Return the base forms of several words."""
    return frozenset[str]().union(*(word.forms for word in words))


@dataclass(frozen=True)
class PersonKey:
    """The identity of a person.

    person_id: casefolded words joined by "_", such as "girl_black_hoodie".
    is_name: it is a name, which means the same person in every video; a description means a person of one video only.
    """

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

    States of different kinds are independent of each other.

    kind: the dimension of the state ("open", "place").
    from_state: the state that the object must be in; None for any.
    to_state: the state that the verb leaves it in; None if it changes nothing.
    moves: to_place (the spatial relation names the new place), to_actor, to_other (to another person), or None (the
        object stays where it is).
    """

    lemma: str
    from_state: str | None = None
    to_state: str | None = None
    kind: str | None = None
    moves: Moves | None = None


@dataclass(frozen=True)
class NamedMention:
    """Words of a sentence with the type of what they name, such as PERSON or LOCATION.

    A pronoun has the type of what it refers to.
    """

    type: str
    text: str


@dataclass(frozen=True)
class StatedRelation:
    """A relation that a sentence states.

    content: the words of the statement.
    confidence: from 0 to 1.
    """

    type: str
    source: NamedMention
    target: NamedMention
    content: str
    confidence: float


@dataclass(frozen=True)
class SpatialRelation:
    """Where a thing is relative to another one, the landmark.

    relation: the relation's name in the language's table, such as "left".
    landmark: the words for the other thing.
    """

    thing: str
    relation: str
    landmark: str


@dataclass(frozen=True)
class Position:
    """Where a thing is in the picture.

    of: the thing's class.
    part: the part of the picture: "left", "middle" or "right".
    neighbours: pairs of spatial relation and class, such as ("next to", "bottle").
    alone: nothing else of the thing's class was in view.
    """

    of: str
    part: str
    neighbours: tuple[tuple[str, str], ...] = ()
    alone: bool = True

    @property
    def holders(self) -> tuple[tuple[str, str], ...]:
        """The neighbours that the thing is in or on."""
        return tuple(each for each in self.neighbours if each[0] in HOLDING)


@dataclass(frozen=True)
class Observation:
    """Something that a camera recorded, with the parts of a sentence about it. Parts that do not apply are empty.

    verb: one of enter, leave, approach, stay, stay beside, pick up, put down, have, appear, disappear, move, cross;
        at a zone or line enter zone, leave zone, cross line; for the whole picture cut, darken, overexpose, camera
        moves.
    actor: the description of the person who does it.
    thing: the class of the thing that it is done to, or that moves by itself.
    person: the description of the person to whom it is done.
    side: the side of the actor on which the thing was: "front", "behind", "left" or "right".
    origin, goal, stop: parts or edges of the picture ("foreground", "background") that somebody comes from, moves to,
        stops at.
    pace: "slowly" or "fast".
    zone: the name of a zone or line that somebody enters, leaves or crosses.
    perhaps: {name in doubt: certainty from 0 to 1}.
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
    pace: str = ""
    zone: str = ""
    perhaps: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class CameraSighting:
    """What another system saw on a camera, with the parts of a sentence about it. Parts that do not apply are empty.

    who: names of persons, or classes; at least one, unless the class is unknown.
    also: further words about them, such as the name of a car.
    origin, goal: the parts of the picture that it moves from and to.
    goes_on: it had not ended when it was last reported.
    """

    who: tuple[str, ...]
    also: tuple[str, ...] = ()
    plate: str = ""
    zones: tuple[str, ...] = ()
    certainty: float | None = None
    origin: str = ""
    goal: str = ""
    goes_on: bool = False
