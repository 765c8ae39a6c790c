"""Reads tables of tracks, which other programs made, as clip analyses (docs/local-analyser.md)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, isfinite
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
from amr_neo4j.domain.video import TRACK
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.track_formats import is_mot, of_mot, refuse_others, renamed
from amr_neo4j.language.languages import Language
from amr_neo4j.language.nouns import CameraSighting, Observation
from amr_neo4j.tables import first_error

PERSON = "person"
# A tracker writes this id for a detection that belongs to no track.
NO_TRACK = "-1"
# A track ends if nothing is seen for longer than this: a tracker that was restarted uses the same numbers again.
LONGEST_GAP_SEC = 60.0
# What moves by a smaller share of the picture counts as standing still: the box of a parked car trembles.
LEAST_MOVE = 0.1
# Boxes as shares of the picture may reach a little over its edge. Larger numbers are pixels.
LARGEST_SHARE = 1.5
PERCENT = 100.0
# How programs write an empty cell.
_EMPTY = ("", "none", "nan", "null")
SHORTEST = 0.1
"""A detection lasts at least this many seconds. One that was seen in a single picture has no length of its own."""
COLUMNS = ("time", "frame", "id", "label", "confidence", "left", "top", "right", "bottom", "width", "height")
"""The columns that a tracker's table can have. docs/local-analyser.md explains them."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class TrackTable:
    """How to read a tracker's table.

    video_id: the id of the film.
    fps: frames per second, for tables that count frames.
    size: (width, height) of the picture in the table's units; (1, 1) if boxes are shares of it.
    columns: {a column of COLUMNS: its name in the table}.
    no_track: the ids that stand for no track.
    """

    video_id: str
    fps: float = 0.0
    size: tuple[float, float] = (1.0, 1.0)
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    no_track: frozenset[str] = frozenset({NO_TRACK})


def from_tracks(text: str, how: TrackTable, language: Language) -> Iterator[ClipLine]:
    """Yield a clip for each track of a CSV file with a header, or of a JSON list of objects. Raises InputError.

    What belongs to no track is a clip for each time that its kind was seen: nobody knows how many there were.
    """
    places = _as_shares([_place(row, how, number) for number, row in enumerate(_table(text), start=1)])
    if places and how.size == (1.0, 1.0) and max(max(place.edges) for place in places) > LARGEST_SHARE:
        raise InputError("the boxes are in pixels, of a picture of unknown size", hint="add --size 1920x1080")
    wide, high = how.size
    if places and how.size != (1.0, 1.0) and all(_are_shares(place.edges, wide, high) for place in places):
        raise InputError("the boxes are shares of the picture already", hint="leave out --size")
    if places and not any(place.track_id for place in places):
        raise InputError("no row has an id of a track", hint="name its column with --map id=NAME")
    tracks: dict[tuple[bool, str], list[_Place]] = {}
    for place in places:
        is_track = bool(place.track_id) and place.track_id not in how.no_track
        tracks.setdefault((is_track, place.track_id if is_track else place.label), []).append(place)
    found: list[_Track] = []
    for (is_track, key), track in tracks.items():
        name = key if is_track else f"{key}-untracked"
        for number, part in enumerate(_parts(sorted(track, key=lambda place: place.time))):
            found.append(_Track(f"{name}-{number + 1}" if number else name, part, is_track))
    for track in sorted(found, key=lambda track: track.places[0].time):
        yield _track_line(track, how, language=language)


@dataclass(frozen=True)
class _Place:
    """A row of a tracker's table. edges: left, top, right, bottom, as shares of the picture."""

    time: float
    track_id: str
    label: str
    score: float | None
    edges: tuple[float, float, float, float]


@dataclass(frozen=True)
class _Track:
    """The places of one track, in order of time. is_track: if not, what was seen belongs to no track."""

    name: str
    places: Sequence[_Place]
    is_track: bool


