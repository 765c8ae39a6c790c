"""Facts: what a person said of the world, as subject, relation and object (specification 001)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from amr_neo4j.domain.relations import relation_kind

SPEAKER = "you"
"""The subject that stands for whoever speaks."""


class Triple(NamedTuple):
    """Lower-case words: (subject, relation, object)."""

    subject: str
    relation: str
    object: str


class Intent(StrEnum):
    """What a turn does."""

    REACTION = "REACTION"
    PURE_QUESTION = "PURE_QUESTION"
    QUESTION_WITH_FACT = "QUESTION_WITH_FACT"
    FACT_STATEMENT = "FACT_STATEMENT"
    MULTIPLE_FACTS = "MULTIPLE_FACTS"
    CORRECTION = "CORRECTION"
    OTHER = "OTHER"


NOT_PERSONS = frozenset({"assistant", "system", "tool", "developer", "function"})
"""Actors that belong to the program. Their turns are stored but state no facts."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The turns before a turn, which its reader may need.

    earlier: turns of the same speaker, oldest first. reply: what was said to them just before; where it ends with a
    question, a mere phrase may answer it.
    """

    earlier: Sequence[str] = ()
    reply: str = ""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as one turn states it.

    confidence: in [0, 1], less where it is hedged. span: where in the turn it is stated, as (start, end) of its
    characters: mostly the sentence, or the whole turn where that cannot be told.
    """

    triple: Triple
    confidence: float
    hedged: bool = False
    span: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a turn says.

    language: the code. facts: in the order of the text. retracted: what it takes back; an empty object stands for
    every object. entities: what it names, lower case, for retrieval. corrects: whether it corrects what was said.
    """

    language: str
    intent: Intent
    facts: tuple[StatedFact, ...] = ()
    retracted: tuple[Triple, ...] = ()
    entities: tuple[str, ...] = ()

    @property
    def taken_back(self) -> tuple[Triple, ...]:
        """The facts it takes back, but for those of single-valued relations that it states anew."""
        stated = {fact.triple[:2] for fact in self.facts if relation_kind(fact.triple.relation).single}
        return tuple(triple for triple in self.retracted if triple[:2] not in stated)


def meant(named: Triple, believed: Iterable[Triple]) -> list[Triple]:
    """The one believed fact that `named` stands for, as a list; empty if no fact or several may be meant.

    The same one, or else the only one of its subject and relation with a longer name: `red bike` for `bike`. Of a
    relation of one value at a time also with a shorter one: `lindqvist` for `lindqvist shipping`. Elsewhere more
    words are less: "I no longer like coffee at night" takes back no coffee. facts/commit_facts decides likewise.
    """
    known = [fact for fact in believed if fact[:2] == named[:2]]
    if named in known:
        return [named]
    longer = [fact for fact in known if _is_part(named.object, fact.object)]
    shorter = [fact for fact in known if relation_kind(fact.relation).single and _is_part(fact.object, named.object)]
    return [*longer, *shorter] if len(longer) + len(shorter) == 1 else []


def _is_part(name: str, longer: str) -> bool:
    """Whether a name is the first or the last words of a longer one."""
    return longer.startswith(f"{name} ") or longer.endswith(f" {name}")


def fact_id(triple: Triple) -> str:
    """The id of a fact within its user: the same triple always has the same one."""
    return hashlib.sha256("\x1f".join(triple).encode()).hexdigest()[:32]


FactStatus = Literal["active", "pending_embed", "stale", "archived", "deprecated", "merged_into"]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed of a user.

    weight: in (0, 1], raised each time it is stated. first_said, last_said: when it was stated. replaced_by: the
    object that took its place, where one did. episode_ids: the turns that state it.
    """

    triple: Triple
    text: str
    confidence: float
    weight: float
    status: FactStatus
    evidence_count: int
    first_said: datetime
    last_said: datetime
    replaced_by: str = ""
    episode_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingFact:
    """A fact that waits for its embedding. attempts: how often embedding it has failed."""

    user_id: str
    fact_id: str
    text: str
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The queue of facts that wait for an embedding. failed: how many were given up.

    reasons: (user_id, text, why) of some that were given up.
    """

    waiting: int
    failed: int
    reasons: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact as the hot index keeps it. text: for a prompt. said: when it was last stated, in epoch seconds.

    pinned: a person keeps it, whatever is said later.
    """

    triple: Triple
    text: str
    weight: float
    said: float
    session_id: str = ""
    language: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class FactChange:
    """What a turn changes: a fact it states, or one it takes back; with an empty object, all of the relation."""

    triple: Triple
    said: float
    text: str = ""
    confidence: float = 0.0
    retracted: bool = False
    session_id: str = ""
    language: str = ""
