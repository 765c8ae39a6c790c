"""What an answer may be made of. recall/answer/by_type.py says how the answer of each type is made."""

from __future__ import annotations

from enum import Enum, Flag, auto


class Trait(Flag):
    """What sets some answer types apart."""

    OVER_ALL = auto()
    """It needs every event about its subject, and not only the best-ranked ones."""
    ALONE = auto()
    """Each event answers it alone, without the events around it."""
    LATEST = auto()
    """The latest event about a thing answers it."""
    LASTING = auto()
    """It held before the time that is asked about as well, so earlier events can answer it."""
    OF_FILM = auto()
    """It is answered from everything that a film shows."""
    OF_HABIT = auto()
    """It may be asked of a habit. "Is the door usually locked?" asks for a state, which is not counted."""
    OF_DEED = auto()
    """It presumes the deed of the question: an event without the deed is not an answer."""
    OF_FACT = auto()
    """One end of a relation that somebody stated ("Dee wrote Animal Farm") can answer it."""
    TOLD = auto()
    """A turn tells it in words ("I usually have oats", "it rained for three days"), so talk is not counted for it."""
    COUNTED = auto()
    """It is counted in films, whatever number their text states, unless somebody says the number."""
    YES_OR_NO = auto()
    TIMED = auto()
    """Its answer states times, in the time zone of the recording."""
    FIGURE = auto()
    """Its answer is a figure, which a model may only phrase."""


_NONE = Trait(0)
_THING = Trait.LATEST | Trait.LASTING
_NUMBER = Trait.OVER_ALL | Trait.TIMED | Trait.FIGURE


class AnswerType(Enum):
    """What an answer is made of, and the traits of the type.

    The first pattern of `answer_types` in asking.yaml that matches a question gives its type; EVENT if none does.
    """

    PLACE = "where a thing is", _THING | Trait.OF_HABIT | Trait.OF_DEED | Trait.OF_FACT
    CONTENTS = "what is there", _THING
    STATE = "how a thing is", _THING
    HISTORY = "what became of a thing", Trait.LATEST | Trait.ALONE
    ITINERARY = "where a thing has been", Trait.LATEST
    SIGHTING = "when a thing was last seen", Trait.LATEST
    COUNT = "how often", _NUMBER | Trait.ALONE
    DAYS = "on how many days", _NUMBER | Trait.ALONE | Trait.COUNTED | Trait.TOLD
    DURATION = "how long", _NUMBER
    PERSON = "who", Trait.ALONE | Trait.OF_HABIT | Trait.OF_DEED | Trait.OF_FACT
    COMPANY = "who was there too", Trait.ALONE
    MOMENT = "when", Trait.OF_HABIT | Trait.OF_DEED | Trait.TIMED
    SPEECH = "what was said", _NONE
    SEQUENCE = "in which order", _NONE
    PRESENCE = "whether there is such", Trait.OF_FILM | Trait.OF_HABIT | Trait.OF_DEED | Trait.YES_OR_NO
    HEADCOUNT = "how many there are", Trait.OF_FILM | Trait.COUNTED
    CLOTHING = "what somebody wears", Trait.OF_FILM
    OVERVIEW = "what there is to see", Trait.OF_FILM
    HABIT = "what is usual", Trait.OVER_ALL | Trait.ALONE | Trait.TIMED | Trait.TOLD
    EVENT = "what happened", Trait.OF_HABIT | Trait.OF_DEED | Trait.OF_FACT | Trait.YES_OR_NO

    def __init__(self, _asks_for: str, traits: Trait) -> None:
        self.traits = traits
