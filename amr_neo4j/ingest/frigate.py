"""Reads what Frigate (0.14 to 0.18) says of its cameras: events, review items, and updates of tracked objects.

They come as answers of its HTTP API or as messages of its MQTT topics. docs/cameras.md lists what is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from amr_neo4j.domain.analysis import (
    AnalysedEvent,
    Character,
    ClipAnalysis,
    ClipLine,
    SeenBox,
    SeenObject,
    StatedAction,
)
from amr_neo4j.domain.tracked import Epoch, PathPoint, TrackedItem, thinned, video_of
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import CameraSighting
from amr_neo4j.tables import Share, Table, first_error, shipped

PERSON = "person"
SHORTEST = 0.1
"""An item lasts at least this many seconds. One that was seen in a single picture has no length of its own."""
_SURE_FACE = 0.9
"""Frigate's own threshold: it reports every guess at a face, and takes it for the person's only from here on."""
_LEAST_COURSE = 0.15
"""An object is said to move if its path begins and ends so far apart, as a share of the picture's width."""
# An id begins with the second in which the object was first seen: 1607123955.475377-mxklsc.
_ID_TIME = re.compile(r"(\d{9,10}\.\d+)-")

Row = Mapping[str, Any]


class _Labels(Table):
    """frigate.yaml. The comments in the file explain its keys."""

    logos: frozenset[str]
    heard: frozenset[str]


_labels = shipped("amr_neo4j.ingest", "frigate.yaml", _Labels)


@dataclass(frozen=True)
class UnreadableEntry:
    """An entry that cannot be read. number: from 1."""

    number: int
    why: str

    def __str__(self) -> str:
        return f"entry {self.number}: {self.why}"


# What Frigate sends


def _seconds(given: Any) -> Any:
    """Return seconds since 1970 of a date in ISO 8601, which the reference of the API documents for review items."""
    if isinstance(given, str) and "T" in given:
        moment = datetime.fromisoformat(given)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    return given


def _scored(given: Any) -> Any:
    """Return the value of ["Anna", 0.93], as MQTT writes what has a score of its own."""
    if isinstance(given, list | tuple):
        parts = list(cast(Sequence[Any], given))
        return parts[0] if 1 <= len(parts) <= 2 and isinstance(parts[0], str) else parts
    return given


def _object(given: Any) -> Any:
    """Return the data of an entry: an object, an object as JSON text, or nothing."""
    return json.loads(given) if isinstance(given, str) and given else given or {}


