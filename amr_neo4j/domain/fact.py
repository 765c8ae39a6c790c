"""Facts: what a person said, as subject, relation and object (specification 001)."""

from __future__ import annotations

import hashlib
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

from amr_neo4j.domain.relations import INSTRUCTION, relation_kind

SAID = "said"
"""The relation of a hint that quotes a turn of the user: its object is their words."""
SPEAKER = "you"
"""The subject that stands for the speaker."""


NEW_CONFIDENCE = 0.7
"""The confidence of a new fact that is stated without a hedge."""


class Triple(NamedTuple):
    """(subject, relation, object) in lower case: ("you", "lives_in", "lisbon")."""

    subject: str
    relation: str
    object: str


Hinted = Mapping[str, Triple]
"""{fact_id of a fact, or episode_id of a quoted turn: its triple} of the hints for a turn, best first."""


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
    believed: what memory believes about the names in the turn. It decides whether "I left Siemens" ends a job.
    is_apart: somebody else spoke since the last of `earlier`, even if `reply` is not known.
    """

    earlier: Sequence[str] = ()
    reply: str = ""
    believed: Sequence[Triple] = ()
    is_apart: bool = False


Strength = Literal["plain", "momentary", "beside", "passing", "past"]
"""How a statement is meant, which decides what it may replace (see `belief`).

plain: for good.
momentary: for a while ("I'm in Paris this week").
beside: as one more value beside the main one ("on weekends I work at a bakery").
passing: as a guess or in passing ("I think I live in Paris", "here in Rome" of somebody whose home is not known).
past: as over ("I worked at Lidl for three years").
"""


@dataclass(frozen=True, slots=True)
class Until:
    """When a statement ends or has ended, as a turn words it.

    `before` counts back from the present in the same units as `after`.

    unit: what `number` means.
    - hour: hours from now.
    - day: whole days after today; "today" is 0.
    - weekday: the next such day; Monday is 0.
    - week, rest_of_month: the end of the week or month that is this many after the present one.
    - month: the first day of the next such month; January is 1. With a day, the end of that day.
    - year: the first of January of that year.
    year, day: of the month, if the turn says it; else 0.
    """

    unit: Literal["hour", "day", "weekday", "week", "rest_of_month", "month", "year"]
    number: int
    year: int = 0
    day: int = 0

    def after(self, at: datetime) -> datetime | None:
        """Return when a statement of the moment `at` ends; None if no calendar has that day ("31 December 9999").

        Days end at midnight in the zone of `at`.
        """
        try:
            return self._end(at)
        except (OverflowError, ValueError):
            return None

    def _end(self, at: datetime) -> datetime:
        midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
        match self.unit:
            case "hour":
                ends = at + timedelta(hours=self.number)
            case "day":
                ends = midnight + timedelta(days=self.number + 1)
            case "weekday":  # "until Sunday", said on a Sunday, means the next one
                ends = midnight + timedelta(days=(self.number - at.weekday() - 1) % 7 + 2)
            case "week":
                ends = midnight + timedelta(days=7 * (self.number + 1) - at.weekday())
            case "rest_of_month":
                months = at.year * 12 + at.month + self.number
                ends = midnight.replace(year=months // 12, month=months % 12 + 1, day=1)
            case "month" if self.day:
                # "On 14 March", said in April, means that day of the next year.
                year = self.year or at.year + ((self.number, self.day) < (at.month, at.day))
                day = min(self.day, monthrange(year, self.number)[1])
                ends = midnight.replace(year=year, month=self.number, day=day) + timedelta(days=1)
            case "month":
                # "until March", said in March, means March of the next year.
                year = at.year + (self.number <= at.month)
                ends = midnight.replace(year=year, month=self.number, day=1)
            case "year":
                ends = midnight.replace(year=self.number, month=1, day=1)
        return ends

    def before(self, at: datetime) -> datetime:
        """Return when something ended, by a turn that was said at `at`: "I quit in March". Never later than `at`."""
        midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
        match self.unit:
            case "hour":
                ended = at - timedelta(hours=self.number)
            case "day":
                ended = midnight - timedelta(days=self.number)
            case "weekday":  # on a Monday, "I quit on Monday" is a week ago
                ended = midnight - timedelta(days=(at.weekday() - self.number - 1) % 7 + 1)
            case "week":
                ended = midnight - timedelta(days=7 * self.number + at.weekday())
            case "month" | "rest_of_month":
                month = self.number if self.unit == "month" else at.month
                year = self.year or at.year - (month > at.month)
                ended = min(midnight, midnight.replace(year=year, month=month, day=1))
            case "year":
                ended = min(midnight, midnight.replace(year=self.number, month=1, day=1))
        return ended


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact as one turn states it.

    confidence: in [0, 1]; lower if the statement is hedged ("I think").
    span: (start, end) characters of the turn that state it: usually the sentence, else the whole turn.
    until: when a momentary statement ends, or when something past ended; None if the turn does not say.
    since: orders the values that a turn gives to one relation ("in 2019 ... last month"): the latest holds.
    moved: the turn says that the value is new ("I moved to Rome"), so details of the old one, such as the street of
        the old home, no longer hold.
    """

    triple: Triple
    confidence: float
    hedged: bool = False
    span: tuple[int, int] = field(default=(0, 0), compare=False)
    strength: Strength = "plain"
    until: Until | None = None
    since: float = 0.0
    moved: bool = False