def _parts(places: Sequence[_Place]) -> Iterator[list[_Place]]:
    """Divide a track at its long gaps. Yields the parts."""
    part: list[_Place] = []
    for place in places:
        if part and place.time - part[-1].time > LONGEST_GAP_SEC:
            yield part
            part = []
        part.append(place)
    yield part


def _as_shares(places: list[_Place]) -> list[_Place]:
    """Return the places with their confidences as shares. Raises InputError if it is unknown what they are."""
    scores = [place.score for place in places if place.score is not None]
    if all(score <= 1 for score in scores):
        return places
    # 0 and 1 are both: of the others, all must be more than one percent.
    if max(scores) > PERCENT or any(0 < score < 1 for score in scores):
        raise InputError(
            f"confidences from {min(scores):g} to {max(scores):g} are neither shares nor percent",
            hint="write all of them from 0 to 1, or from 0 to 100",
        )
    return [place if place.score is None else replace(place, score=place.score / PERCENT) for place in places]


def _place(row: Row, how: TrackTable, number: int) -> _Place:
    named: dict[str, Any] = {column: row.get(how.columns.get(column, column)) for column in COLUMNS}
    given = {column for column, value in named.items() if value not in (None, "")}
    try:
        time = float(named["time"]) if "time" in given else float(named["frame"]) / how.fps
        left, top = float(named["left"]), float(named["top"])
        right = float(named["right"]) if "right" in given else left + float(named["width"])
        bottom = float(named["bottom"]) if "bottom" in given else top + float(named["height"])
        score = float(named["confidence"]) if "confidence" in given else None
        score = None if score is not None and score < 0 else score  # -1: unknown, as in MOT's files
        if not all(map(isfinite, (time, left, top, right, bottom, score or 0.0))):
            raise ValueError("not finite")  # noqa: TRY301 - as float() raises it for text
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        hint = "a row needs time (or frame, with --fps), id, left, top, and right and bottom or width and height"
        raise InputError(f"row {number} cannot be read: {row}"[:300], hint=hint) from error
    wide, high = how.size
    edges = (left / wide, top / high, right / wide, bottom / high)
    return _Place(time, _track_id(named["id"]), str(named["label"] or PERSON), score, edges)


def _are_shares(edges: Sequence[float], wide: float, high: float) -> bool:
    left, top, right, bottom = edges
    return max((left * wide, top * high, right * wide, bottom * high)) <= LARGEST_SHARE


def _track_id(value: object) -> str:
    """Return the id of a track as one text: "7.0" is 7, as pandas writes it; empty if the cell is."""
    text = str(value).strip()
    if text.casefold() in _EMPTY:
        return ""
    # Not as a number: a float holds no id of 17 digits, and "07" is another track than "7".
    whole = re.fullmatch(r"(-?\d+)\.0+", text)
    return whole[1] if whole else text


