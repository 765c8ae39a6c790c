"""Read-only views of what the graph holds: the rows that Memory returns for people to look at.

Times named time_start, time_end, t_start, t_end are seconds of the video. Wall clocks are in the time zone of their
recording, those of counts in the one whose days questions mean; other datetimes have any UTC offset. None means
unknown. The order of the fields is the order in the JSON output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NotRequired

# Before Python 3.12, pydantic accepts only the TypedDict of typing_extensions.
from typing_extensions import TypedDict

from amr_neo4j.domain.prompt_injection import suspected_in_event
from amr_neo4j.domain.recall import Moment

AnalyticsRow = dict[str, object]
"""A row of a query in cypher/analytics/. Its columns are those of the query."""


class ActionView(TypedDict):
    """An action as stored, in the analyser's words.

    time: second of the video, if not the start of its event.
    """

    actor: str
    verb: str
    object: str
    spatial_relation: str
    time: NotRequired[float]


@dataclass(frozen=True, kw_only=True)
class ParticipantView:
    """A person's part in an event. person: its person_id; role: actor, speaker or mentioned."""

    person: str
    role: str


@dataclass(frozen=True, kw_only=True)
class UseView:
    """What happened to an object in an event. verb is None if the object was merely present.

    confidence: 0 to 1, that the object is one of this name; None if the analysis does not say.
    """

    spatial_description: str | None
    verb: str | None
    from_state: str | None
    spatial_relation: str | None
    actor: str | None
    object: str
    to_state: str | None
    confidence: float | None


class BoxView(TypedDict):
    """Where a participant of an event is seen at one moment; see SeenBox in domain/analysis.py."""

    name: str
    time: float
    left: float
    top: float
    right: float
    bottom: float
    confidence: NotRequired[float]


@dataclass(frozen=True, kw_only=True)
class EdgeView:
    """An edge between two events; src comes before dst.

    time_gap: seconds.
    subject: the person, object or sound.
    """

    subject: str | None
    dst: int
    src: int
    time_gap: float | None
    channel: str


@dataclass(frozen=True, kw_only=True)
class EventView:
    """An event with its persons, uses and edges, or an event that was merged into another.

    clip_ids: the clips it was seen in.
    at: wall clock of time_start.
    heard: it is only a sound.
    derived: its actors, objects and actions were read from the summary.
    made_of: node_ids of events that were merged into it.
    merged_into: the node_id of the event that it was merged into, if any.
    text_embedding: only if it was asked for.
    """

    node_id: int
    group_id: str
    video_id: str
    clip_ids: tuple[str, ...]
    ordinal: int
    time_start: float
    time_end: float
    summary_text: str
    dialogue_snippets: tuple[str, ...]
    persons: tuple[str, ...]
    objects: tuple[str, ...]
    spatial_descriptions: tuple[str, ...]
    scene_type: str | None
    actions: tuple[ActionView, ...]
    heard: bool
    derived: bool
    at: datetime | None
    uri: str | None
    made_of: tuple[int, ...]
    merged_into: tuple[int, ...]
    people: tuple[ParticipantView, ...]
    uses: tuple[UseView, ...]
    boxes: tuple[BoxView, ...]
    edges: tuple[EdgeView, ...]
    text_embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ClipEvent:
    """An event of a clip or video.

    dialogue_snippets: what is said in it, "speaker: words".
    at: wall clock of time_start.
    """

    summary_text: str
    dialogue_snippets: tuple[str, ...] = ()
    time_end: float
    time_start: float
    at: datetime | None = None
    node_id: int

    @property
    def suspected_injection(self) -> bool:
        """Whether its words read like an instruction to a language model."""
        return suspected_in_event(self.summary_text, self.dialogue_snippets)


@dataclass(frozen=True, kw_only=True)
class ClipView:
    """The receipt of a clip: status (committed, failed, skipped), analyser, usage of the model, and events.

    attempts, failed_at, error, raw_reply: set if the clip could not be analysed.
    cost_usd: US dollars, without the `unpriced` calls.
    characters, speaker_turns: as the analysis has them.
    """

    video_id: str
    clip_id: str
    t_start: float
    t_end: float
    status: str
    analyser: str | None
    model: str | None
    clip_summary: str | None
    scene_type: str | None
    notes: tuple[str, ...] | None
    committed_at: datetime | None
    content_sha256: str | None
    uri: str | None
    attempts: int | None
    failed_at: datetime | None
    error: str | None
    raw_reply: str | None
    calls: int | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    unpriced: int | None
    events: tuple[ClipEvent, ...]
    characters: tuple[Mapping[str, Any], ...] = ()
    speaker_turns: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class SceneView:
    """Some minutes of a video. Times in seconds of the video.

    summary_text: the captions that say most about it; if `told_by` names a model, what that says of it.
    topics: the words that most of its events have.
    persons: the ids of those who act or speak.
    """

    t_start: float
    t_end: float
    summary_text: str
    told_by: str
    topics: tuple[str, ...]
    persons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class VideoView:
    """A video with its counts.

    recorded_at: wall clock of second 0.
    seen_until: end of the last committed clip, in seconds.
    clips: committed clips.
    failed: clips that could not be analysed so far.
    timeline: a page of its events in order; empty in a list of videos.
    scenes: those that the page shows a part of; none with known_at.
    next: the cursor of the next page of them; None on the last one.
    """

    video_id: str
    uri: str | None
    duration_s: float | None
    fps: float | None
    width: int | None
    height: int | None
    recorded_at: datetime | None
    place: str | None
    clips: int
    failed: int
    events: int
    seen_until: float
    timeline: tuple[ClipEvent, ...] = ()
    next: str | None = None
    scenes: tuple[SceneView, ...] = ()