class Unclear(NamedTuple):
    """A pronoun that may mean several people, so that nothing is believed of any of them."""

    pronoun: str
    people: tuple[str, ...]


class YesOrNo(NamedTuple):
    """An answer to a question that somebody else just asked. agrees: it is yes."""

    question: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class Understood:
    """What a turn says.

    language: the code of its language.
    facts: what it states, in the order of the text.
    retracted: what it takes back. An empty object stands for every object.
    entities: what it names, in lower case, for retrieval.
    unclear: pronouns that may mean several people.
    forgets: the turn asks memory to forget what it takes back.
    forgotten: phrases for further facts that the turn asks memory to forget, such as "my diabetes".
    unremembered: the turn asks memory to keep nothing of it.
    ended: {fact that is over: when it ended}, if the turn says when.
    intentions: what it plans, and what it tells an assistant to do from now on. Kept apart from `facts`, because it
        is not true yet.
    answer: the turn begins with a yes or a no to a question just before. It confirms or drops a doubtful fact that
        the question mentions.
    continues: the turn is the second half of the one before.
    """

    language: str
    intent: Intent
    facts: tuple[StatedFact, ...] = ()
    retracted: tuple[Triple, ...] = ()
    entities: tuple[str, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    forgets: bool = False
    forgotten: tuple[str, ...] = ()
    unremembered: bool = False
    ended: Mapping[Triple, Until] = field(default_factory=dict[Triple, Until])
    answer: YesOrNo | None = None
    continues: bool = False
    intentions: tuple[StatedFact, ...] = ()

    @property
    def taken_back(self) -> tuple[Triple, ...]:
        """The facts that are over: the retracted ones, and those that a stated fact ends or contradicts.

        Left out are those whose single-valued relation gets a new value in the same turn, since that replaces them.
        """
        stated = {
            fact.triple[:2]
            for fact in self.facts
            if relation_kind(fact.triple.relation).single and fact.strength == "plain"
        }
        ended = [
            fact.triple._replace(relation=over)
            for fact in self.facts
            if (kind := relation_kind(fact.triple.relation)) and (over := kind.ends or kind.opposite)
        ]
        details = [
            Triple(fact.triple.subject, relation_kind(fact.triple.relation).detail, "")
            for fact in self.facts
            if fact.moved and fact.strength == "plain"
        ]
        gone = dict.fromkeys((*self.retracted, *ended, *details))
        return tuple(triple for triple in gone if triple[:2] not in stated)

    def said_by(self, subject: str) -> Understood:
        """Return this as said by another person: "I" then means `subject`, as in (ben, lives_in, oslo).

        Only the user tells an assistant what to do.
        """
        if subject == SPEAKER:
            return self
        facts = tuple(replace(fact, triple=_said_by(subject, fact.triple)) for fact in self.facts)
        plans = (fact for fact in self.intentions if fact.triple.relation != INSTRUCTION)
        intentions = tuple(replace(fact, triple=_said_by(subject, fact.triple)) for fact in plans)
        retracted = tuple(_said_by(subject, triple) for triple in self.retracted)
        ended = {_said_by(subject, triple): until for triple, until in self.ended.items()}
        entities = tuple(subject if entity == SPEAKER else entity for entity in self.entities)
        return replace(self, facts=facts, retracted=retracted, entities=entities, ended=ended, intentions=intentions)


def _said_by(subject: str, triple: Triple) -> Triple:
    """Return a triple with a person's name for SPEAKER: (eva, friend_of, ben) for (eva, friend_of, you)."""
    return Triple(*(subject if part == SPEAKER else part for part in triple))


def meant(named: Triple, believed: Iterable[Triple]) -> list[Triple]:
    """Return [the believed fact that `named` refers to], or [] if none or several may be meant.

    An equal fact wins. Otherwise it is the only fact with the same subject and relation whose object is a longer form
    of the name: `red bike` for `bike`. For a single-valued relation, a shorter form counts, too: `lindqvist` for
    `lindqvist shipping`. For other relations, more words narrow the meaning: "I no longer like coffee at night" does
    not take back coffee. cypher/facts/commit_facts.cypher decides in the same way.
    """
    known = [fact for fact in believed if fact[:2] == named[:2]]
    if named in known:
        return [named]
    longer = [fact for fact in known if _is_part(named.object, fact.object)]
    shorter = [fact for fact in known if relation_kind(fact.relation).single and _is_part(fact.object, named.object)]
    return [*longer, *shorter] if len(longer) + len(shorter) == 1 else []


def is_same_name(one: Triple, other: Triple) -> bool:
    """Return whether two values are the same, or one is a longer form of the other's name: "york, england".

    "New-York" is "New York". cypher/facts/settle_slots.cypher decides in the same way.
    """
    first, second = (each.object.replace(",", "").replace("-", " ") for each in (one, other))
    return first == second or _is_part(first, second) or _is_part(second, first)


def _is_part(name: str, longer: str) -> bool:
    """Return whether `longer` begins or ends with the words of `name`."""
    return longer.startswith(f"{name} ") or longer.endswith(f" {name}")


def fact_id(triple: Triple) -> str:
    """Return the id of a fact, a hash of its triple. It is unique within a user."""
    # \x1f, the unit separator, keeps the parts apart.
    return hashlib.sha256("\x1f".join(triple).encode()).hexdigest()[:32]


FactStatus = Literal["candidate", "active", "pending_embed", "stale", "archived", "deprecated", "merged_into"]
"""candidate: said too weakly to replace what is believed; it waits until it is said again, a yes confirms it, or a
person restores it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What memory believes about a user, or about people in the group's videos.

    fact_id: stays the same for this triple of this user, also in an export and after an import.
    weight: in (0, 1], raised each time it is stated.
    first_said, last_said: when it was stated.
    replaced_by: the object that replaced it, if any.
    episode_ids: the turns that state it.
    events: the citations of the events of videos that state or show it: "[event 12, kitchen, 00:12:31-00:12:44]".
    strength: see Strength.
    ends_at: when it stops being true; None if that is not known.
    archived_at: when it stopped being believed, or when it ended by what was said; None if it is believed.
    retracted: a turn took it back, so that nothing replaced it.
    """

    fact_id: str
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
    events: tuple[str, ...] = ()
    strength: Strength = "plain"
    ends_at: datetime | None = None
    archived_at: datetime | None = None
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class WaitingText:
    """A fact or turn that waits for its embedding.

    id: its fact_id or episode_id.
    attempts: how many times embedding it has failed.
    """

    user_id: str
    id: str
    text: str
    attempts: int = 0
    is_turn: bool = False


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """The queue of facts and turns that wait for an embedding.

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
    weight: in (0, 1], raised each time it is stated.
    said: when it was last stated, in epoch seconds.
    pinned: a person wants it kept; nothing that is said replaces it or takes it back.
    strength: see Strength.
    ends: when it stops being true, in epoch seconds; None if that is not known.
    confidence: in [0, 1].
    opposed: facts that contradict it, while nobody has decided between them.
    waits: it is a candidate, and so not believed yet.
    words: the stems of its subject and object, under which the index finds it.
    """

    triple: Triple
    text: str
    weight: float
    said: float
    session_id: str = ""
    language: str = ""
    pinned: bool = False
    strength: Strength = "plain"
    ends: float | None = None
    confidence: float = NEW_CONFIDENCE
    opposed: tuple[Triple, ...] = ()
    waits: bool = False
    words: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @property
    def certainty(self) -> float:
        """The weight, lowered in proportion if the confidence is below that of a new fact."""
        return self.weight * min(1.0, self.confidence / NEW_CONFIDENCE)


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that a turn states or, if `retracted`, takes back.

    An empty object takes back all facts of the relation.
    strength: see Strength.
    ends: when it stops being true, or has stopped if it is taken back, in epoch seconds; None if that is not known.
    forgotten: taken back by a wish to forget. Neither this turn nor those that stated the fact are recalled any more.
    live: it counts as the latest statement on its subject and relation, even if the time of its turn is earlier.
    """

    triple: Triple
    said: float
    text: str = ""
    confidence: float = 0.0
    retracted: bool = False
    session_id: str = ""
    language: str = ""
    strength: Strength = "plain"
    ends: float | None = None
    forgotten: bool = False
    live: bool = False


_NOTHING = Triple("", "", "")


def _retractions(
    understood: Understood, at: datetime, said: float, session_id: str, *, also: Iterable[Triple], live: bool
) -> list[FactChange]:
    """Return the changes for what a turn takes back.

    If the turn asks memory to keep nothing of it and takes back no fact, one change without a fact marks the turn.
    also: further facts that it asks memory to forget.
    live: as in FactChange.
    """
    gone = [*understood.taken_back, *also]
    forgets = understood.forgets or understood.unremembered
    if understood.unremembered and not gone:
        gone = [_NOTHING]
    changes: list[FactChange] = []
    for triple in dict.fromkeys(gone):
        until = understood.ended.get(triple)
        ends = until.before(at).timestamp() if until else None
        changes.append(
            FactChange(triple, said, retracted=True, session_id=session_id, ends=ends, forgotten=forgets, live=live)
        )
    return changes


# If one turn gives several values to a single-valued relation, they count as said this many seconds apart, so that
# the last one holds.
_SECONDS_BETWEEN_FACTS = 1e-5
ONE_TURN = 5e-4
"""The statements of one turn count as said less than this many seconds apart, those of two turns more."""
# A momentary statement that does not say how long it holds counts for this many days after today.
_A_WHILE = Until("day", 1)


def belief(fact: StatedFact, at: datetime) -> tuple[Triple, Strength, datetime | None]:
    """Return (the fact to store, how firmly, when it ends) for a statement made at `at`.

    Only this function decides what a statement may do to a single-valued relation:
    - plain: it replaces the value.
    - momentary: it becomes a fact of another relation (staying_in for lives_in) with an end. If there is no such
      relation, it counts as said in passing.
    - beside: it is kept beside the main value.
    - passing: it does not replace a value that was said plainly, and waits as a candidate.
    - past: it is stored as ended.
    """
    kind = relation_kind(fact.triple.relation)
    if fact.strength == "past":
        return fact.triple, "beside", fact.until.before(at) if fact.until else at
    if fact.strength == "momentary":
        ends = (fact.until or _A_WHILE).after(at)
        if kind.momentary:
            return fact.triple._replace(relation=kind.momentary), "plain", ends
        return fact.triple, "passing" if kind.single else "plain", ends
    if not kind.single:
        return fact.triple, "plain", None
    weak = fact.hedged and fact.strength == "plain"
    return fact.triple, "passing" if weak else fact.strength, None


def facts_stated(changes: Iterable[FactChange]) -> tuple[Triple, ...]:
    """Return the facts that a turn with these changes states."""
    return tuple(change.triple for change in changes if not change.retracted)


def changes_of(
    understood: Understood,
    *,
    at: datetime,
    said: float,
    sentence: Callable[[Triple], str],
    session_id: str,
    live: bool = False,
    forgotten: Iterable[Triple] = (),
) -> tuple[FactChange, ...]:
    """Return the facts that a turn takes back and then those it states.

    at: when the turn was said.
    said: the same in epoch seconds; statements of a session are ordered by it.
    sentence: returns a fact as a sentence for a prompt.
    live: see FactChange.
    forgotten: further facts that the turn asks memory to forget.
    """
    changes = _retractions(understood, at, said, session_id, also=forgotten, live=live)
    # The sort is stable, so facts with equal `since` stay in the order of the text.
    stated = sorted([*understood.facts, *understood.intentions], key=lambda fact: fact.since)
    # Numbered up to 0: the last fact counts as said at `said`, the earlier ones just before it.
    for number, fact in enumerate(stated, 1 - len(stated)):
        triple, strength, ends = belief(fact, at)
        single = relation_kind(triple.relation).single
        change = FactChange(
            triple,
            said + number * _SECONDS_BETWEEN_FACTS if single else said,
            sentence(triple),
            confidence=fact.confidence,
            session_id=session_id,
            language=understood.language,
            strength=strength,
            ends=ends.timestamp() if ends else None,
            live=live,
        )
        changes.append(change)
    return tuple(changes)
