"""What the nightly run reads, decides and reports of a user's facts (specification 002 3 to 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.fact import FactStatus, Triple
from amr_neo4j.domain.recall import Citation

Standing = Literal["active", "pending_embed", "archived", "deprecated", "merged_into"]


@dataclass(frozen=True, slots=True)
class Belief:
    """A fact as the nightly run sees it.

    confidence: in [0, 1]. evidence_count: statements and supporting turns, those of merged facts included. counted:
    how many of them confidence has been raised for. last_updated: of the latest evidence; decayed_at: up to when it
    has decayed. said: when it was stated last, epoch seconds. flagged: a contradiction waits for a model. version:
    changes with every write of the node.
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


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """A turn that no run has read yet.

    before: earlier turns of the same speaker and session, oldest first. states: it has stated facts already.
    vector: float32 bytes, empty where it has none.
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


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that no run has looked at yet.

    things: (place, name) of those whose place it states. vector: as of HeardTurn.
    """

    node_id: int
    text: str
    at: datetime
    things: tuple[tuple[str, str], ...] = ()
    vector: bytes = b""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a thing was seen. place, name: its object. at_home: the place has a name, and is not just the video.

    occasion: what is seen within one counts once. where: in the words of the analysis.
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
    """A fact that events show. at: of the latest of them."""

    triple: Triple
    text: str
    language: str
    confidence: float
    at: datetime
    node_ids: tuple[int, ...]


class Support(NamedTuple):
    """A turn that supports a fact by meaning. cosine: of turn and fact."""

    fact_id: str
    episode_id: str
    at: datetime
    cosine: float


class Near(NamedTuple):
    """Two facts of one subject and the cosine of their texts; one is less than other."""

    one: str
    other: str
    cosine: float


Resolution = Literal["newer", "pinned", "open", "both", "model", "kept", "hand"]
"""How a contradiction ended: the newer one stands; the pinned one stands; it is open, both halved; both stand; a
model chose; a person undid it, or corrected."""

Link = Literal["DERIVED_FROM", "CONTRADICTS", "MERGED_INTO", "DISTINCT_FROM"]


@dataclass(frozen=True, slots=True)
class Change:
    """New values of a fact's properties. why: short codes such as `decay`, in the order of the run."""

    fact_id: str
    version: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A relationship to make. target: a fact_id, for DERIVED_FROM an episode_id. props: its properties.

    before: the same properties of one that is there already; None for a new one.
    """

    link: Link
    source: str
    target: str
    props: Mapping[str, Any] = field(default_factory=dict[str, Any])
    before: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """Changes that are made together or not at all: facts that one decision joins."""

    changes: tuple[Change, ...]
    links: tuple[LinkChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do. reasons: a line for a person per decision. waiting: clusters left for a later run."""

    units: tuple[Unit, ...]
    counts: Mapping[str, int]
    reasons: tuple[str, ...] = ()
    waiting: int = 0
    problems: tuple[str, ...] = ()


RunStatus = Literal["completed", "incomplete", "dry run"]


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The report of one run. at: the time it ran for. status: `incomplete` where something failed or was left.

    counts: how many facts or turns by what happened to them. reasons: what changed and why, a line each. problems:
    what failed and is left for the next run. usage: of models. resumed: it finished a run that was cut off, whose
    reasons are in what it counted. waiting: clusters that rules cannot tell apart.
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
    """A turn that a fact rests on. via: the merged fact that brought it in; similarity: of one that supports it."""

    episode_id: str
    actor: str
    text: str
    at: datetime
    via: str = ""
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class FactLink:
    """What a fact is to another. outward: the relationship begins at this fact."""

    link: Link
    outward: bool
    fact_id: str
    text: str
    at: datetime | None
    resolution: str = ""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with why it is believed, or why not."""

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


@dataclass(frozen=True, slots=True)
class FactMeasures:
    """How well memory of a user is kept (specification 002 8). Counts are of all runs that were not undone.

    facts: how many by status. settled_by_rules: share of the contradictions that needed neither a model nor a person.
    confidence_by_evidence: rank correlation of what is believed, in [-1, 1]. use: counts of all live conversations,
    named as in `LiveChat.metrics`; hints_used, recalled_used, redundancy, searches_helped: shares of them. None:
    too little to tell.
    """

    facts: Mapping[str, int]
    runs: int
    merged: int
    replaced: int
    given_up: int
    strengthened: int
    settled_by_rules: float | None
    confidence_by_evidence: float | None
    hints_used: float | None
    recalled_used: float | None
    redundancy: float | None
    searches_helped: float | None
    use: Mapping[str, int]
