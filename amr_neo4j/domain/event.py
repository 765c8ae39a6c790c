"""Events: the nodes of the graph (AdaptiveEventNode of specification 000 I.3.1), and their parts and edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.prompt_injection import suspected_in_event
from amr_neo4j.domain.speakers import is_program
from amr_neo4j.domain.video import AnalysedClip

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import SeenBox

# A turn of a conversation counts as this many seconds, so that it can be compared with events.
TURN_SEC = 10.0
# The local analyser reports somebody who stays again after this long. Longer silence says that they may have gone.
STAY_REPORT_SEC = 60.0

Role = Literal["actor", "speaker", "mentioned"]
# How it is known whose voice is heard. identity: by an external id. name: by the analyser's word for the speaker.
# stated: the analyser says whose it is. overlap: one voice while one speaking person is seen. alone: the only voice
# of a clip with one speaker, who is not seen in the meantime. in_view: the only person in view, who may be silent.
# How a name is said that is only heard. addressed: to its bearer ("Ana, look!"). told: about them ("Ana has moved").
Evidence = Literal["identity", "name", "stated", "overlap", "in_view", "alone", "addressed", "told"]


class Channel(StrEnum):
    """The types of edges between events."""

    TEMPORAL = "TEMPORAL"
    ENTITY_JUMP = "ENTITY_JUMP"
    OBJECT_LIFECYCLE = "OBJECT_LIFECYCLE"
    CROSS_MODAL = "CROSS_MODAL"


@dataclass(frozen=True)
class Action:
    """Who did what to which object, in the analyser's words. A known actor is replaced by the person_id.

    time: the second of the video at which it was first seen, if that is not the start of the event.
    """

    actor: str
    verb: str
    object: str
    spatial_relation: str = ""
    time: float | None = None


@dataclass(frozen=True)
class Involvement:
    """A person's part in an event.

    scope: empty for people of the group; the video_id for a person known only by a descriptor.
    evidence: how somebody who is only heard, or named only in talk, is known. None if the analysis lists them, or if
        they are seen or a caption names them.
    confidence: how surely a voice is theirs, 0 to 1.
    """

    person_id: str
    role: Role
    scope: str = ""
    name: str = ""
    evidence: Evidence | None = None
    confidence: float | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """(scope, person_id), as the analysis gave it."""
        return self.scope, self.person_id

    @property
    def certainty(self) -> tuple[float, bool, bool]:
        """Orders the involvements of one person in one role, the surest last."""
        return self.confidence or 0.0, self.evidence is None, self.evidence == "addressed"


@dataclass(frozen=True)
class Use:
    """What happened to one object in one event. verb is None if the object was merely present.

    name: the object's name within its place, lower case and singular.
    from_state, to_state: from the verb table; None if the verb changes nothing.
    state_kind: the kind of state that changes ("place", "open" ...). Kinds are independent: a fridge can be open and
        in its place.
    moves: where the object goes: to_place (spatial_relation names the new place), to_actor, to_other; None if it
        stays.
    time: as in Action.
    words: the object as the analysis writes it.
    confidence: how sure it is, from 0 to 1, that the object is one of this name.
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
    # Not compared: two uses are equal whatever words they were found in.
    words: str = field(default="", compare=False)
    confidence: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Cue:
    """Words that somebody said, with their own times in seconds of the video.

    The event they belong to may be longer.
    """

    words: str
    time_start: float
    time_end: float


@dataclass(frozen=True)
class EventContent:
    """What happened in an event, as the graph stores it.

    ordinal: its position among the clip's events, from 0.
    time_start, time_end: seconds of the video.
    persons, objects: the words of the analysis.
    at: UTC of time_start, if the wall clock of the video is known.
    heard: the event is only a sound; nothing of it is seen.
    derived: actors, objects and actions were read from the summary.
    spatial_descriptions: "object: where it is", for objects whose position the analysis states.
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
    _: KW_ONLY
    heard: bool = False
    derived: bool = False
    spatial_descriptions: tuple[str, ...] = ()


TEXT_LISTS = tuple(each.name for each in fields(EventContent) if each.type == "tuple[str, ...]")
"""The properties of an event that are lists of texts."""
PLAIN_VALUES = tuple(each.name for each in fields(EventContent) if each.type in ("int", "float", "str", "bool"))
"""The properties of an event that are a number, a text or a flag. The graph stores them as they are."""


@dataclass(frozen=True)
class EventDraft(EventContent):
    """An event made from one clip, before the graph gives it a node_id.

    involvements, uses: the identities of its persons and objects.
    boxes: where participants are seen, with times in seconds of the video.
    """

    involvements: tuple[Involvement, ...] = ()
    uses: tuple[Use, ...] = ()
    boxes: tuple[SeenBox, ...] = ()


@dataclass(frozen=True)
class ComposedClip:
    """A clip that is ready to be committed, with its events in order."""

    source: AnalysedClip
    events: tuple[EventDraft, ...]

    def also_used(self, usage: Usage, *notes: str) -> ComposedClip:
        """Return the clip with the usage of further model calls added, and with notes on them."""
        source = replace(self.source, usage=self.source.usage + usage, notes=(*self.source.notes, *notes))
        return replace(self, source=source)


@dataclass(frozen=True, eq=False)
class RecentEvent:
    """One of the latest events of a video, as stored. vector: shape (dim,)."""

    node_id: int
    clip_ids: tuple[str, ...]
    event: EventDraft
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Recent:
    """The latest events of a video, in order.

    last_node_id: the node_id of the event that was written last; None before the first.
    """

    last_node_id: int | None
    events: tuple[RecentEvent, ...]


@dataclass(frozen=True, eq=False)
class MergedEvent:
    """An event that replaces the events it was merged from.

    event: the merged event. Its ordinal follows those of the latest clip whose events it was made of.
    clip_ids: all clips that it was made of.
    node_ids: the stored events that it replaces.
    ordinals: the events of the current clip that it replaces.
    vector: shape (dim,).
    """

    event: EventDraft
    clip_ids: tuple[str, ...]
    node_ids: tuple[int, ...]
    ordinals: tuple[int, ...]
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation.

    number: its position in the session, from 0.
    turn_id: the id that the source gives it.
    continues: it is the second half of the turn before. Each half has the text of both.
    """

    episode_id: str
    session_id: str
    number: int
    turn_id: str
    actor: str
    continues: bool = False

    @property
    def by_assistant(self) -> bool:
        """Whether a program said it, judged by the actor's name: an assistant, a tool, the system."""
        return is_program(self.actor)