def _track_line(track: _Track, how: TrackTable, *, language: Language) -> ClipLine:
    places = track.places
    first, last = places[0], places[-1]
    [(label, _)] = Counter(place.label for place in places).most_common(1)
    scores = [place.score for place in places if place.score is not None]
    score = sum(scores) / len(scores) if scores else None
    middle = places[len(places) // 2]
    untracked = "" if track.is_track else language.scenes.sighted(CameraSighting((label,), certainty=score))
    detected = _Detected(
        video_id=how.video_id,
        clip_id=f"{TRACK}{track.name}",
        label=label,
        person_id=f"{label}_{track.name}",
        score=score,
        start=first.time,
        end=max(last.time, first.time + SHORTEST),
        summary=untracked or _seen(label, first, last, language),
        boxes=(_box(label, middle.time, middle.edges, score=score),),
    )
    return detected.line()


def _seen(label: str, first: _Place, last: _Place, language: Language) -> str:
    """Return one sentence from where a track begins to where it ends; a box per row would be thousands."""
    (from_x, from_y), (to_x, to_y) = _middle(first.edges), _middle(last.edges)
    origin, goal = _part_of_picture(from_x), _part_of_picture(to_x)
    if hypot(to_x - from_x, to_y - from_y) < LEAST_MOVE:
        return language.scenes.in_view([(label, goal)])
    if origin == goal or abs(to_x - from_x) < LEAST_MOVE:
        # Within a third of the picture only left or right can be told, and nothing if it came nearer or went away.
        origin = ""
        goal = "right" if to_x > from_x else "left"
        if abs(to_x - from_x) < LEAST_MOVE:
            goal = ""
    actor, thing = (label, "") if label == PERSON else ("", label)
    return language.scenes.observed(Observation("move", actor=actor, thing=thing, origin=origin, goal=goal))


def _middle(edges: Sequence[float]) -> tuple[float, float]:
    left, top, right, bottom = edges
    return (left + right) / 2, (top + bottom) / 2


def _part_of_picture(x: float) -> str:
    return ("left", "middle", "right")[int(min(2.0, max(0.0, 3 * x)))]


@dataclass(frozen=True, kw_only=True)
class _Detected:
    """One detection of a person or a thing, which becomes a clip with one event.

    person_id: of a person.
    start, end: seconds of the video.
    boxes: the arguments of SeenBox.
    """

    video_id: str
    clip_id: str
    label: str
    person_id: str
    score: float | None
    start: float
    end: float
    summary: str
    boxes: Sequence[Mapping[str, Any]]

    def line(self) -> ClipLine:
        """Return the clip with its analysis. Raises InputError: a value is out of bounds."""
        try:
            return ClipLine(
                video_id=self.video_id,
                clip_id=self.clip_id,
                t_start=self.start,
                t_end=self.end,
                analysis=self._analysis(),
                time_base="video",
            )
        except ValidationError as error:
            raise _wrong(f"{self.clip_id:.100}", error) from error

    def _analysis(self) -> ClipAnalysis:
        is_person = self.label == PERSON
        character = Character(
            local_character_id="C1",
            name_or_description=self.label,
            person_id=self.person_id,
        )
        thing = SeenObject(name=self.label, confidence=self.score)
        action = StatedAction(actor="C1" if is_person else "", verb="appear", object="" if is_person else self.label)
        event = AnalysedEvent(
            time_start=self.start,
            time_end=self.end,
            summary=self.summary,
            actors=("C1",) if is_person else (),
            objects=() if is_person else (thing,),
            actions=(action,),
            boxes=tuple(SeenBox(**box) for box in self.boxes),
        )
        return ClipAnalysis(clip_summary=self.summary, characters=(character,) if is_person else (), events=(event,))


def _wrong(what: str, error: ValidationError) -> InputError:
    """Return an error that names the first mistake and its place, in one line."""
    return InputError(" ".join(f"{what}: {first_error(error)}"[:300].split()), hint="correct the table")


def _box(name: str, t: float, edges: Sequence[float], *, score: float | None) -> dict[str, Any]:
    left, top, right, bottom = (min(1.0, max(0.0, edge)) for edge in edges)
    return {"name": name, "time": t, "left": left, "top": top, "right": right, "bottom": bottom, "confidence": score}


def _table(text: str) -> Iterable[Row]:
    refuse_others(text)
    if is_mot(text):
        return of_mot(text)
    rows = _json(text) if text.lstrip()[:1] in ("[", "{") else _csv(text)
    return map(renamed, rows)


def _csv(text: str) -> Iterator[Row]:
    try:
        yield from csv.DictReader(io.StringIO(text))
    except csv.Error as error:
        raise InputError(f"not a table: {error}", hint="give a CSV file with a header") from error


def _json(text: str) -> Iterator[Row]:
    """Yield the objects of a JSON list, or of lines of JSON. Raises InputError if it is neither."""
    try:
        if text.lstrip().startswith("["):
            found: Any = json.loads(text)
        else:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", hint="give a list of objects, or one object a line") from error
    for each in cast(list[Any], found):
        if not isinstance(each, Mapping):
            raise InputError("an entry is no object", hint="give a list of objects, or one object a line")
        yield cast(Row, each)
