"""Detections from outside as clip analyses: Frigate's events, and tables of tracks (docs/local-analyser.md)."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from math import isfinite
from typing import Annotated, Any, cast

from pydantic import BaseModel, Field, ValidationError

from amr_neo4j.domain.analysis import (
    AnalysedEvent,
    Character,
    ClipAnalysis,
    ClipLine,
    SeenBox,
    SeenObject,
    StatedAction,
)
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import Observation

PERSON = "person"
SHORTEST = 0.1
"""Seconds that a detection lasts at least: one picture."""
FRIGATE_KEYS = {"id", "camera", "label", "start_time"}
COLUMNS = ("time", "frame", "id", "label", "confidence", "left", "top", "right", "bottom", "width", "height")
"""What a column of a tracker's table can be; docs/local-analyser.md explains them."""

Row = Mapping[str, Any]
_Epoch = Annotated[float, Field(ge=0, lt=4e9, allow_inf_nan=False)]
_Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_SubLabel = str | tuple[str, float | None] | tuple[str] | None


class _FrigateData(BaseModel):
    """What Frigate's API has beside an event; box: left, top, width, height."""

    box: list[Annotated[float, Field(allow_inf_nan=False)]] | None = None
    top_score: _Score | None = None
    score: _Score | None = None
    recognized_license_plate: _SubLabel = None


class _FrigateEvent(BaseModel):
    """An event of Frigate, with what is read of it. Times: seconds since 1970."""

    id: str
    camera: str
    label: str
    start_time: _Epoch
    end_time: _Epoch | None = None
    sub_label: _SubLabel = None
    top_score: _Score | None = None
    zones: list[str] | None = None
    entered_zones: list[str] | None = None
    recognized_license_plate: _SubLabel = None
    data: _FrigateData = _FrigateData()


@dataclass(frozen=True)
class TrackTable:
    """How to read a tracker's table. video_id: of the film. fps: for tables by frame. size: (width, height) of the
    picture in the table's units; 1 x 1 where boxes are shares. columns: what a column is called in the table.
    """

    video_id: str
    fps: float = 0.0
    size: tuple[float, float] = (1.0, 1.0)
    columns: Mapping[str, str] = field(default_factory=dict[str, str])


def is_frigate(text: str) -> bool:
    """Whether a text holds Frigate's events: a JSON list of its HTTP API, or messages of MQTT, one a line."""
    return any(True for _ in _frigate_events(text, strict=False))


def from_frigate(text: str, language: Language) -> Iterator[ClipLine]:
    """One clip for each event that has ended, of the camera's video of that day (UTC). Raises InputError."""
    latest: dict[str, _FrigateEvent] = {}
    for number, row in enumerate(_frigate_events(text, strict=True), start=1):
        try:
            event = _FrigateEvent.model_validate({**row, "data": row.get("data") or {}})
        except ValidationError as error:
            raise _wrong(f"entry {number}", error) from error
        latest[event.id] = event
    for event in sorted(latest.values(), key=lambda event: event.start_time):
        if event.end_time is not None:
            yield _frigate_line(event, event.end_time, language)


def from_tracks(text: str, how: TrackTable, language: Language) -> Iterator[ClipLine]:
    """One clip for each track of a CSV with a header, or of a JSON list of objects. Raises InputError."""
    tracks: dict[str, list[dict[str, Any]]] = {}
    for number, row in enumerate(_table(text), start=1):
        seen = _seen(row, how, number)
        tracks.setdefault(seen["id"], []).append(seen)
    for track_id, places in sorted(tracks.items(), key=lambda each: min(place["time"] for place in each[1])):
        yield _track_line(track_id, sorted(places, key=lambda place: place["time"]), how, language)


# Frigate


def _frigate_events(text: str, *, strict: bool) -> Iterator[Row]:
    for given in _json(text, strict=strict):
        event: Any = given.get("after", given)
        if isinstance(event, Mapping) and set(cast(Row, event)) >= FRIGATE_KEYS:
            yield cast(Row, event)
        elif strict:
            raise InputError("an entry is no event of Frigate", hint=f"it needs {', '.join(sorted(FRIGATE_KEYS))}")


def _frigate_line(event: _FrigateEvent, end_time: float, language: Language) -> ClipLine:
    start = datetime.fromtimestamp(event.start_time, timezone.utc)
    day = start.replace(hour=0, minute=0, second=0, microsecond=0)
    begin = (start - day) / timedelta(seconds=1)
    span = begin, begin + max(SHORTEST, end_time - event.start_time)
    data, who = event.data, _name(event.sub_label)
    score = data.top_score or event.top_score or data.score
    zones = [zone.replace("_", " ") for zone in event.zones or event.entered_zones or ()]
    named = who or event.label
    plate = _name(data.recognized_license_plate or event.recognized_license_plate)
    summary = language.scenes.detected(named, zones, score, plate)
    person_id = f"{event.label}_{event.id}"
    boxes = _frigate_boxes(named, begin, data.box or [], score)
    seen = lambda: _about(event.label, who, person_id, score, summary, span, boxes)  # noqa: E731
    return _line(f"{event.camera}-{day:%Y-%m-%d}", event.id, span, seen, recorded_at=day, place=event.camera)


def _frigate_boxes(name: str, t: float, box: list[float], score: float | None) -> list[dict[str, Any]]:
    """Frigate's API gives left, top, width, height as shares; its messages give pixels, of a picture not known."""
    if len(box) != 4 or max(box) > 1:
        return []
    left, top, width, height = box
    return [_box(name, t, (left, top, left + width, top + height), score)]


