"""The data that the nightly run reads, decides on and reports about a user's facts (specification 002, sections 3 to
5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.fact import FactChange, FactStatus, Strength, Triple
from amr_neo4j.domain.recall import Citation

Standing = Literal["active", "pending_embed", "archived", "deprecated", "merged_into"]


@dataclass(frozen=True, slots=True)
class Belief:
    """A fact as the nightly run sees it.

    confidence: in [0, 1].
    evidence_count: number of statements and supporting turns, including those of merged facts.
    counted: how many of them have already raised the confidence.
    last_updated: time of the latest evidence.
    decayed_at: the time up to which decay has been applied.
    asked_at: when it was last asked for.
    said: when it was last stated, in epoch seconds.
    flagged: a contradiction waits for a model's decision.
    version: changes with every write of the node.
    """

    fact_id: str
    triple: Triple
    text: str
    confidence: float
    evidence_count: int
    counted: int
    last_updated: datetime
    said: float
    decayed_at: datetime | None = None
    category: str = ""
    language: str = ""
    status: Standing = "active"
    flagged: bool = False
    pinned: bool = False
    version: str = ""
    asked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """A turn that no run has read yet.

    before: earlier turns of the same speaker and session, oldest first.
    is_apart: somebody else spoke since the last of them.
    states: the turn's facts are in the graph already.
    vector: float32 bytes; empty if there is none.
    """

    number: int
    episode_id: str
    session_id: str
    actor: str
    actor_id: str
    text: str
    at: datetime
    states: bool
    before: tuple[str, ...] = ()
    vector: bytes = b""
    is_apart: bool = False


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that no run has looked at yet.

    things: (place, name) of the objects whose position it states.
    vector: float32 bytes; empty if there is none.
    """

    node_id: int
    text: str
    at: datetime
    things: tuple[tuple[str, str], ...] = ()
    vector: bytes = b""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where an object was seen.

    place, name: the object's key.
    at_home: the place was named by the user, and is not just the video.
    occasion: sightings with the same occasion count once.
    where: the position in the words of the analysis.
    """

    place: str
    name: str
    at_home: bool
    node_id: int
    occasion: str
    where: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SeenFact:
    """A fact that events show, or that is said in them.

    at: the time of the latest of these events.
    ends_at: when it stops being true; None if that is not known.
    """

    triple: Triple
    text: str
    language: str
    confidence: float
    at: datetime
    node_ids: tuple[int, ...]
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewTalk:
    """The talk of an event that was not read yet.

    said: its lines, "speaker: words".
    at: when it began, in the time zone of the recording.
    """

    node_id: int
    video_id: str
    said: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Planned:
    """What somebody intends to do.

    who: "you" for the user, else a name in lower case.
    what: the deed: "buy milk".
    text: the plan as a sentence.
    confidence: how surely it was said, from 0 to 1.
    said: when it was last said, in epoch seconds.
    node_id: the turn or event in which it was last said.
    ends_at: the end of the day that it is planned for; None if no day was said.
    dropped: somebody said that they no longer plan it.
    language: the code of the language in which it was said; empty if unknown.
    """

    who: str
    what: str
    text: str
    confidence: float
    said: float
    node_id: int
    ends_at: datetime | None
    dropped: bool
    language: str


@dataclass(frozen=True, slots=True)
class TurnsRead:
    """What a model read from the topics of turns.

    stated: {episode_id: the facts that the turn supports}.
    shown: the numbers of the turns that the model was shown.
    refused: a line for each fact that the turns it cites do not support.
    """

    stated: Mapping[str, tuple[FactChange, ...]] = field(default_factory=dict[str, tuple[FactChange, ...]])
    shown: frozenset[int] = frozenset()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventsRead:
    """What a model read from the topics of events. refused: as in TurnsRead."""

    stated: tuple[SeenFact, ...] = ()
    refused: tuple[str, ...] = ()


class ShownFact(NamedTuple):
    """A fact that was shown at a moment.

    asked: it was asked for.
    turn: the episode_id of the turn for which it was injected; empty if it was shown otherwise.
    """

    fact_id: str
    at: datetime
    asked: bool = False
    turn: str = ""


class Support(NamedTuple):
    """A turn whose meaning supports a fact. cosine: between the vectors of turn and fact."""

    fact_id: str
    episode_id: str
    at: datetime
    cosine: float


class Near(NamedTuple):
    """Two facts of one subject and the cosine of their texts. The ids are sorted: one < other."""

    one: str
    other: str
    cosine: float


Resolution = Literal["newer", "pinned", "open", "both", "model", "kept", "hand"]
"""How a contradiction was settled.

