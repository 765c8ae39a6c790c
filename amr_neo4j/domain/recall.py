"""Questions, search hits, and answers with their citations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import Literal

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.timestamps import clock

# How several rankings become one (recall/rank/fusion.py).
Fusion = Literal["auto", "rrf", "blend", "surroundings"]


class QuestionType(StrEnum):
    """What a question is after; decides which channels are walked first (specification 000 II.1)."""

    OBJECT_TRACKING = "Object_Tracking"
    PERSON_UNDERSTANDING = "Person_Understanding"
    TEMPORAL_MULTIHOP = "Temporal_Multihop"
    CROSS_MODAL = "Cross_Modal"
    GENERAL = "General"


# A point in time: seconds of the video, or wall clock.
Moment = float | datetime


@dataclass(frozen=True)
class Scope:
    """The part of the graph that a read may see. Every read takes one. Without videos or persons it means all.

    user_id: whose conversations are read, none where it is empty; session_ids: which of them, all where none is
    named. Naming only videos leaves out conversations, and naming only sessions leaves out videos. Moments in seconds
    of a video leave out conversations. persons: person_ids, of which an event involves at least one. since, until:
    the span an event overlaps. as_of: only what had ended by then. known_at: only what memory had learnt by then. A
    moment in wall clock leaves out videos without one. Raises ValueError: no group, sessions without a user, a moment
    that is not finite or has no zone, or a span that ends before it starts.
    """

    group_id: str
    video_ids: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    known_at: datetime | None = None
    user_id: str = ""
    session_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.group_id:
            raise ValueError("a scope needs a group")
        if self.session_ids and not self.user_id:
            raise ValueError("a scope that names sessions needs a user")
        for moment in (self.since, self.until, self.as_of, self.known_at):
            _refuse_nonsense(moment)
        if _is_after(self.since, self.until):
            raise ValueError(f"a span from {self.since} to {self.until} ends before it starts")

    @property
    def has_videos(self) -> bool:
        """Whether events of videos can be in it."""
        return bool(self.video_ids or not self.session_ids)

    @property
    def has_turns(self) -> bool:
        """Whether turns of conversations can be in it."""
        named = bool(self.session_ids or not self.video_ids)
        of_a_video = any(isinstance(moment, float | int) for moment in (self.since, self.until, self.as_of))
        return bool(self.user_id) and named and not of_a_video


def _refuse_nonsense(moment: Moment | None) -> None:
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError(f"{moment} has no time zone")
    elif moment is not None and not isfinite(moment):
        raise ValueError(f"{moment} is not a point in time")


def _is_after(one: Moment | None, other: Moment | None) -> bool:
    if isinstance(one, datetime):
        return isinstance(other, datetime) and one > other
    return one is not None and other is not None and not isinstance(other, datetime) and one > other


def owner(group_id: str, user_id: str) -> str:
    """A key for a user of a group; two users never share one."""
    return json.dumps([group_id, user_id])


@dataclass(frozen=True)
class Question:
    """A question with its type and what it names (objects as identity: lower case, singular)."""

    text: str
    type: QuestionType
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Path:
    """The walk from an anchor to an event: the anchor first, one edge per step. score: of the last step."""

    node_ids: tuple[int, ...]
    channels: tuple[Channel, ...]
    score: float
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class Hit:
    """An event that a search or a question found. trail: the path in words.

    score: 0 to 1, how well it matches beside the other candidates of the same question; no probability, and not to be
    compared between questions.
    ranks: by retriever, from 1. scores: the parts of the score: fused (of the rankings), cosine, reach (of the anchor
    that its path starts at), judge (0 to 1, of its group by a model, where one judges).
    """

    event: Event
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    path: Path | None = None
    trail: str = ""
    scores: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Trace:
    """How recall went. stages: name -> seconds, in order. stopped: why the walk ended.

    frontiers: how many events each hop kept, the anchors first.
    """

    stages: Mapping[str, float]
    stopped: str = ""
    frontiers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Citation:
    """Where an answer rests: seconds of a video; of words their own, with the speaker.

    Every citation, also a TurnCitation, has node_id, source, start, end and label. Memory.cited returns the event.
    """

    node_id: int
    video_id: str
    time_start: float
    time_end: float
    speaker: str = ""

    @property
    def source(self) -> str:
        """The video_id."""
        return self.video_id

    @property
    def start(self) -> float | None:
        """Second of the video at which the event starts."""
        return self.time_start

    @property
    def end(self) -> float | None:
        """Second of the video at which the event ends."""
        return self.time_end

    @property
    def label(self) -> str:
        """As in the text of the answer: "[event 12, kitchen, 00:12:31-00:12:44]"."""
        return f"[event {self.node_id}, {self.video_id}, {clock(self.time_start)}-{clock(self.time_end)}]"


@dataclass(frozen=True)
class TurnCitation:
    """Where an answer rests: a turn of a conversation. turn: its place in the session, from 0.

    valid_at: when it was said. It has the properties of Citation; Memory.cited returns the turn as an event.
    """

    node_id: int
    episode_id: str
    session_id: str
    turn: int
    turn_id: str
    actor: str
    valid_at: datetime | None

    @property
    def source(self) -> str:
        """The session_id."""
        return self.session_id

    @property
    def start(self) -> float | None:
        """None: a turn is in no video."""
        return None

    @property
    def end(self) -> float | None:
        """None: a turn is in no video."""
        return None

    @property
    def spoken_in(self) -> str:
        """The session and the speaker: "session_2, Anna". Brackets become round, as they would end the label."""
        whose = ", ".join(part for part in (self.session_id, self.actor) if part)
        return whose.replace("[", "(").replace("]", ")")

    @property
    def label(self) -> str:
        """As in the text of the answer: "[turn 4, session_2, Anna]"."""
        return f"[turn {self.turn}, {self.spoken_in}]"


def citation(event: Event, speaker: str = "") -> Citation | TurnCitation:
    """The citation of an event, or of a turn. speaker: of the quoted line of an event's dialogue."""
    if turn := event.turn:
        place = (turn.episode_id, turn.session_id, turn.number, turn.turn_id, turn.actor)
        return TurnCitation(event.node_id, *place, event.at)
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end, speaker)


@dataclass(frozen=True)
class Answer:
    """An answer, its citations and its evidence. `found` is False where memory does not state what is asked.

    evidence: what was found, best first, the cited events among it; where `found` is False, the nearest there is.
    notes: a line for each thing that went otherwise than asked, such as a model that failed or a citation that was
    removed.
    """

    question: Question
    text: str
    found: bool
    evidence: tuple[Hit, ...] = ()
    citations: tuple[Citation | TurnCitation, ...] = ()
    notes: tuple[str, ...] = ()
    trace: Trace | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A later turn, `new`, replaced what an earlier one, `old`, states. Both are node_ids as recall has them.

    at: since when what `new` states holds. whole: whether everything that the turn `old` states was replaced.
    inferred: from the values that both state; no fact says so.
    """

    old: int
    new: int
    at: datetime
    whole: bool
    inferred: bool = False

    @property
    def is_correction(self) -> bool:
        """Whether `new` gives another value for what `old` states without naming it, as "No, I meant Friday" does."""
        return self.whole and self.inferred


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