def _name(sub_label: _SubLabel) -> str:
    """Frigate writes a name, or a list of the name and its score."""
    return sub_label[0] if isinstance(sub_label, tuple) else sub_label or ""


# Trackers


def _seen(row: Row, how: TrackTable, number: int) -> dict[str, Any]:
    named: dict[str, Any] = {column: row.get(how.columns.get(column, column)) for column in COLUMNS}
    try:
        time = float(named["time"]) if named["time"] not in (None, "") else float(named["frame"]) / how.fps
        left, top = float(named["left"]), float(named["top"])
        right = float(named["right"]) if named["right"] not in (None, "") else left + float(named["width"])
        below = float(named["bottom"]) if named["bottom"] not in (None, "") else top + float(named["height"])
        score = None if named["confidence"] in (None, "") else min(1.0, max(0.0, float(named["confidence"])))
        if not all(map(isfinite, (time, left, top, right, below))):
            raise ValueError("not finite")  # noqa: TRY301 - as float() of what is no number
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        hint = "a row needs time (or frame, with --fps), id, left, top, and right and bottom or width and height"
        raise InputError(f"row {number} cannot be read: {row}"[:300], hint=hint) from error
    if named["id"] in (None, ""):
        raise InputError(f"row {number} has no id of a track", hint="name its column with --map id=NAME")
    wide, high = how.size
    box = (left / wide, top / high, right / wide, below / high)
    return {"time": time, "id": str(named["id"]), "label": str(named["label"] or PERSON), "score": score, "box": box}


def _track_line(track_id: str, places: list[dict[str, Any]], how: TrackTable, language: Language) -> ClipLine:
    first, last = places[0], places[-1]
    [(label, _)] = Counter(place["label"] for place in places).most_common(1)
    scores = [place["score"] for place in places if place["score"] is not None]
    score = sum(scores) / len(scores) if scores else None
    span = first["time"], max(last["time"], first["time"] + SHORTEST)
    origin, goal = (_part(place["box"]) for place in (first, last))
    moves = Observation("move", actor=label if label == PERSON else "", thing="" if label == PERSON else label,
                        origin=origin if origin != goal else "", goal=goal)  # fmt: skip
    middle = places[len(places) // 2]
    boxes = [_box(label, middle["time"], middle["box"], score)]
    summary = language.scenes.observed(moves)
    seen = lambda: _about(label, "", f"{label}_{track_id}", score, summary, span, boxes)  # noqa: E731
    return _line(how.video_id, f"track-{track_id}", span, seen)


def _part(box: Sequence[float]) -> str:
    return ("left", "middle", "right")[int(min(2.0, max(0.0, 3 * (box[0] + box[2]) / 2)))]


# Both


def _about(
    label: str,
    who: str,
    person_id: str,
    score: float | None,
    summary: str,
    span: tuple[float, float],
    boxes: Sequence[Mapping[str, Any]],
) -> ClipAnalysis:
    """The analysis of one detection: of a person by name or id, or of a thing. Raises ValidationError."""
    person = label == PERSON
    character = Character(
        local_character_id="C1", name_or_description=who or label, person_id="" if who else person_id
    )
    actor = ("C1",) if person else ()
    action = StatedAction(actor="C1" if person else "", verb="appear", object="" if person else label)
    event = AnalysedEvent(
        time_start=span[0],
        time_end=span[1],
        summary=summary,
        actors=actor,
        objects=() if person else (SeenObject(name=label, confidence=score),),
        actions=(action,),
        boxes=tuple(SeenBox(**box) for box in boxes),
    )
    return ClipAnalysis(clip_summary=summary, characters=(character,) if person else (), events=(event,))


def _line(
    video_id: str,
    clip_id: str,
    span: tuple[float, float],
    analysis: Callable[[], ClipAnalysis],
    *,
    recorded_at: datetime | None = None,
    place: str | None = None,
) -> ClipLine:
    try:
        return ClipLine(
            video_id=video_id,
            clip_id=clip_id,
            t_start=span[0],
            t_end=span[1],
            analysis=analysis(),
            time_base="video",
            recorded_at=recorded_at,
            place=place,
        )
    except ValidationError as error:
        raise _wrong(f"{clip_id:.100}", error) from error


def _wrong(what: str, error: ValidationError) -> InputError:
    """The first mistake with its place, in one line."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return InputError(" ".join(f"{what}: {where}: {first['msg']}"[:300].split()), hint="correct the table")


def _box(name: str, t: float, edges: Sequence[float], score: float | None) -> dict[str, Any]:
    left, top, right, bottom = (min(1.0, max(0.0, edge)) for edge in edges)
    return {"name": name, "time": t, "left": left, "top": top, "right": right, "bottom": bottom, "confidence": score}


def _table(text: str) -> Iterable[Row]:
    if text.lstrip()[:1] in ("[", "{"):
        return _json(text, strict=True)
    return _csv(text)


def _csv(text: str) -> Iterator[Row]:
    try:
        yield from csv.DictReader(io.StringIO(text))
    except csv.Error as error:
        raise InputError(f"not a table: {error}", hint="give a CSV file with a header") from error


def _json(text: str, *, strict: bool) -> Iterator[Row]:
    """The objects of a JSON list, or of lines of JSON."""
    try:
        if text.lstrip().startswith("["):
            found: Any = json.loads(text)
        else:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        if strict:
            raise InputError(
                f"not valid JSON: {error}", hint="give a list of objects, or one object a line"
            ) from error
        return
    for each in cast(list[Any], found):
        if isinstance(each, Mapping):
            yield cast(Row, each)
        elif strict:
            raise InputError("an entry is no object", hint="give a list of objects, or one object a line")