newer, pinned: that fact stands.
open: undecided; both confidences were halved.
both: both facts stand.
model: a model chose.
kept: a person restored the replaced fact.
hand: a person corrected the fact.
"""

Link = Literal["DERIVED_FROM", "CONTRADICTS", "MERGED_INTO", "DISTINCT_FROM"]


@dataclass(frozen=True, slots=True)
class Change:
    """New values for properties of a fact.

    why: short codes such as `decay`, in the order they were applied.
    """

    fact_id: str
    version: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A relationship to write.

    target: a fact_id; for DERIVED_FROM an episode_id.
    props: the relationship's properties.
    before: the old values of these properties, if the relationship exists; None for a new one.
    """

    link: Link
    source: str
    target: str
    props: Mapping[str, Any] = field(default_factory=dict[str, Any])
    before: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """Changes that are written together or not at all, because one decision connects their facts."""

    changes: tuple[Change, ...]
    links: tuple[LinkChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do.

    reasons: a readable line for each decision.
    waiting: how many clusters are left for a later run.
    """

    units: tuple[Unit, ...]
    counts: Mapping[str, int]
    reasons: tuple[str, ...] = ()
    waiting: int = 0
    problems: tuple[str, ...] = ()


RunStatus = Literal["completed", "incomplete", "dry run"]


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The report of one run.

    at: the time for which the run was made.
    status: `incomplete` if something failed or was left for later.
    counts: {what happened: number of facts or turns}.
    reasons: a line for each change.
    problems: a line for each failure; the next run tries again.
    usage: the tokens and costs of the models' calls.
    resumed: this run finished an interrupted one. If that one had saved its plan, there are counts but no reasons.
    waiting: how many clusters of facts wait, because rules cannot tell them apart.
    """

    run_id: str
    user_id: str
    at: datetime
    status: RunStatus
    counts: Mapping[str, int]
    reasons: Sequence[str] = ()
    problems: Sequence[str] = ()
    usage: Usage = field(default_factory=Usage)
    resumed: bool = False
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class FactTurn:
    """A turn that supports a fact.

    via: the merged fact it came from, if any.
    similarity: set if it supports by meaning.
    """

    episode_id: str
    actor: str
    text: str
    at: datetime
    via: str = ""
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class FactLink:
    """A relationship between a fact and another one. outward: whether it starts at this fact."""

    link: Link
    outward: bool
    fact_id: str
    text: str
    at: datetime | None
    resolution: str = ""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with everything that explains why it is believed or not. For most fields see Fact."""

    fact_id: str
    triple: Triple
    text: str
    confidence: float
    weight: float
    status: FactStatus
    evidence_count: int
    first_said: datetime
    last_said: datetime
    replaced_by: str
    category: str
    pinned: bool
    flagged: bool
    language: str
    turns: tuple[FactTurn, ...]
    links: tuple[FactLink, ...]
    events: tuple[Citation, ...] = ()
    strength: Strength = "plain"
    ends_at: datetime | None = None
    archived_at: datetime | None = None
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class FactMeasures:
    """How well a user's facts are kept (specification 002, section 8). Counts cover all runs that were not undone.

    A share is None if there is too little data.

    facts: {status: number}.
    merged_share: share of the found duplicates that were merged; the others wait for a model or a person.
    given_up_share: share of given-up facts among those that runs gave up or strengthened.
    settled_by_rules: share of the contradictions that needed neither a model nor a person.
    confidence_by_evidence: rank correlation between confidence and evidence of believed facts, in [-1, 1].
    use: counts over all live conversations, with the names of `LiveChat.metrics`.
    hints_used, recalled_used, redundancy, searches_helped: shares derived from `use`.
    """

    facts: Mapping[str, int]
    runs: int
    merged: int
    replaced: int
    given_up: int
    strengthened: int
    merged_share: float | None
    given_up_share: float | None
    settled_by_rules: float | None
    confidence_by_evidence: float | None
    hints_used: float | None
    recalled_used: float | None
    redundancy: float | None
    searches_helped: float | None
    use: Mapping[str, int]
