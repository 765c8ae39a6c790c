"""What an analyser states about one clip. The schema of specification 000 I.2.2, checked on input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    model_validator,
)

from amr_neo4j.domain.episode import LONGEST_NAME, named
from amr_neo4j.domain.timestamps import storable, time_zone
from amr_neo4j.domain.tracked import TrackedItem

# strict: a number in place of a text is a mistake of the analyser. It is refused, not turned into text.
Text = Annotated[str, Field(strict=True)]
Label = Annotated[str, Field(strict=True, min_length=1, pattern=r"\S")]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=LONGEST_NAME)]
NameOrNone = Annotated[str, Field(strict=True, max_length=LONGEST_NAME)]
# Not filled in by the model that watches. readOnly leaves it out of the schema that the model gets.
NotAsked = Annotated[NameOrNone, Field(json_schema_extra={"readOnly": True})]


def _no_truth(given: Any) -> Any:
    """Refuse True and False. Python would accept them as 1.0 and 0.0."""
    if isinstance(given, bool):
        raise ValueError("true and false are no seconds")  # noqa: TRY004 - pydantic takes no TypeError
    return given


Seconds = Annotated[FiniteFloat, Field(ge=0, le=1e9), BeforeValidator(_no_truth)]
# A time inside an analysis. One outside its clip is clamped later; only absurd values are refused here.
Moment = Annotated[FiniteFloat, Field(ge=-1e9, le=1e9), BeforeValidator(_no_truth)]
YEARS = range(1800, 9001)
"""The years in which a video can have been recorded."""
# A clip is written whole or not at all, so it must fit into one transaction of a small server.
MOST_EVENTS = 5000
# An event has at most this many boxes: one for each participant, at a few moments.
MOST_BOXES = 100
LONGEST_LINE = 4 * 2**20
"""The longest line of JSON lines that is accepted, in bytes."""


class _Strict(BaseModel):
    """Frozen, and loud about keys it does not know: a misspelt key is lost data."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Character(_Strict):
    """Someone in the clip, under an id that means something within this analysis only.

    person_id: for a description, a short id that means the same person in the whole video; made of the description
        where it is empty.
    speaker_id: whose voice is theirs, as the speaker turns call it.
    identity: who a tracker of faces says it is, the same in every clip and video of the group.
    """

    local_character_id: Name
    role: Text = "other"
    name_or_description: Name
    person_id: NotAsked = ""
    speaker_id: NameOrNone = ""
    identity: NotAsked = ""


class SpeakerTurn(_Strict):
    """Words somebody said; times in seconds (see ClipLine.time_base).

    identity: who a tracker of voices says it is, the same in every clip and video of the group.
    in_view: the local id of the only person in view while it is said. They may be the speaker.
    """

    speaker_id: NameOrNone = ""
    identity: NotAsked = ""
    in_view: NotAsked = ""
    utterance: Text
    time_start: Moment
    time_end: Moment


Share = Annotated[FiniteFloat, Field(ge=0, le=1), BeforeValidator(_no_truth)]
# Filled in by analysers that measure it. readOnly leaves it out of the schema that a model gets.
ShareNotAsked = Annotated[Share | None, Field(json_schema_extra={"readOnly": True})]


class SeenObject(_Strict):
    """A thing in an event, in the analyser's words. confidence: 0 to 1, that it is one."""

    name: Name
    spatial_description: Text = ""
    confidence: ShareNotAsked = None


class SeenBox(_Strict):
    """Where in the picture somebody or something of an event is at one moment.

    name: as in the event's actors or objects.
    time: in seconds (see ClipLine.time_base).
    left, top, right, bottom: shares of the picture's width and height from its upper left corner.
    """

    name: Name
    time: Moment
    left: Share
    top: Share
    right: Share
    bottom: Share
    confidence: Share | None = None


class StatedAction(_Strict):
    """Who did what to which thing."""

    actor: Annotated[Text, Field(max_length=500)] = ""
    verb: Name
    object: Annotated[Text, Field(max_length=500)] = ""
    spatial_relation: Text = ""