@dataclass(frozen=True)
class Said:
    """Words of a film. speaker: empty if unknown. Times in seconds of the film."""

    speaker: str
    utterance: str
    time_start: float
    time_end: float


@dataclass(frozen=True, kw_only=True)
class PersonEvent:
    """An event that a person takes part in. at: wall clock of time_start."""

    summary_text: str
    roles: tuple[str, ...]
    time_end: float
    time_start: float
    at: datetime | None
    video_id: str
    node_id: int


@dataclass(frozen=True, kw_only=True)
class PersonView:
    """A person with their events in order of time.

    scope: empty for a person of the group; the video_id for one known by a descriptor.
    also: the ids that were merged into this one.
    times: in how many events the person is; `events` may hold fewer.
    """

    person_id: str
    scope: str
    also: tuple[str, ...]
    times: int
    events: tuple[PersonEvent, ...]


@dataclass(frozen=True)
class Then:
    """The moment as of which a look-up is made; now if both are None.

    as_of: seconds of a video, or a wall clock time.
    known_at: only what memory had learnt by then.
    """

    as_of: Moment | None = None
    known_at: datetime | None = None


NOW = Then()
CountedBy = Literal["person", "object", "place", "day"]


@dataclass(frozen=True, kw_only=True)
class Count:
    """How often a person, an object, a place or a day is in memory.

    name: an id, or a date as in ISO 8601.
    events, videos: in how many.
    first_at, last_at: the wall clock of the first and the last of these events; None if unknown.
    """

    name: str
    events: int
    videos: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class KnownPerson:
    """A known person with counts.

    scope, also: as in PersonView.
    name: the person's name as it was first written.
    last_event, last_video, last_time, last_at: the person's latest event by wall clock. If none has one, the event
        that was taken in last. last_time is in seconds of the video.
    """

    person_id: str
    scope: str
    name: str | None
    also: tuple[str, ...]
    events: int
    videos: int
    last_event: int | None
    last_video: str | None
    last_time: float | None
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class KnownObject:
    """A known object with counts.

    words: the object's name as it was last written.
    state: the last one that an action left it in.
    last_event, last_video, last_time, last_at: as in KnownPerson.
    """

    name: str
    place: str
    words: str | None
    events: int
    videos: int
    state: str | None
    last_event: int | None
    last_video: str | None
    last_time: float | None
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ObjectEvent:
    """One use of an object.

    to_state: the state that the use leaves the object in.
    at: wall clock of time_start.
    """

    verb: str | None
    summary_text: str
    time_end: float
    time_start: float
    at: datetime | None
    video_id: str
    to_state: str | None
    node_id: int


@dataclass(frozen=True, kw_only=True)
class ObjectView:
    """An object of a place with its uses in order of time.

    times: how many uses there are; `events` may hold fewer.
    """

    name: str
    place: str
    times: int
    events: tuple[ObjectEvent, ...]


@dataclass(frozen=True, kw_only=True)
class LifecycleStep:
    """What happened to an object at one moment: who did what, the state before and after, and where it was."""

    place: str
    video_id: str
    time_start: float
    time_end: float
    at: datetime | None
    verb: str | None
    actor: str | None
    from_state: str | None
    to_state: str | None
    state_kind: str | None
    spatial_relation: str | None
    spatial_description: str | None
    node_id: int
    summary_text: str


@dataclass(frozen=True, kw_only=True)
class GroupView:
    """A group of the database.

    turns: how many turns all users have.
    facts: how many facts are believed.
    """

    group_id: str
    videos: int
    events: int
    users: int
    turns: int
    facts: int


@dataclass(frozen=True, kw_only=True)
class SessionView:
    """A conversation of a user.

    first_said, last_said: times of its turns.
    created_at: when memory learnt of it.
    """

    session_id: str
    turns: int
    actors: tuple[str, ...]
    first_said: datetime | None
    last_said: datetime | None
    created_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class HourlyUsage:
    """Tokens and US dollars that models took for an hour of video."""

    tokens_in: float
    tokens_out: float
    cost_usd: float


@dataclass(frozen=True, kw_only=True)
class ModelUsage:
    """What the clips of one analyser and model took to analyse.

    clips: number of committed clips.
    video_seconds: their length.
    cost_usd: US dollars, without the `unpriced` calls.
    per_hour: None before any video was analysed.
    """

    analyser: str | None
    model: str | None
    clips: int
    failed: int
    skipped: int
    video_seconds: float
    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float
    unpriced: int
    per_hour: HourlyUsage | None


@dataclass(frozen=True, kw_only=True)
class Stats:
    """How much a group holds.

    merged: events that were merged into others.
    sessions, turns, facts: those of all users. Only believed facts count.
    channels: {channel: number of edges}.
    failed: clips that could not be analysed.
    skipped: clips that were given up.
    """

    videos: int
    clips: int
    events: int
    merged: int
    persons: int
    objects: int
    sessions: int
    turns: int
    facts: int
    channels: Mapping[str, int]
    failed: int
    skipped: int
    models: tuple[ModelUsage, ...]
