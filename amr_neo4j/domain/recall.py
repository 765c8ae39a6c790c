"""Questions, search hits, and answers with their citations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain
from math import isfinite
from typing import Literal

from amr_neo4j.domain.citation_form import event_label, short_event_label, turn_label
from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.prompt_injection import suspected_injection

# How a page of hits is sorted: best first, earliest first, latest first.
SearchOrder = Literal["fit", "time", "latest"]


class QuestionType(StrEnum):
    """The type of a question. It decides which channels are walked first (specification 000 II.1)."""

    OBJECT_TRACKING = "Object_Tracking"
    PERSON_UNDERSTANDING = "Person_Understanding"
    TEMPORAL_MULTIHOP = "Temporal_Multihop"
    CROSS_MODAL = "Cross_Modal"
    GENERAL = "General"


# A point in time: seconds of the video, or wall clock.
Moment = float | datetime


@dataclass(frozen=True)
class Scope:
    """The part of the graph that a read may see. Every read takes one. Without videos or persons it is everything.

    Naming only videos excludes conversations, and naming only sessions excludes videos. Times in seconds of a video
    exclude conversations. Wall clock times exclude videos whose wall clock is unknown.

    user_id: whose conversations are read; empty for none.
    session_ids: only these conversations; empty for all of the user.
    persons: person_ids. An event must involve at least one of them.
    since, until: only events that overlap this span.
    ranges: only events that overlap one of these ranges of the wall clock, in order; empty for any time.
    as_of: only what had ended by then.
    known_at: only what memory had learnt by then.
    Raises ValueError: no group; sessions without a user; a time that is not finite or has no timezone; a span that
    ends before it starts.
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
    ranges: tuple[tuple[datetime, datetime], ...] = ()

    def __post_init__(self) -> None:
        if not self.group_id:
            raise ValueError("a scope needs a group")
        if self.session_ids and not self.user_id:
            raise ValueError("a scope that names sessions needs a user")
        for moment in (self.since, self.until, self.as_of, self.known_at, *chain(*self.ranges)):
            _refuse_nonsense(moment)
        for since, until in ((self.since, self.until), *self.ranges):
            if _is_after(since, until):
                raise ValueError(f"a span from {since} to {until} ends before it starts")

    @property
    def epoch_ranges(self) -> list[list[float]]:
        """The ranges in seconds since 1970."""
        return [[since.timestamp(), until.timestamp()] for since, until in self.ranges]

    @property
    def has_videos(self) -> bool:
        """Whether the scope can contain events of videos."""
        return bool(self.video_ids or not self.session_ids)

    @property
    def has_turns(self) -> bool:
        """Whether the scope can contain turns of conversations."""
        # Seconds of a video say nothing about when a turn was said.
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
    # Seconds of a video and a wall clock time cannot be compared, so neither is after the other.
    if isinstance(one, datetime):
        return isinstance(other, datetime) and one > other
    return one is not None and other is not None and not isinstance(other, datetime) and one > other


@dataclass(frozen=True)
class Margin:
    """How much is read around an event. turns: how many turns before and after a turn of a conversation."""

    before_s: float
    after_s: float
    turns: int


def owner(group_id: str, user_id: str) -> str:
    """Return a key for a user of a group. Two users never share one."""
    return json.dumps([group_id, user_id])


@dataclass(frozen=True)
class Question:
    """A question with its type and the names in it. Objects are lower case and singular, as in their keys."""

    text: str
    type: QuestionType
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Path:
    """The walk from an anchor to an event: node_ids from the anchor on, and one edge a step.

    score: the score of the last step.
    scores: of the anchor and of each step; empty if nothing was walked.
    """

    node_ids: tuple[int, ...]
    channels: tuple[Channel, ...]
    score: float
    edges: tuple[Edge, ...] = ()
    scores: tuple[float, ...] = ()


