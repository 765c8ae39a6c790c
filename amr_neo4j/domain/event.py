"""Events: the nodes of the graph (AdaptiveEventNode of specification 000 I.3.1) and what hangs on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.video import AnalysedClip

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import SeenBox

# Actors that stand for a chat model: the role of OpenAI's format, and what other formats call it.
ASSISTANTS = frozenset({"assistant", "ai", "model", "bot"})
# What a turn of a conversation counts for beside events that last seconds.
TURN_SEC = 10.0

Role = Literal["actor", "speaker", "mentioned"]
# How the speaker of a voice is known: by an external id, by name, by the analyser's statement, or because one voice
# was heard while one person was seen speaking.
Evidence = Literal["identity", "name", "stated", "overlap", "alone"]


class Channel(StrEnum):
    """The four edge types between events."""

    TEMPORAL = "TEMPORAL"
    ENTITY_JUMP = "ENTITY_JUMP"
    OBJECT_LIFECYCLE = "OBJECT_LIFECYCLE"
    CROSS_MODAL = "CROSS_MODAL"


@dataclass(frozen=True)
class Action:
    """Who did what to which thing, in the analyser's words; actor resolved to a person id where one is known.

    time: second of the video from which on it was seen, where that is not the start of its event.
    """

    actor: str
    verb: str
    object: str
    spatial_relation: str = ""
    time: float | None = None


@dataclass(frozen=True)
class Involvement:
    """A person's part in an event. scope: empty for the group's people, the video_id for a descriptor.

    evidence, confidence (0 to 1): of one who is heard, how and how surely it is known who that is.
    """

    person_id: str
    role: Role
    scope: str = ""
    name: str = ""
    evidence: Evidence | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class Use:
    """What happened to one object in one event; verb is None where the object was merely present.

    name: the object's identity within its place (lower case, singular).
    from_state, to_state: by the verb table; None where the verb changes nothing. state_kind: the dimension of state
    it touches ("place", "open" ...): a fridge can be open and in its place.
    moves: to_place (spatial_relation names the new place), to_actor, to_other, or None where it stays.
    time: as of Action. words: the object as the analysis writes it. confidence: 0 to 1, that it is one.
    """

    seq: int
    name: str
    verb: str | None = None
    actor: str = ""
    from_state: str | None = None
    to_state: str | None = None
    state_kind: str | None = None
    moves: str | None = None
    spatial_relation: str = ""
    spatial_description: str = ""
    time: float | None = None
    words: str = field(default="", compare=False)
    confidence: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Cue:
    """Words that somebody said, in seconds of the video; an event that carries them may last longer."""

    words: str
    time_start: float
    time_end: float


@dataclass(frozen=True)
class EventDraft:
    """An event as composed from one clip, before the graph gives it its node_id.

    ordinal: its place among the clip's events. time_start, time_end: seconds of the video.
    at: UTC of time_start where the video knows its wall clock.
    persons, objects: words as seen; identity is in involvements and uses. heard: a sound, and nothing seen.
    derived: actors, objects and actions were read from the summary.
    spatial_descriptions: "thing: where it is", of the objects whose place the analysis states.
    boxes: where those it is about are seen, at seconds of the video.
    """

    ordinal: int
    time_start: float
    time_end: float
    summary_text: str
    dialogue_snippets: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    scene_type: str = ""
    actions: tuple[Action, ...] = ()
    at: datetime | None = None
    involvements: tuple[Involvement, ...] = ()
    uses: tuple[Use, ...] = ()
    heard: bool = False
    derived: bool = False
    spatial_descriptions: tuple[str, ...] = ()
    boxes: tuple[SeenBox, ...] = ()


@dataclass(frozen=True)
class ComposedClip:
    """A clip on its way to the graph, with its events in order."""

    source: AnalysedClip
    events: tuple[EventDraft, ...]

    def also_used(self, usage: Usage, *notes: str) -> ComposedClip:
        """The same, with the usage of further model calls, and notes on them."""
        source = replace(self.source, usage=self.source.usage + usage, notes=(*self.source.notes, *notes))
        return replace(self, source=source)


@dataclass(frozen=True, eq=False)
class RecentEvent:
    """One of a video's latest events, as the graph has it. vector: shape (dim,)."""

    node_id: int
    clip_ids: tuple[str, ...]
    event: EventDraft
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Recent:
    """A video's latest events in order, and the node_id of the one that was written last; None before the first."""

    last_node_id: int | None
    events: tuple[RecentEvent, ...]


@dataclass(frozen=True, eq=False)
class MergedEvent:
    """An event that replaces the events it was merged from.

    event: with an ordinal behind those of the clip that completes it. clip_ids: of all it is made of.
    node_ids: what it takes the place of in the graph; ordinals: of that clip's own events. vector: shape (dim,).
    """

    event: EventDraft
    clip_ids: tuple[str, ...]
    node_ids: tuple[int, ...]
    ordinals: tuple[int, ...]
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Turn:
    """Which turn of a conversation. number: its place in its session, from 0; turn_id: what its source calls it."""

    episode_id: str
    session_id: str
    number: int
    turn_id: str
    actor: str

    @property
    def by_assistant(self) -> bool:
        """Whether a chat model said it, by its role's name."""
        return self.actor.casefold() in ASSISTANTS


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it stands in the graph. place: where its objects live; empty until an answer needs it.

    spatial_descriptions: "thing: where it is", as in EventDraft; derived too.

    A turn of a conversation goes through recall as an event does: turn says which, video_id is its session, and its
    node_id is `said_id` of its number, so that both kinds stand in one list.
    """

    node_id: int
    group_id: str
    video_id: str
    clip_ids: tuple[str, ...]
    ordinal: int
    time_start: float
    time_end: float
    summary_text: str
    dialogue_snippets: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    scene_type: str = ""
    actions: tuple[Action, ...] = ()
    at: datetime | None = None
    uri: str = ""
    heard: bool = False
    place: str = ""
    turn: Turn | None = None
    spatial_descriptions: tuple[str, ...] = ()
    derived: bool = False

    @property
    def is_taken_apart(self) -> bool:
        """Whether its source lists actions. Otherwise there is only the summary or the words."""
        return bool(self.actions) and not self.derived

    @property
    def rhythm(self) -> tuple[float, float]:
        """Start and end in seconds, to compare neighbours; of a turn by its number, since conversations pause."""
        if self.turn is None:
            return self.time_start, self.time_end
        return self.turn.number * TURN_SEC, (self.turn.number + 1) * TURN_SEC

    def __hash__(self) -> int:
        """The hash of the node_id: hashing all fields takes longer than most look-ups."""
        return hash(self.node_id)


def said_id(vector_id: int) -> int:
    """The node_id, in recall, of the turn with this number: below 0, where no event's is. Its own inverse."""
    return -1 - vector_id


@dataclass(frozen=True)
class Edge:
    """One step between two events over a channel, as stored (src happened first).

    payload: what links them, where it has that: person, object, verb, subject.
    """

    src: int
    dst: int
    channel: Channel
    payload: dict[str, Any]