_Time = Annotated[Epoch, BeforeValidator(_seconds)]
_Named = Annotated[str | None, BeforeValidator(_scored)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Point = tuple[tuple[_Number, _Number], Epoch]
_List = list[str] | None


class _EventData(BaseModel, extra="allow"):
    """What the HTTP API gives beside an event. box: left, top, width, height."""

    type: str = ""
    box: list[_Number] | None = None
    snapshot_frame_time: Epoch | None = None
    top_score: Share | None = None
    score: Share | None = None
    description: str | None = None
    recognized_license_plate: _Named = None
    path_data: list[_Point] | None = None


class _Event(BaseModel):
    """An event of the HTTP API, or the state of one in a message of frigate/events."""

    id: str
    camera: str
    label: str
    start_time: _Time
    end_time: _Time | None = None
    frame_time: Epoch | None = None
    sub_label: _Named = None
    top_score: Share | None = None
    false_positive: bool | None = None
    zones: _List = None
    entered_zones: _List = None
    recognized_license_plate: _Named = None
    path_data: list[_Point] | None = None
    data: Annotated[_EventData, BeforeValidator(_object)] = _EventData()


class _ReviewMetadata(BaseModel):
    """What a model wrote about a review item (0.17)."""

    title: str | None = None
    scene: str | None = None


class _ReviewData(BaseModel):
    detections: _List = None
    objects: _List = None
    sub_labels: _List = None
    zones: _List = None
    audio: _List = None
    metadata: _ReviewMetadata | None = None


class _Review(BaseModel):
    """A review item of the HTTP API, or the state of one in a message of frigate/reviews."""

    id: str
    camera: str
    start_time: _Time
    end_time: _Time | None = None
    severity: str
    data: Annotated[_ReviewData, BeforeValidator(_object)]


class _Update(BaseModel):
    """A message of frigate/tracked_object_update. Only its newer kinds name the camera."""

    type: Literal["description", "face", "lpr", "classification"]
    id: str
    description: str | None = None
    name: str | None = None
    plate: str | None = None
    score: Share | None = None
    timestamp: Epoch | None = None
    model: str | None = None
    sub_label: _Named = None
    attribute: str | None = None


_UPDATES = ("description", "face", "lpr", "classification")


def is_frigate(text: str) -> bool:
    """Return whether a text holds entries of Frigate: an answer of its HTTP API, or a message of MQTT per line."""
    return any(_kind(_state(cast(Row, row))) for row in _entries(text) if isinstance(row, Mapping))


def read(text: str) -> list[TrackedItem | UnreadableEntry]:
    """Return what each entry of a text says, in order. An entry that cannot be read is refused on its own.

    Raises InputError: the text is no JSON list, object, or lines of objects.
    """
    return [item for number, row in enumerate(_entries(text), start=1) for item in read_entry(row, number)]


def read_entry(entry: object, number: int = 1) -> list[TrackedItem | UnreadableEntry]:
    """Return what an entry says: one item, why it is refused, or nothing if it tells nothing new."""
    if isinstance(entry, UnreadableEntry):
        return [UnreadableEntry(number, entry.why)]
    try:
        item = _item(_state(cast(Row, entry)) if isinstance(entry, Mapping) else {})
    except ValidationError as error:
        return [UnreadableEntry(number, " ".join(first_error(error)[:300].split()))]
    except (ValueError, RecursionError) as error:
        return [UnreadableEntry(number, " ".join(str(error)[:300].split()))]
    return [item] if item else []


def folded(items: Iterable[TrackedItem]) -> list[TrackedItem]:
    """Return each item once, with all that is said of it, in the order in which the items began."""
    found: dict[str, TrackedItem] = {}
    for item in items:
        known = found.get(item.item_id)
        found[item.item_id] = known.with_more(item) if known else item
    return sorted(found.values(), key=lambda item: item.start)


def _item(state: Row) -> TrackedItem | None:
    """Return the item of an entry; None if it tells nothing sure. Raises ValueError if it cannot be read."""
    match _kind(state):
        case "event":
            return _of_event(_Event.model_validate(state))
        case "review":
            return _of_review(_Review.model_validate(state))
        case "update":
            return _of_update(_Update.model_validate(state))
        case None:
            raise ValueError("no event, review item or update of Frigate")


def _state(row: Row) -> Row:
    """Return the newest state in an entry. A message of MQTT has the state before and after a change."""
    after: Any = row.get("after", row)
    return cast(Row, after) if isinstance(after, Mapping) else row


def _kind(state: Row) -> Literal["event", "review", "update"] | None:
    if "id" in state and state.get("type") in _UPDATES:
        return "update"
    if {"id", "camera", "severity", "start_time"} <= state.keys():
        return "review"
    # One of the four may be missing: the entry is then refused by that name.
    return "event" if len({"id", "camera", "label", "start_time"} & state.keys()) >= 3 else None


def _entries(text: str) -> Iterator[object]:
    """Yield the entries of a JSON list, a JSON object, or lines of JSON. A bad line becomes an UnreadableEntry."""
    start = text.lstrip()[:1]
    if start == "[":
        try:
            yield from cast(list[Any], json.loads(text))
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}"[:300], hint="give a list, or one object a line") from error
        return
    lines = [line for line in text.splitlines() if line.strip()]
    if start == "{":
        try:
            yield json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return
    for line in lines:
        # mosquitto_sub -v writes the topic before the message.
        topic, brace, rest = line.partition("{")
        message = brace + rest if re.fullmatch(r"[^\s\"\[]+ ", topic) else line
        try:
            yield json.loads(message)
        except (ValueError, RecursionError) as error:
            yield UnreadableEntry(0, f"not valid JSON: {error}"[:300])


