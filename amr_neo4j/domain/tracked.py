"""What a camera system (Frigate) knows so far of an object, a sound or a review item, and how more of it is added."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from amr_neo4j.domain.plain import picked
from amr_neo4j.tables import Share

# 4e9 s is in the year 2096, so times in milliseconds are refused.
Epoch = Annotated[FiniteFloat, Field(ge=0, lt=4e9)]
Words = Annotated[str, Field(strict=True, max_length=500)]
MOST_POINTS = 200
"""The most points of a path that are kept. More are thinned out evenly."""
_LONGEST_SHOWN = 80
# What the last message that says it decides, and what adds up over all messages.
_LAST_SAID = ("sub_labels", "plate", "title", "description", "box")
_GATHERED = ("zones", "objects", "sounds", "members", "apart")


class PathPoint(BaseModel):
    """Where an object was: shares of the picture's width and height from its upper left corner, and seconds since
    1970.
    """

    model_config = ConfigDict(frozen=True)

    x: Share
    y: Share
    time: Epoch


class TrackedItem(BaseModel):
    """One item of a camera system, as far as it is known. Empty values are unknown.

    kind: object (seen), sound (heard), report (a person or a program reported it), review (sums up several items).
    start, seen_until: seconds since 1970. seen_until is the end once `ended`.
    label: the class, as the system writes it.
    objects, sounds: of a review, the classes of what it sums up.
    members: the ids of what a review sums up.
    sub_labels: names or kinds of the object.
    title, description: what a model or a person wrote about it.
    attributes: {what a classifier was asked: its answer}.
    box: left, top, right, bottom as shares of the picture, at `box_time`.
    is_false: the system takes it for a mistake.
    apart: of a review, those of its members and sounds that are stored as items of their own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    item_id: Annotated[str, Field(strict=True, min_length=1, max_length=500)]
    kind: Literal["object", "sound", "report", "review"] = "object"
    camera: Words = ""
    label: Words = ""
    start: Epoch
    seen_until: Epoch
    ended: bool = False
    sub_labels: tuple[Words, ...] = ()
    plate: Words = ""
    zones: tuple[Words, ...] = ()
    title: Words = ""
    description: Annotated[str, Field(strict=True, max_length=20_000)] = ""
    score: Share | None = None
    severity: Words = ""
    attributes: dict[Words, Words] = {}
    box: tuple[Share, Share, Share, Share] | None = None
    box_time: Epoch | None = None
    path: Annotated[tuple[PathPoint, ...], Field(max_length=MOST_POINTS)] = ()
    objects: tuple[Words, ...] = ()
    sounds: tuple[Words, ...] = ()
    members: tuple[Words, ...] = ()
    is_false: bool | None = None
    apart: tuple[Words, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it can be stored: an update of an item says neither its camera nor its class."""
        return bool(self.camera and (self.label or self.kind == "review"))

    def with_more(self, later: TrackedItem) -> TrackedItem:
        """Return this item with what a later message says. What the message does not say is kept."""
        whole = later if later.is_whole else self
        last = self if self.ended and not later.ended else later
        said = {name: getattr(later, name) or getattr(self, name) for name in _LAST_SAID}
        gathered = {name: tuple(dict.fromkeys([*getattr(self, name), *getattr(later, name)])) for name in _GATHERED}
        return TrackedItem(
            **said,
            **gathered,
            **picked(whole, "kind", "label", "start"),
            item_id=self.item_id,
            camera=whole.camera or later.camera,
            seen_until=last.seen_until if last.ended else max(self.seen_until, later.seen_until),
            ended=last.ended,
            score=max((each.score for each in (self, later) if each.score is not None), default=None),
            severity="alert" if "alert" in (self.severity, later.severity) else later.severity or self.severity,
            attributes=self.attributes | later.attributes,
            box_time=later.box_time if later.box else self.box_time,
            path=max(later.path, self.path, key=len),
            is_false=self.is_false if later.is_false is None else later.is_false,
        )

    def changes_since(self, before: TrackedItem) -> list[str]:
        """Return what differs from an earlier state, as words for a receipt: "sub_labels: Anna (was empty)"."""
        changes: list[str] = []
        for name in type(self).model_fields:
            new, old = _shown(getattr(self, name)), _shown(getattr(before, name))
            if new != old:
                # Of a path and a box, numbers would tell a reader nothing.
                changes.append(name if name in ("path", "box", "box_time") else f"{name}: {new} (was {old})")
        return changes


@dataclass(frozen=True)
class StoredItem:
    """An item that a clip in the graph was made of.

    content_sha256, uri: of the clip.
    place: of its video.
    """

    video_id: str
    item: TrackedItem
    content_sha256: str
    uri: str = ""
    place: str = ""


def video_of(camera: str, start: float) -> str:
    """Return the id of the video of a camera's day, by UTC: "front_door-2026-11-23"."""
    return f"{camera}{day_suffix(start)}"


def day_suffix(start: float) -> str:
    """Return the suffix of the ids of all cameras' videos of a day: "-2026-03-01"."""
    return f"-{datetime.fromtimestamp(start, UTC):%Y-%m-%d}"


def thinned(points: list[PathPoint]) -> tuple[PathPoint, ...]:
    """Return at most MOST_POINTS of the points of a path, with the first and the last."""
    if len(points) <= MOST_POINTS:
        return tuple(points)
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return tuple(points[round(number * step)] for number in range(MOST_POINTS))


def _shown(value: Any) -> str:
    """Return a value of an item in a few words. Seconds since 1970 become a date."""
    match value:
        case None | "" | ():
            return "empty"
        case bool():
            return "yes" if value else "no"
        case float() if value > 1:
            return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")
        case dict():
            value = ", ".join(f"{key} {each}" for key, each in cast(dict[str, str], value).items()) or "empty"
        case tuple():
            value = ", ".join(map(str, cast(tuple[object, ...], value)))
        case _:
            value = str(value)
    return value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…"
