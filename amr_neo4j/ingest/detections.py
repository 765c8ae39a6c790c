"""Detections from outside as clip analyses: Frigate's events, and tables of tracks (docs/local-analyser.md)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, cast

from pydantic import ValidationError

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
from amr_neo4j.language.base import Language, Observation

PERSON = "person"
SHORTEST = 0.1
"""Seconds that a detection lasts at least: one picture."""
FRIGATE_KEYS = {"id", "camera", "label", "start_time"}
COLUMNS = ("time", "frame", "id", "label", "confidence", "left", "top", "right", "bottom", "width", "height")
"""What a column of a tracker's table can be; docs/local-analyser.md explains them."""

Row = Mapping[str, Any]
_CORRECT = "correct it in the file, or leave it out"


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
    latest: dict[str, Row] = {str(event["id"]): event for event in _frigate_events(text, strict=True)}
    ended = [event for event in latest.values() if event.get("end_time") is not None]
    lines: list[ClipLine] = []
    for event in ended:
        with _understood(f"event {event['id']}"):
            lines.append(_frigate_line(event, language))
    yield from sorted(lines, key=lambda line: (line.recorded_at, line.t_start))


def from_tracks(text: str, how: TrackTable, language: Language) -> Iterator[ClipLine]:
    """One clip for each track of a CSV with a header, or of a JSON list of objects. Raises InputError."""
    tracks: dict[str, list[dict[str, Any]]] = {}
    for number, row in enumerate(_table(text), start=1):
        seen = _seen(row, how, number)
        tracks.setdefault(seen["id"], []).append(seen)
    for track_id, places in sorted(tracks.items(), key=lambda each: min(place["time"] for place in each[1])):
        with _understood(f"track {track_id}"):
            line = _track_line(track_id, sorted(places, key=lambda place: place["time"]), how, language)
        yield line


# Frigate


def _frigate_events(text: str, *, strict: bool) -> Iterator[Row]:
    for given in _json(text, strict=strict):
        event: Any = given.get("after", given)
        if isinstance(event, Mapping) and set(cast(Row, event)) >= FRIGATE_KEYS:
            yield cast(Row, event)
        elif strict:
            raise InputError("an entry is no event of Frigate", hint=f"it needs {', '.join(sorted(FRIGATE_KEYS))}")


def _frigate_line(event: Row, language: Language) -> ClipLine:
    data: Row = event.get("data") or {}
    start = datetime.fromtimestamp(float(event["start_time"]), timezone.utc)
    day = start.replace(hour=0, minute=0, second=0, microsecond=0)
    begin = (start - day) / timedelta(seconds=1)
    end = begin + max(SHORTEST, float(event["end_time"]) - float(event["start_time"]))
    label, camera, who = str(event["label"]), str(event["camera"]), _name(event.get("sub_label"))
    score = data.get("top_score") or event.get("top_score") or data.get("score")
    zones = [str(zone).replace("_", " ") for zone in event.get("zones") or event.get("entered_zones") or ()]
    named = who or label
    plate = _name(data.get("recognized_license_plate") or event.get("recognized_license_plate"))
    summary = language.scenes.detected(named, zones, None if score is None else float(score), plate)
    boxes = _frigate_boxes(named, begin, data.get("box"), score)
    seen = _about(label, who, f"{label}_{event['id']}", score, summary, (begin, end), boxes)
    return _line(f"{camera}-{day:%Y-%m-%d}", str(event["id"]), (begin, end), seen, recorded_at=day, place=camera)


def _frigate_boxes(name: str, t: float, box: Any, score: Any) -> tuple[SeenBox, ...]:
    """Frigate's API gives left, top, width, height as shares; its messages give pixels, of a picture not known."""
    edges = [float(edge) for edge in cast(list[Any], box)] if isinstance(box, list) else []
    if len(edges) != 4 or max(edges) > 1:
        return ()
    left, top, width, height = edges
    return (_box(name, t, (left, top, left + width, top + height), score),)


def _name(sub_label: Any) -> str:
    """Frigate writes a name, or a list of the name and its score."""
    if isinstance(sub_label, list):
        return str(cast(list[Any], sub_label)[0])
    return str(sub_label or "")


# Trackers