def _of_event(event: _Event) -> TrackedItem:
    data = event.data
    scored = event.top_score if data.top_score is None else data.top_score
    path = [
        PathPoint(x=min(1.0, max(0.0, x)), y=min(1.0, max(0.0, y)), time=time)
        for (x, y), time in event.path_data or data.path_data or ()
    ]
    seen = [event.start_time + SHORTEST, event.frame_time or 0.0, *(point.time for point in path)]
    sub_label, plate = event.sub_label, data.recognized_license_plate or event.recognized_license_plate
    kind = "object"
    if data.type == "audio" or event.label in _labels().heard:
        kind = "sound"
    # A camera for plates alone creates its events by the API, but it saw them.
    elif data.type == "api" and not plate:
        kind = "report"
    return TrackedItem(
        item_id=event.id,
        kind=kind,
        camera=event.camera,
        label=event.label,
        start=event.start_time,
        seen_until=max(seen) if event.end_time is None else max(event.end_time, event.start_time + SHORTEST),
        ended=event.end_time is not None,
        # Frigate joins several names with a comma.
        sub_labels=tuple(each.strip() for each in (sub_label or "").split(",") if each.strip()),
        plate=plate or "",
        zones=tuple(event.zones or event.entered_zones or ()),
        description=(data.description or "").strip(),
        score=data.score if scored is None else scored,
        attributes=_classified(data),
        box=_box(data.box),
        box_time=data.snapshot_frame_time if _box(data.box) else None,
        path=thinned(path),
        is_false=event.false_positive,
    )


def _of_review(review: _Review) -> TrackedItem:
    data = review.data
    metadata = data.metadata or _ReviewMetadata()
    # "person-verified" is a person with a sub label. An object with the logo of a carrier is listed as that logo.
    classes = {each.removesuffix("-verified") for each in data.objects or ()}
    named = {each for each in data.objects or () if each.endswith("-verified")} or data.objects or []
    sub_labels = tuple(sorted({*(data.sub_labels or ()), *(classes & _labels().logos)}))
    are_persons = all(each.removesuffix("-verified") == PERSON for each in named)
    return TrackedItem(
        item_id=f"review-{review.id}",
        kind="review",
        camera=review.camera,
        start=review.start_time,
        seen_until=max(review.end_time or 0.0, review.start_time + SHORTEST),
        ended=review.end_time is not None,
        sub_labels=sub_labels if are_persons else (),
        # Whose sub labels they are is not said where things have some too.
        attributes={} if are_persons or not sub_labels else {"named": ", ".join(sub_labels)},
        zones=tuple(data.zones or ()),
        title=(metadata.title or "").strip(),
        description=(metadata.scene or "").strip(),
        severity=review.severity,
        # Sorted, because Frigate sends a set, whose order changes from message to message.
        objects=tuple(sorted(classes - _labels().logos)),
        sounds=tuple(sorted(set(data.audio or ()))),
        members=tuple(sorted(data.detections or ())),
    )


def _of_update(update: _Update) -> TrackedItem | None:
    """Return what an update tells of an object, without its camera and class; None if it tells nothing sure."""
    dated = _ID_TIME.match(update.id)
    start = float(dated[1]) if dated else update.timestamp
    if start is None:
        raise ValueError(f"id: {update.id[:60]} does not begin with a time, and timestamp is missing")
    what: dict[str, Any] = {}
    match update.type:
        case "description" if update.description:
            what["description"] = update.description.strip()
        case "face" if update.name and update.name != "unknown" and (update.score or 0.0) >= _SURE_FACE:
            what["sub_labels"] = (update.name,)
        case "lpr" if update.plate:
            what["plate"] = update.plate
            what["sub_labels"] = (update.name,) if update.name else ()
        case "classification" if update.sub_label:
            what["sub_labels"] = (update.sub_label,)
        case "classification" if update.model and update.attribute:
            what["attributes"] = {update.model: update.attribute}
        case _:
            return None
    return TrackedItem(item_id=update.id, start=start, seen_until=max(start, update.timestamp or 0.0), **what)


