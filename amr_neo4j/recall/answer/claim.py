"""What an answer claims, each claim with the events it rests on, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from amr_neo4j.recall.answer.citations import cite
from amr_neo4j.recall.evidence.candidate import Candidate


@dataclass(frozen=True)
class Claim:
    """A clause, without its capital and full stop, and the event it rests on. line: of dialogue, which it quotes."""

    text: str
    rests_on: Candidate
    line: str = ""

    @property
    def events(self) -> tuple[Candidate, ...]:
        """The event, as the only one."""
        return (self.rests_on,)

    def __str__(self) -> str:
        return self.rests_on.language.grammar.cited(self.text, cite(self.rests_on.event))


@dataclass(frozen=True)
class Claims:
    """An answer by rules; one claim at least. caveats: sentences that come first, such as a name that was guessed.

    likeliest: the operator found nothing of what is asked for, and these are the likeliest events.
    """

    claims: tuple[Claim, ...]
    caveats: tuple[str, ...] = ()
    likeliest: bool = False


@dataclass(frozen=True)
class ModelClaim:
    """A sentence of a chat model with its checked citations, and the events that these name."""

    text: str
    events: tuple[Candidate, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ModelClaims:
    """An answer by a chat model; one claim at least."""

    claims: tuple[ModelClaim, ...]


class Reason(Enum):
    """Why a question has no answer."""

    NOT_FOUND = auto()
    NOT_STATED = auto()
    NO_OCCURRENCE = auto()
    FEWER_OCCURRENCES = auto()
    IN_DOUBT = auto()


@dataclass(frozen=True)
class Unknown:
    """No answer was found. nearest: claims about the closest events, if any.

    missing_words: words of the question that memory does not have; unmet_words: those that the nearest event does not
    bear out; attribute: what it asks for and nothing states.
    """

    reason: Reason = Reason.NOT_FOUND
    nearest: tuple[Claim, ...] = ()
    missing_words: tuple[str, ...] = ()
    unmet_words: tuple[str, ...] = ()
    attribute: str = ""

    @property
    def declines(self) -> bool:
        """Whether memory does not state it; otherwise the nearest may be the answer."""
        return not self.nearest or self.reason in (Reason.NOT_STATED, Reason.NO_OCCURRENCE)
