"""Questions, what a search finds, and answers that name their evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from amr_neo4j.domain.event import Channel, Edge, Event


class QuestionType(str, Enum):
    """What a question is after; decides which channels are walked first (seed 000, II.1)."""

    OBJECT_TRACKING = "Object_Tracking"
    PERSON_UNDERSTANDING = "Person_Understanding"
    TEMPORAL_MULTIHOP = "Temporal_Multihop"
    CROSS_MODAL = "Cross_Modal"
    GENERAL = "General"


@dataclass(frozen=True)
class Scope:
    """Whose memory is read, and how much of it. No read without one; videos empty means all of the group's."""

    group_id: str
    video_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.group_id:
            raise ValueError("a scope needs a group")


@dataclass(frozen=True)
class Question:
    """A question with its type and what it names (objects as identity: lower case, singular)."""

    text: str
    type: QuestionType
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Anchor:
    """An event a question starts from. ranks: retriever -> rank from 1; score: fused."""

    node_id: int
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Path:
    """How the walk came to an event: the anchor first, one edge per step; score of the last step."""

    node_ids: tuple[int, ...]
    channels: tuple[Channel, ...]
    score: float
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class Hit:
    """An event that a search or a question found, best first by score. trail: the path in words."""

    event: Event
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    path: Path | None = None
    trail: str = ""


@dataclass(frozen=True)
class Citation:
    """Where an answer rests: a second of a video."""

    node_id: int
    video_id: str
    time_start: float
    time_end: float


@dataclass(frozen=True)
class Answer:
    """An answer and its evidence; `found` is False where nothing in memory fits."""

    question: Question
    text: str
    found: bool
    evidence: tuple[Hit, ...] = ()
    citations: tuple[Citation, ...] = ()
