"""What rules read from texts, and what they write sentences about: words, persons, changes, places, observations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Moves = Literal["to_place", "to_actor", "to_other"]

HOLDING = ("inside", "on top of")
"""Spatial relations in which the other thing holds the first."""


@dataclass(frozen=True)
class Deed:
    """What a summary says is done: by whom, to which thing and where, each as written, empty where not stated."""

    actor: str
    verb: str
    object: str
    where: str


@dataclass(frozen=True)
class ContentWord:
    """A word as written (casefolded) and the base forms it may have.

    names: it names a thing or a person, as "umbrella" does in "the blue umbrella" and "blue" does not.
    acts: it says what is done, as "dry" does in "who dried it" and not in "the dry towel".
    vague: it may be said of anything ("the person", "in the morning"). moves: a vague verb of coming or going.
    describes_person: it says of what sex or age a person is, for which there are other words ("lady", "kid").
    """

    word: str
    forms: frozenset[str]
    names: bool = False
    acts: bool = False
    vague: bool = False
    describes_person: bool = False
    moves: bool = False


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
class SpatialRelation:
    """Where a thing is beside another. relation: its name in the language's table; landmark: its words."""

    thing: str
    relation: str
    landmark: str


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

    verb: one of enter, leave, approach, stay, stay beside, pick up, put down, have, appear, disappear, move, cross;
    of the whole picture cut, darken, overexpose, camera moves.
    actor: the description of who does it. thing: the class of what it is done to, or of what moves by itself.
    person: the description of whom it is done to. side: where the thing was for the actor: "front", "behind", "left"
    or "right". origin, goal, stop: parts or edges of the picture ("foreground", "background") that somebody comes
    from, moves to, comes to rest at. pace: "slowly" or "fast". perhaps: the names among these that are in doubt, with
    their certainty (0 to 1).
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
    perhaps: Mapping[str, float] = field(default_factory=dict[str, float])