def _box(box: list[float] | None) -> tuple[float, float, float, float] | None:
    """Return left, top, right, bottom. MQTT gives pixels of a picture of unknown size, which are left out."""
    if box is None or len(box) != 4 or max(box) > 1 or min(box) < 0:
        return None
    left, top, width, height = box
    return left, top, min(1.0, left + width), min(1.0, top + height)


def _classified(data: _EventData) -> dict[str, str]:
    """Return {classifier: its answer}: a text beside which stands a score of the same name."""
    more = data.model_extra or {}
    found = {name: value for name, value in more.items() if isinstance(value, str) and f"{name}_score" in more}
    return {name: value for name, value in found.items() if name != "sub_label"}


# What it becomes


def line_of(item: TrackedItem, language: Language) -> ClipLine:
    """Return the clip of an item. A camera's day (UTC) is one video. Raises InputError: a value is out of bounds."""
    start = datetime.fromtimestamp(item.start, UTC)
    day = start.replace(hour=0, minute=0, second=0, microsecond=0)
    begin = (start - day) / timedelta(seconds=1)
    try:
        telling = _Telling(item, begin, language)
        events = () if item.is_false else tuple(telling.events())
        return ClipLine(
            video_id=video_of(item.camera, item.start),
            clip_id=item.item_id,
            t_start=begin,
            t_end=telling.end,
            analysis=ClipAnalysis(
                clip_summary=" ".join(event.summary for event in events),
                characters=tuple(_characters(item, language)) if any(event.actors for event in events) else (),
                events=events,
            ),
            time_base="video",
            recorded_at=day,
            place=item.camera,
            tracked=item,
        )
    except ValidationError as error:
        message = " ".join(f"{item.item_id:.100}: {first_error(error)}"[:300].split())
        raise InputError(message, hint="correct the entry") from error


def _characters(item: TrackedItem, language: Language) -> Iterator[Character]:
    """Yield the persons of an item: those who are named, else one without a name."""
    names = _names(item, language)
    for number, name in enumerate(names, start=1):
        yield Character(local_character_id=f"C{number}", name_or_description=name)
    if not names:
        kind = next((kind for kind in _kinds(item, language) if not _is_logo(kind)), PERSON)
        yield Character(local_character_id="C1", name_or_description=kind, person_id=f"person_{item.item_id}")


def _names(item: TrackedItem, language: Language) -> list[str]:
    """Return the names of persons among the sub labels. Those of a thing name no person."""
    if not _is_of_person(item):
        return []
    called = [_words(each) for each in item.sub_labels if not _is_logo(each)]
    called = [each.title() if each.islower() else each for each in called]
    return [each for each in called if language.person_key(each).is_name]


def _kinds(item: TrackedItem, language: Language) -> list[str]:
    """Return the sub labels that name no person: "delivery person", the logo of a carrier, the name of a car."""
    names = {name.casefold() for name in _names(item, language)}
    return [words for words in map(_words, item.sub_labels) if words.casefold() not in names]


def _is_of_person(item: TrackedItem) -> bool:
    return PERSON in (item.label, *item.objects)


def _is_logo(words: str) -> bool:
    return words.replace(" ", "_") in _labels().logos


def _words(name: str) -> str:
    return " ".join(name.replace("_", " ").split())


