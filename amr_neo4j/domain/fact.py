"""Facts: what a person said, as subject, relation and object (specification 001)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from amr_neo4j.domain.relations import relation_kind

SPEAKER = "you"
"""The subject that stands for the speaker."""


class Triple(NamedTuple):
    """(subject, relation, object) in lower case: ("you", "lives_in", "lisbon")."""

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


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The context that reading a turn may need.

    earlier: earlier turns of the same speaker, oldest first.
    reply: what somebody else said just before. If it ends with a question, a mere phrase may answer it.
    """

    earlier: Sequence[str] = ()
    reply: str = ""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as one turn states it.

    confidence: in [0, 1]; lower if the statement is hedged ("I think").
    span: (start, end) characters of the turn that state it: usually the sentence, else the whole turn.
    """

    triple: Triple
    confidence: float
    hedged: bool = False
    span: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a turn says.

    language: the code of its language.
    facts: what it states, in the order of the text.
    retracted: what it takes back. An empty object stands for every object.
    entities: what it names, in lower case, for retrieval.
    forgets: it asks memory to forget what it takes back.
    forgotten: phrases for more facts that it asks memory to forget: "my diabetes".
    unremembered: it asks memory to keep nothing of this turn.
    """

    language: str
    intent: Intent
    facts: tuple[StatedFact, ...] = ()
    retracted: tuple[Triple, ...] = ()
    entities: tuple[str, ...] = ()
    forgets: bool = False
    forgotten: tuple[str, ...] = ()
    unremembered: bool = False

    @property
    def taken_back(self) -> tuple[Triple, ...]:
        """The retracted facts, except those whose single-valued relation gets a new value in the same turn."""
        stated = {fact.triple[:2] for fact in self.facts if relation_kind(fact.triple.relation).single}
        return tuple(triple for triple in self.retracted if triple[:2] not in stated)

    def said_by(self, subject: str) -> Understood:
        """Return this as if another person had said it, whose "I" means `subject`: (ben, lives_in, oslo)."""
        if subject == SPEAKER:
            return self
        facts = tuple(replace(fact, triple=_said_by(subject, fact.triple)) for fact in self.facts)
        retracted = tuple(_said_by(subject, triple) for triple in self.retracted)
        entities = tuple(subject if entity == SPEAKER else entity for entity in self.entities)
        return replace(self, facts=facts, retracted=retracted, entities=entities)


def _said_by(subject: str, triple: Triple) -> Triple:
    """Return a triple with a person's name in place of SPEAKER at either end: (eva, friend_of, ben) for (eva,
    friend_of, you).
    """
    return Triple(*(subject if part == SPEAKER else part for part in triple))


def meant(named: Triple, believed: Iterable[Triple]) -> list[Triple]:
    """Return [the believed fact that `named` refers to], or [] if none or several may be meant.

    An equal fact wins. Otherwise it is the only fact with the same subject and relation whose object is a longer form
    of the name: `red bike` for `bike`. For a single-valued relation, a shorter form counts, too: `lindqvist` for
    `lindqvist shipping`. For other relations, more words narrow the meaning: "I no longer like coffee at night" does
    not take back coffee. The statement facts/commit_facts decides in the same way.
    """
    known = [fact for fact in believed if fact[:2] == named[:2]]
    if named in known:
        return [named]
    longer = [fact for fact in known if _is_part(named.object, fact.object)]
    shorter = [fact for fact in known if relation_kind(fact.relation).single and _is_part(fact.object, named.object)]
    return [*longer, *shorter] if len(longer) + len(shorter) == 1 else []


def _is_part(name: str, longer: str) -> bool:
    """Return whether `longer` begins or ends with the words of `name`."""
    return longer.startswith(f"{name} ") or longer.endswith(f" {name}")


def fact_id(triple: Triple) -> str:
    """Return the id of a fact, a hash of its triple. It is unique within a user."""
    # \x1f, the unit separator, keeps the parts apart.
    return hashlib.sha256("\x1f".join(triple).encode()).hexdigest()[:32]


FactStatus = Literal["active", "pending_embed", "stale", "archived", "deprecated", "merged_into"]


@dataclass(frozen=True, slots=True)
class Fact:
    """What memory believes about a user.

    weight: in (0, 1], raised each time it is stated.
    first_said, last_said: when it was stated.
    replaced_by: the object that replaced it, if any.
    episode_ids: the turns that state it.
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
    """A fact that waits for its embedding. attempts: how many times embedding it has failed."""

    user_id: str
    fact_id: str
    text: str
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The queue of facts that wait for an embedding.

    failed: how many were given up.
    reasons: (user_id, text, why) of some of those.
    """

    waiting: int
    failed: int
    reasons: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact as the hot index keeps it.

    text: the sentence for a prompt.
    said: when it was last stated, in epoch seconds.
    pinned: a person wants it kept, whatever is said later.
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
    """A fact that a turn states or, if `retracted`, takes back.

    An empty object takes back all facts of the relation.
    forgotten: taken back by a wish to forget. Neither this turn nor those that stated the fact are recalled any more.
    live: it counts as the latest word on its subject and relation, whatever the clock of its turn says.
    """

    triple: Triple
    said: float
    text: str = ""
    confidence: float = 0.0
    retracted: bool = False
    session_id: str = ""
    language: str = ""
    forgotten: bool = False
    live: bool = False


_NOTHING = Triple("", "", "")


def retractions(
    understood: Understood, said: float, session_id: str, *, also: Iterable[Triple] = (), live: bool = False
) -> list[FactChange]:
    """Return the changes that take back what a turn takes back.

    A turn that asks memory to keep nothing of it has one that names no fact, so that it is marked.
    also: what it asks to forget besides. live: as in FactChange.
    """
    gone = [*understood.taken_back, *also]
    forgets = understood.forgets or understood.unremembered
    if understood.unremembered and not gone:
        gone = [_NOTHING]
    return [
        FactChange(triple, said, retracted=True, session_id=session_id, forgotten=forgets, live=live)
        for triple in dict.fromkeys(gone)
    ]