@dataclass(frozen=True)
class Hit:
    """An event that a search or a question found.

    score: 0 to 1, how well it matches compared with the other candidates of the same question. It is no probability,
        and cannot be compared between questions.
    ranks: {retriever: rank}, from 1.
    trail: the path in words.
    scores: the parts of the score: fused (from the rankings), cosine, reach (of the anchor that its path starts at),
        judge (0 to 1, a model's score of its group, if a model judges).
    line: the line of dialogue that it was found by, with its speaker; empty if its summary says as much.
    repeats: node_ids of the events right after it that say the same, which a search in order of time leaves out.
    """

    event: Event
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict[str, int])
    path: Path | None = None
    trail: str = ""
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    line: str = ""
    repeats: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The summary of the event, and its line."""
        return f'{self.event.summary_text} "{self.line}"' if self.line else self.event.summary_text


@dataclass(frozen=True)
class Trace:
    """How recall went.

    stages: {name: seconds}, in order.
    stopped: why the walk ended.
    frontiers: how many events each hop kept, starting with the anchors.
    """

    stages: Mapping[str, float]
    stopped: str = ""
    frontiers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Citation:
    """The seconds of a video that an answer rests on. If words are quoted, these are the seconds of the words.

    Citation and TurnCitation share node_id, source, start, end and label. Memory.cited returns the event.

    speaker: who says the quoted words.
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

    # Its form is also read back from models: domain/citation_form.py.
    @property
    def label(self) -> str:
        """The citation in the text of an answer: "[event 12, kitchen, 00:12:31-00:12:44]"."""
        return event_label(self.node_id, self.video_id, self.time_start, self.time_end)

    @property
    def short_label(self) -> str:
        """How text for a model names it, under a heading with the video and the time: "[event 12]"."""
        return short_event_label(self.node_id)


@dataclass(frozen=True)
class TurnCitation:
    """The turn of a conversation that an answer rests on.

    Citation and TurnCitation share node_id, source, start, end and label. Memory.cited returns the turn as an event.

    turn: its position in the session, from 0.
    valid_at: when it was said.
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
        """None: a turn has no place in a video."""
        return None

    @property
    def end(self) -> float | None:
        """None: a turn has no place in a video."""
        return None

    @property
    def spoken_in(self) -> str:
        """The session and the speaker: "session_2, Anna".

        Square brackets become round ones; "]" would end the label.
        """
        whose = ", ".join(part for part in (self.session_id, self.actor) if part)
        return whose.replace("[", "(").replace("]", ")")

    @property
    def label(self) -> str:
        """The citation in the text of an answer: "[turn 4, session_2, Anna]"."""
        return turn_label(self.turn, self.spoken_in)

    @property
    def short_label(self) -> str:
        """The same as `label`: without its session a turn's number names nothing."""
        return self.label


@dataclass(frozen=True)
class ContextLine:
    """A line of a MemoryContext. citation: the event or turn that it is about; None for a heading or a gap."""

    text: str
    citation: Citation | TurnCitation | None = None


@dataclass(frozen=True)
class MemoryContext:
    """What memory holds about a question, as text for a language model: `str(context)`.

    lines: the best hits and what is around the first of them, in order of time, under headings with the video or
        session and the day. "..." stands for a gap in time. `Memory.cited` returns the event of a line's citation.
    tokens: of the whole text, about.
    """

    lines: tuple[ContextLine, ...] = ()
    tokens: int = 0

    @property
    def citations(self) -> tuple[Citation | TurnCitation, ...]:
        """What the lines cite, in their order."""
        return tuple(line.citation for line in self.lines if line.citation)

    def __str__(self) -> str:
        return "\n".join(line.text for line in self.lines)


def citation(event: Event, speaker: str = "") -> Citation | TurnCitation:
    """Return the citation of an event or a turn.

    speaker: who speaks the quoted line, if dialogue of an event is quoted.
    """
    if turn := event.turn:
        place = (turn.episode_id, turn.session_id, turn.number, turn.turn_id, turn.actor)
        return TurnCitation(event.node_id, *place, event.at)
    return Citation(event.node_id, event.video_id, event.time_start, event.time_end, speaker)


