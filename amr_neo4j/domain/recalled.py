"""What recall of facts and episodes returns (specification 002 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recall import Citation, Scope, TurnCitation

SearchType = Literal["facts", "episodes", "both"]
RecalledKind = Literal["fact", "turn", "event"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A fact, a turn of a conversation or an event of a video that a search found.

    confidence: in [0, 1]. timestamp: when a fact was last stated, a turn was said or an event happened, where that is
    known. source: the turn or the seconds of video it rests on; of a fact the latest. score: in [0, 1], better is
    higher. triple: of a fact.
    """

    kind: RecalledKind
    text: str
    confidence: float
    timestamp: datetime | None
    source: Citation | TurnCitation | None
    score: float = 0.0
    triple: Triple | None = None


@dataclass(frozen=True, slots=True)
class Streamed:
    """What was recalled in passing for the next turn, best first."""

    facts: tuple[Recalled, ...] = ()
    episodes: tuple[Recalled, ...] = ()


class Beliefs(Protocol):
    """Knows what is believed of a scope's user."""

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """The facts that answer a question by its words, the latest first: what holds as of the scope."""
        ...

    def asks_who(self, question: str, scope: Scope) -> bool:
        """Whether a question asks who somebody is whom it names."""
        ...

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """Words of a question for a favourite -> their forms, of each of which a turn that answers has one."""
        ...

    def asks_for_value(self, question: str) -> bool:
        """Whether a question asks for a day, a date, a time or a number."""
        ...

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """Of turns of one speaker, the oldest first: the place of each that corrects a value such as the question
        asks for, mostly without saying of what, with the place of the turn that it corrects.
        """
        ...

    def stated_of_others(self, question: str, turns: Sequence[int], scope: Scope) -> set[int]:
        """Those of the turns (node_ids) from which what the question asks for is known only of somebody else."""
        ...


class NothingBelieved:
    """Where nothing is believed, as of videos."""

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """None."""
        return []

    def asks_who(self, question: str, scope: Scope) -> bool:
        """Of nobody."""
        return False

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """None."""
        return {}

    def asks_for_value(self, question: str) -> bool:
        """As of a film."""
        return False

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """None."""
        return {}

    def stated_of_others(self, question: str, turns: Sequence[int], scope: Scope) -> set[int]:
        """None."""
        return set()