@dataclass(frozen=True)
class EventIdentity:
    """Which stored event it is. clip_ids: the clips that it was made from."""

    node_id: int
    group_id: str
    video_id: str
    clip_ids: tuple[str, ...]


# Dataclasses order the fields of their bases from last to first: an event's ids come before its content.
@dataclass(frozen=True)
class Event(EventContent, EventIdentity):
    """An event as stored in the graph.

    place: the place of its objects; empty until an answer needs it.
    turn: set if this is a turn of a conversation. Recall treats turns as events: video_id is the session then, and
        node_id is `said_id` of the turn's vector_id, so that events and turns can share a list.
    """

    _: KW_ONLY
    uri: str = ""
    place: str = ""
    turn: Turn | None = None

    @property
    def lists_actions(self) -> bool:
        """Whether the source listed the actions. If not, only the summary or the words tell what was done."""
        return bool(self.actions) and not self.derived

    @property
    def suspected_injection(self) -> bool:
        """Whether its words read like an instruction to a language model."""
        return suspected_in_event(self.summary_text, self.dialogue_snippets, self.turn.actor if self.turn else "")

    @property
    def rhythm(self) -> tuple[float, float]:
        """(start, end) in seconds, to compare neighbours.

        A turn's values come from its number, because the pauses in a conversation say nothing.
        """
        if self.turn is None:
            return self.time_start, self.time_end
        return self.turn.number * TURN_SEC, (self.turn.number + 1) * TURN_SEC

    @property
    def has_words(self) -> bool:
        """Whether it is a turn, or somebody speaks in it."""
        return bool(self.turn or self.dialogue_snippets)

    @property
    def is_only_talk(self) -> bool:
        """Whether it is talk of a film alone: its summary quotes it."""
        return any(speaker_and_words(line)[1] in self.summary_text for line in self.dialogue_snippets)

    def __hash__(self) -> int:
        """Hash only the node_id. Hashing all fields would take longer than most look-ups."""
        return hash(self.node_id)


def repeated_halves(events: Iterable[Event]) -> set[int]:
    """Return the node_ids of second halves whose first half is also in `events`; that one has the words of both.

    Example: "My name is" and "Tobias." are two halves, as voice cuts them. If both are here, the second is repeated.
    """
    seen, repeated = set[tuple[str, str, int]](), set[int]()
    for event in events:
        if turn := event.turn:
            first = (event.group_id, turn.session_id, turn.number - turn.continues)
            if first in seen:
                repeated.add(event.node_id)
            seen.add(first)
    return repeated


def speaker_and_words(line: str) -> tuple[str, str]:
    """Split a line "speaker: words" into (speaker, words). The speaker is empty if the line names none."""
    speaker, colon, words = line.partition(": ")
    return (speaker, words) if colon else ("", line)


def lines_beside(summary: str, lines: Iterable[str]) -> list[str]:
    """Return the lines "speaker: words" whose words the summary of their event does not quote."""
    return [line for line in lines if speaker_and_words(line)[1] not in summary]


def said_id(vector_id: int) -> int:
    """Return the negative node_id that recall gives the turn with this vector_id, and the other way round.

    Events have node_ids from 0 on, so the two never collide.
    """
    # Recall treats turns as events, so that both stand in one ranking (decision 0053).
    return -1 - vector_id


@dataclass(frozen=True)
class Edge:
    """An edge between two events, as stored. src happened first.

    payload: what connects them, depending on the channel: person, object, verb or subject.
    """

    src: int
    dst: int
    channel: Channel
    payload: dict[str, Any]