@dataclass(frozen=True)
class Answer:
    """An answer with its citations and its evidence.

    found: False if memory does not state what is asked.
    confidence: the estimated probability, from 0 to 1, that the first cited event, or the closest one, supports it.
    evidence: hits, best first, including the cited events. If `found` is False, these are the closest hits.
    notes: a line for everything that went differently than asked, for example a model that failed or a citation that
        was removed.
    replaced: the older turn that the answer replaced, if any. The text names its moment and citation alone.
    answered_by: the model that worded the answer, as its provider names it; empty if rules did.
    stretch: what was seen and said around the events of films that it cites, in order of time, as `Memory.context`
        writes it.
    language: code of the language of the text. What analyses say is quoted in theirs.
    """

    question: Question
    text: str
    found: bool
    evidence: tuple[Hit, ...] = ()
    citations: tuple[Citation | TurnCitation, ...] = ()
    notes: tuple[str, ...] = ()
    # Not compared, because its seconds differ from run to run.
    trace: Trace | None = field(default=None, compare=False)
    replaced: Hit | None = None
    answered_by: str = ""
    confidence: float = 0.0
    stretch: MemoryContext = MemoryContext()
    language: str = "en"

    @property
    def shows_more_around(self) -> bool:
        """Whether `stretch` has more than the cited events."""
        cited = {each.node_id for each in self.citations}
        return any(each.node_id not in cited for each in self.stretch.citations)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A later turn, `new`, replaced what an earlier turn, `old`, states. Both are node_ids as recall uses them.

    at: since when the statement of `new` holds.
    whole: whether everything that `old` states was replaced.
    inferred: concluded from the values in both turns; no stored fact says so.
    """

    old: int
    new: int
    at: datetime
    whole: bool
    inferred: bool = False

    @property
    def is_correction(self) -> bool:
        """Whether `new` corrects a value of `old` without saying what it is about: "No, I meant Friday"."""
        return self.whole and self.inferred


@dataclass(frozen=True)
class OutdatedTurn:
    """A turn that states something that no longer holds.

    whole: whether this is so of everything that it states.
    over: what no longer holds, as sentences.
    """

    whole: bool
    over: tuple[str, ...]


SearchType = Literal["facts", "episodes", "both"]
RecalledKind = Literal["fact", "turn", "event"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A fact, a turn or an event that a search found.

    confidence: in [0, 1].
    timestamp: when a fact was last stated, a turn was said or an event happened; None if unknown.
    source: the turn or the seconds of video that it rests on; for a fact the latest one.
    score: in [0, 1], higher is better.
    triple, fact_id: of a fact; None and empty for turns and events.
    status: of a fact: "active", or "candidate" if it was said too weakly to be believed; empty for turns and events.
    replaces: the earlier turn of which a turn says the opposite, if any. That turn is not among the results.
    no_longer: what a turn states that was replaced or taken back since, as sentences: "You live in Porto".
    opposed: the ids of facts that contradict a fact, as long as nobody has decided between them.
    by_hand: whether a fact was corrected by hand and never said: its source states what was corrected.
    """

    kind: RecalledKind
    text: str
    confidence: float
    timestamp: datetime | None
    source: Citation | TurnCitation | None
    score: float = 0.0
    triple: Triple | None = None
    fact_id: str = ""
    status: str = ""
    replaces: TurnCitation | None = None
    no_longer: tuple[str, ...] = ()
    opposed: tuple[str, ...] = ()
    by_hand: bool = False

    @property
    def said_by(self) -> str:
        """The actor of a turn; empty for facts and events."""
        return self.source.actor if self.kind == "turn" and isinstance(self.source, TurnCitation) else ""

    @property
    def suspected_injection(self) -> bool:
        """Whether its words read like an instruction to a language model."""
        return suspected_injection(self.text, self.said_by)


def in_pages(found: Sequence[Recalled], size: int) -> list[Recalled]:
    """Return results in an order in which no page of this many parts the sides of an open contradiction.

    found: each side stands beside the others, as `with_opposed` puts them. Such a group moves before the results that
        would share its page, or stays if these are sides themselves. A size of 0 makes no pages: nothing moves.
    """
    result: list[Recalled] = []
    groups: list[int] = []  # the number of the group of each result
    for number, group in enumerate(_groups(found)):
        over = len(result) % size + len(group) - size if size else 0
        at = len(result) - (len(group) - over) if 0 < over < len(group) else len(result)
        if at < 0 or (0 < at < len(result) and groups[at - 1] == groups[at]):
            at = len(result)
        result[at:at], groups[at:at] = group, [number] * len(group)
    return result


def first_of(found: Sequence[Recalled], most: int) -> list[Recalled]:
    """Return the first results, at most this many, and of an open contradiction either all sides or none.

    One side alone would look like the truth.
    """
    kept: list[Recalled] = []
    for group in _groups(found):
        if len(kept) + len(group) <= most:
            kept += group
    return kept


def _groups(found: Sequence[Recalled]) -> list[list[Recalled]]:
    """Return the results, those side by side that contradict one another in a group."""
    groups: list[list[Recalled]] = []
    for each in found:
        if groups and any(each.fact_id in other.opposed for other in groups[-1]):
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


Held = frozenset[str | int]
"""Turns (episode_ids) and events (node_ids) whose words a conversation holds."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What passive recall found for the next prompt, best first."""

    facts: tuple[Recalled, ...] = ()
    episodes: tuple[Recalled, ...] = ()

    @property
    def held(self) -> Held:
        """The turns and events in it."""
        return frozenset(map(_held, self.episodes))

    def without(self, gone: Held) -> Streamed:
        """Return this without some turns and events."""
        return Streamed(self.facts, tuple(e for e in self.episodes if _held(e) not in gone))


def _held(episode: Recalled) -> str | int:
    if isinstance(episode.source, TurnCitation):
        return episode.source.episode_id
    return episode.source.node_id if episode.source else ""