class AnalysedEvent(_Strict):
    """Something that happened in the clip; times in seconds (see ClipLine.time_base).

    heard: it is only heard, a sound: nobody and nothing of it is seen.
    derived: its actors and actions were read from its summary; the analyser listed none.
    boxes: where those it is about are seen.
    own_summary: the analyser's words, where the summary was rewritten. Persons are read from both.
    mentioned: names and roles of people whom the event or the clip's summary mentions, as a refiner lists them.
    """

    local_event_id: Text = ""
    time_start: Moment
    time_end: Moment
    summary: Label
    actors: tuple[Name, ...] = ()
    objects: tuple[SeenObject, ...] = ()
    dialogue: tuple[Text, ...] = ()
    actions: tuple[StatedAction, ...] = ()
    heard: bool = False
    derived: Annotated[bool, Field(strict=True, json_schema_extra={"readOnly": True})] = False
    boxes: Annotated[tuple[SeenBox, ...], Field(max_length=MOST_BOXES, json_schema_extra={"readOnly": True})] = ()
    own_summary: Annotated[Text, Field(json_schema_extra={"readOnly": True})] = ""
    mentioned: Annotated[tuple[Name, ...], Field(json_schema_extra={"readOnly": True})] = ()


class ClipAnalysis(_Strict):
    """Everything an analyser says of one clip."""

    clip_summary: Text
    scene_type: Text = ""
    characters: tuple[Character, ...] = ()
    speaker_turns: tuple[SpeakerTurn, ...] = ()
    events: Annotated[tuple[AnalysedEvent, ...], Field(max_length=MOST_EVENTS)]


Timed = TypeVar("Timed", AnalysedEvent, SpeakerTurn)


def shifted(timed: Timed, by: float) -> Timed:
    """Return an event or a speaker turn with its times moved by some seconds. The boxes of an event stay."""
    return timed.model_copy(update={"time_start": timed.time_start + by, "time_end": timed.time_end + by})


@dataclass(frozen=True)
class NotedAnalysis:
    """An analysis, with notes on what was repaired or replaced in it."""

    analysis: ClipAnalysis
    notes: tuple[str, ...] = ()

    def but(self, analysis: ClipAnalysis, *notes: str) -> NotedAnalysis:
        """Return another analysis with these notes and the given ones."""
        return NotedAnalysis(analysis, (*self.notes, *notes))


class CutClipLine(_Strict):
    """A clip that is a file of its own and still to be analysed; its times are kept as they are.

    t_start, t_end: seconds of the video.
    uri_offset: where the clip begins in the file.
    video_id: default the name of the source.
    clip_id: the range in milliseconds.
    recorded_at, timezone, place, wearer: as in ClipLine.
    """

    uri: Label
    t_start: Seconds
    t_end: Seconds
    uri_offset: Seconds = 0.0
    video_id: Name | None = None
    clip_id: Name | None = None
    group_id: Annotated[Name, AfterValidator(named)] | None = None
    recorded_at: Annotated[AwareDatetime, AfterValidator(storable)] | None = None
    timezone: Annotated[Name, AfterValidator(time_zone)] | None = None
    place: Name | None = None
    wearer: Name | None = None

    @model_validator(mode="after")
    def _is_possible(self) -> CutClipLine:
        return _possible(self)


class ClipLine(_Strict):
    """A line of a JSON-lines file: one clip with its analysis.

    t_start, t_end: seconds of the video.
    time_base: what times inside the analysis count from.
    recorded_at: wall clock of the video's second 0, ISO 8601 with an offset.
    timezone: the IANA time zone of the camera (Europe/Berlin), whose days questions mean.
    place: where it was filmed; videos of one place share their objects.
    wearer: the name of whoever wears the camera, who is "I" and "me" in captions.
    uri: the file that the clip is in.
    tracked: the item of a camera system that the analysis was made of. A later line of the same clip may know more.
    """

    video_id: Name
    clip_id: Name
    t_start: Seconds
    t_end: Seconds
    analysis: ClipAnalysis
    group_id: Annotated[Name, AfterValidator(named)] | None = None
    recorded_at: Annotated[AwareDatetime, AfterValidator(storable)] | None = None
    timezone: Annotated[Name, AfterValidator(time_zone)] | None = None
    place: Name | None = None
    wearer: Name | None = None
    uri: Text | None = None
    tracked: TrackedItem | None = None
    time_base: Literal["clip", "video"] = "clip"

    @model_validator(mode="after")
    def _is_possible(self) -> ClipLine:
        return _possible(self)


Line = TypeVar("Line", CutClipLine, ClipLine)


def _possible(line: Line) -> Line:
    if line.t_end <= line.t_start:
        raise ValueError(f"the clip ends at {line.t_end} s, not after its start at {line.t_start} s")
    if line.recorded_at is not None and line.recorded_at.year not in YEARS:
        raise ValueError(f"recorded_at lies in the year {line.recorded_at.year}")
    return line