def _seen(row: Row, how: TrackTable, number: int) -> dict[str, Any]:
    named: dict[str, Any] = {column: row.get(how.columns.get(column, column)) for column in COLUMNS}
    try:
        time = float(named["time"]) if named["time"] not in (None, "") else float(named["frame"]) / how.fps
        left, top = float(named["left"]), float(named["top"])
        right = float(named["right"]) if named["right"] not in (None, "") else left + float(named["width"])
        below = float(named["bottom"]) if named["bottom"] not in (None, "") else top + float(named["height"])
        score = None if named["confidence"] in (None, "") else min(1.0, max(0.0, float(named["confidence"])))
    except (TypeError, ValueError, ZeroDivisionError) as error:
        hint = "a row needs time (or frame, with --fps), id, left, top, and right and bottom or width and height"
        raise InputError(f"row {number} cannot be read: {row}"[:300], hint=hint) from error
    if named["id"] in (None, ""):
        raise InputError(f"row {number} has no id of a track", hint="name its column with --map id=NAME")
    wide, high = how.size
    box = (left / wide, top / high, right / wide, below / high)
    return {"time": time, "id": str(named["id"]), "label": str(named["label"] or PERSON), "score": score, "box": box}


def _track_line(track_id: str, places: list[dict[str, Any]], how: TrackTable, language: Language) -> ClipLine:
    first, last = places[0], places[-1]
    label = max({place["label"] for place in places}, key=lambda name: sum(p["label"] == name for p in places))
    scores = [place["score"] for place in places if place["score"] is not None]
    score = sum(scores) / len(scores) if scores else None
    span = first["time"], max(last["time"], first["time"] + SHORTEST)
    origin, goal = (_part(place["box"]) for place in (first, last))
    moves = Observation("move", actor=label if label == PERSON else "", thing="" if label == PERSON else label,
                        origin=origin if origin != goal else "", goal=goal)  # fmt: skip
    middle = places[len(places) // 2]
    boxes = (_box(label, middle["time"], middle["box"], score),)
    seen = _about(label, "", f"{label}_{track_id}", score, language.scenes.observed(moves), span, boxes)
    return _line(how.video_id, f"track-{track_id}", span, seen)


def _part(box: Sequence[float]) -> str:
    return ("left", "middle", "right")[min(2, max(0, int(3 * (box[0] + box[2]) / 2)))]


# Both


def _about(
    label: str,
    who: str,
    person_id: str,
    score: Any,
    summary: str,
    span: tuple[float, float],
    boxes: tuple[SeenBox, ...],
) -> ClipAnalysis:
    """The analysis of one detection: of a person by name or id, or of a thing."""
    person = label == PERSON
    sure = None if score is None else min(1.0, max(0.0, float(score)))
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
        objects=() if person else (SeenObject(name=label, confidence=sure),),
        actions=(action,),
        boxes=boxes,
    )
    return ClipAnalysis(clip_summary=summary, characters=(character,) if person else (), events=(event,))


def _line(
    video_id: str,
    clip_id: str,
    span: tuple[float, float],
    analysis: ClipAnalysis,
    *,
    recorded_at: datetime | None = None,
    place: str | None = None,
) -> ClipLine:
    return ClipLine(
        video_id=video_id,
        clip_id=clip_id,
        t_start=span[0],
        t_end=span[1],
        analysis=analysis,
        time_base="video",
        recorded_at=recorded_at,
        place=place,
    )


@contextmanager
def _understood(what: str) -> Generator[None]:
    """Context manager: values of other kinds than a detection has, too long or out of range, are one error."""
    try:
        yield
    except ValidationError as error:
        raise InputError(f"{what[:100]}: {error.errors()[0]['msg']}", hint=_CORRECT) from error
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError) as error:
        raise InputError(f"{what[:100]} cannot be understood: {error}"[:300], hint=_CORRECT) from error


def _box(name: str, t: float, edges: Sequence[float], score: Any) -> SeenBox:
    left, top, right, bottom = (min(1.0, max(0.0, float(edge))) for edge in edges)
    sure = None if score is None else min(1.0, max(0.0, float(score)))
    return SeenBox(name=name, time=t, left=left, top=top, right=right, bottom=bottom, confidence=sure)


def _table(text: str) -> Iterable[Row]:
    if text.lstrip()[:1] in ("[", "{"):
        return _json(text, strict=True)
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise InputError(f"not a valid CSV: {error}", hint="give a table with a header, or a JSON list") from error


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