@dataclass(frozen=True)
class _Telling:
    """What an item becomes. begin: its start, in seconds of the video."""

    item: TrackedItem
    begin: float
    language: Language

    def events(self) -> Iterator[AnalysedEvent]:
        item, scenes = self.item, self.language.scenes
        match item.kind:
            case "sound":
                # What is written of a sound is the transcription of what was said (0.17).
                yield self._heard(item.label, *filter(None, [item.description]))
            case "report":
                yield self._event(
                    self._described(scenes.reported([_words(item.label), *map(_words, item.sub_labels)]))
                )
            case "review":
                yield from self._of_review()
            case "object":
                yield self._seen(self._described(scenes.sighted(self._sighting([item.label]))), [item.label])

    def _of_review(self) -> Iterator[AnalysedEvent]:
        item = self.item
        told = self.language.scenes.summed_up(item.title, item.description)
        sums_up = item.objects or item.sub_labels or item.attributes
        if sums_up and not set(item.members) & set(item.apart):
            seen = self.language.scenes.sighted(self._sighting(item.objects))
            yield self._seen(
                self.language.scenes.with_severity(_words(item.severity), f"{seen} {told}".strip()), item.objects
            )
        elif told:
            # Its objects have events of their own, so this one lists none: nothing is counted twice.
            yield self._event(self.language.scenes.with_severity(_words(item.severity), told))
        for sound in item.sounds:
            if sound not in item.apart:
                yield self._heard(sound)

    def _sighting(self, labels: Sequence[str]) -> CameraSighting:
        item, language = self.item, self.language
        names, kinds = _names(item, language), _kinds(item, language)
        people = [kind for kind in kinds if _is_of_person(item) and not _is_logo(kind)]
        others = [_words(label) for label in labels if label != PERSON or not (names or people)]
        course = _course(item.path)
        return CameraSighting(
            who=(*(names or people), *others),
            also=tuple([kind for kind in kinds if names or kind not in people] + _answers(item)),
            plate=item.plate,
            zones=tuple(map(_words, item.zones)),
            certainty=item.score,
            origin=course[0],
            goal=course[1],
            goes_on=not item.ended,
        )

    def _described(self, summary: str) -> str:
        return f"{summary} {self.language.scenes.summed_up('', self.item.description)}".strip()

    def _seen(self, summary: str, labels: Sequence[str]) -> AnalysedEvent:
        """Return the event of what is seen. Only persons act in it."""
        item = self.item
        actors = [each.local_character_id for each in _characters(item, self.language)] if PERSON in labels else []
        things = [SeenObject(name=_words(label), confidence=item.score) for label in labels if label != PERSON]
        if item.plate:
            things.append(SeenObject(name=self.language.codes.plate_named(item.plate)))
        acts = [StatedAction(actor=actor, verb="appear") for actor in actors]
        acts += [StatedAction(verb="appear", object=_words(label)) for label in labels if label != PERSON]
        name = next(iter((*_names(item, self.language), *map(_words, labels))), "")
        return self._event(
            summary, actors=tuple(actors), objects=tuple(things), actions=tuple(acts), boxes=self._boxes(name)
        )

    def _heard(self, label: str, *words: str) -> AnalysedEvent:
        summary = self.language.scenes.sounded(label, goes_on=not self.item.ended)
        return self._event(summary, heard=True, dialogue=words)

    def _event(self, summary: str, **what: Any) -> AnalysedEvent:
        return AnalysedEvent(time_start=self.begin, time_end=self.end, summary=summary, **what)

    @property
    def end(self) -> float:
        return self.begin + max(SHORTEST, self.item.seen_until - self.item.start)

    def _boxes(self, name: str) -> tuple[SeenBox, ...]:
        item = self.item
        if item.box is None:
            return ()
        left, top, right, bottom = item.box
        time = self.begin + max(0.0, (item.box_time or item.start) - item.start)
        return (SeenBox(name=name, time=time, left=left, top=top, right=right, bottom=bottom, confidence=item.score),)


def _answers(item: TrackedItem) -> list[str]:
    """Return what classifiers said of an object: "helmet detector: yes"."""
    return [f"{_words(model)}: {_words(answer)}" for model, answer in item.attributes.items()]


def _course(path: Sequence[PathPoint]) -> tuple[str, str]:
    """Return the parts of the picture where a path begins and ends; empty if the object stays in one."""
    if len(path) < 2 or abs(path[-1].x - path[0].x) < _LEAST_COURSE:
        return "", ""
    parts = ("left", "middle", "right")
    origin, goal = (parts[min(2, int(3 * point.x))] for point in (path[0], path[-1]))
    return (origin, goal) if origin != goal else ("", "")
