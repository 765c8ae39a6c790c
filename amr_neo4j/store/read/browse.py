"""Look-ups for display: runs the statements of cypher/show and returns the classes of domain/views.py."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from amr_neo4j.domain.page import NOTHING, WHOLE, Page, PageRequest
from amr_neo4j.domain.scene import TOP
from amr_neo4j.domain.timestamps import zone_name
from amr_neo4j.domain.video import Video, zone_of
from amr_neo4j.domain.views import (
    NOW,
    AnalyticsRow,
    ClipEvent,
    ClipView,
    Count,
    EdgeView,
    EventView,
    GroupView,
    HourlyUsage,
    KnownObject,
    KnownPerson,
    LifecycleStep,
    ModelUsage,
    ObjectEvent,
    ObjectView,
    ParticipantView,
    PersonEvent,
    PersonView,
    Said,
    SceneView,
    Stats,
    Then,
    UseView,
    VideoView,
)
from amr_neo4j.errors import NotInMemory
from amr_neo4j.store.database import Database, Row, Scoped, native, natively
from amr_neo4j.store.read.analytics import analysis
from amr_neo4j.store.read.pages import page_of
from amr_neo4j.store.read.similar_names import similar_names

T = TypeVar("T")

# Hints for kinds without similar names: {kind that was not found: where to look}.
_LISTS = {
    "event": "amr search finds events, amr show video VIDEO lists them",
    "clip": "amr show event NUMBER shows the clips of an event",
}


class EmbeddedGroup(NamedTuple):
    """The embedding model and dimension that a group was first written with, which never change without a re-embed.

    has_videos: whether any clip was committed to it.
    """

    model: str
    dim: int
    has_videos: bool


class Browse:
    """Look-ups of one group."""

    def __init__(self, database: Database, group_id: str, *, zone: tzinfo = UTC) -> None:
        """zone: the time zone of recordings that name none."""
        self._group_id, self._graph = group_id, Scoped(database, group_id=group_id)
        self._zone = zone

    def event(self, node_id: int, *, vector: bool = False, then: Then = NOW) -> EventView:
        """Return an event with its persons, uses and edges; vector: also its embedding.

        Raises NotInMemory if there is none, or not by then.
        """
        by = {"is_now": then == NOW, **_moment(then)}
        rows = self._found(f"event {node_id}", "show/event", node_id=node_id, **by)[:1]
        [row] = self._local(rows)
        parts = {
            "actions": tuple(json.loads(row["actions"])),
            "people": _each(ParticipantView, row["people"]),
            "uses": _each(UseView, row["uses"]),
            "edges": _each(EdgeView, row["edges"]),
            "boxes": tuple(json.loads(row["boxes"] or "[]")),
        }
        return view(EventView, row | parts | ({"text_embedding": self._vector(node_id)} if vector else {}))

    def _vector(self, node_id: int) -> tuple[float, ...] | None:
        """Return the embedding of an event; None if it has none."""
        rows = self._graph.read("show/vector", node_id=node_id)
        return tuple(np.frombuffer(rows[0]["data"], np.float32).tolist()) if rows and rows[0]["data"] else None

    def clips(
        self, clip_id: str, video_id: str | None = None, asked: PageRequest = WHOLE, then: Then = NOW
    ) -> Page[ClipView]:
        """Return a page of the receipts of this clip id with their events: one for each video.

        Raises NotInMemory if there is none, or not by then.
        """
        which = {"clip_id": clip_id, "video_id": video_id, **asked.bounds}
        rows = self._found(f"clip {clip_id}", "show/clip", **which, is_now=then == NOW, **_moment(then))
        return page_of(self._with_local_events(rows), asked, "clip_id", _clip)

    def video(
        self,
        video_id: str,
        asked: PageRequest = NOTHING,
        *,
        since: float | None = None,
        until: float | None = None,
        then: Then = NOW,
    ) -> VideoView:
        """Return a video with its counts and a page of its events in this span. Raises NotInMemory."""
        found = self._video(video_id, then)
        if not asked.limit:
            return found
        span = {"since": since, "until": until, **_moment(then)}
        # One more than is shown, since the events of a span are not counted.
        rows = self._rows("show/video_events", video_id=video_id, start=asked.start, limit=asked.limit + 1, **span)
        page = asked.page(rows, found.events, lambda _: asked.end)
        events = _each(ClipEvent, self._local(page.items, video_id=video_id))
        return replace(found, timeline=events, next=page.next, scenes=self._scenes(video_id, events, then))

    def _scenes(self, video_id: str, events: Sequence[ClipEvent], then: Then) -> tuple[SceneView, ...]:
        """Return the scenes of these events, which are in order. Scenes are only those of the current events."""
        if not events or then.known_at:
            return ()
        span = {"since": events[0].time_start, "until": events[-1].time_start}
        by = {name: value for name, value in _moment(then).items() if name != "known_at"}
        return _each(SceneView, self._rows("show/scenes", video_id=video_id, level=TOP, **span, **by))

    def transcript(
        self,
        video_id: str,
        asked: PageRequest = WHOLE,
        *,
        since: float | None = None,
        until: float | None = None,
        then: Then = NOW,
    ) -> Page[Said]:
        """Return a page of what is said in a video, in order of time. Raises NotInMemory.

        since, until: only what overlaps this span of the video. All of it is read for each page: the turns of a clip
            are one property.
        """
        video, by = self._video(video_id, then), then.as_of
        if isinstance(by, datetime):
            # A video without a wall clock has nothing that was said by a wall clock time, as it has no events.
            by = (by - video.recorded_at).total_seconds() if video.recorded_at else -inf
        found: list[Said] = []
        for row in self._rows("show/transcript", video_id=video_id, known_at=then.known_at):
            people: list[dict[str, str]] = json.loads(row["characters"] or "[]")
            names = {who["local_character_id"]: who["name_or_description"] for who in people}
            names |= {who["speaker_id"]: who["name_or_description"] for who in people if who.get("speaker_id")}
            turns: list[Any] = json.loads(row["speaker_turns"])
            for turn in turns:
                speaker: str = turn["speaker_id"]
                who: str = turn.get("identity") or names.get(speaker, speaker)
                found.append(Said(who, turn["utterance"], turn["time_start"], turn["time_end"]))
        said = [
            each
            for each in found
            if (by is None or each.time_end <= by)
            and (since is None or each.time_end >= since)
            and (until is None or each.time_start <= until)
        ]
        said.sort(key=lambda said: (said.time_start, said.time_end, said.speaker))
        return asked.part(said[asked.start : asked.end], len(said))

    def _video(self, video_id: str, then: Then) -> VideoView:
        """Return a video without its events. Raises NotInMemory if there is none, or not by then."""
        params = {"video_id": video_id, "start": 0, "limit": 1, "is_now": then == NOW, **_moment(then)}
        [row] = self._local(self._found(f"video {video_id}", "show/videos", **params)[:1], "recorded_at")
        del row["total"]
        return view(VideoView, row)

    def known_persons(self, asked: PageRequest, begins: str, then: Then = NOW) -> Page[KnownPerson]:
        """Return a page of the group's persons, those in most events first."""
        return self._known("show/persons", KnownPerson, asked, begins, then)

    def known_objects(self, asked: PageRequest, begins: str, then: Then = NOW) -> Page[KnownObject]:
        """Return a page of the group's objects, the most used first."""
        return self._known("show/objects", KnownObject, asked, begins, then)

    def _known(self, name: str, shape: type[T], asked: PageRequest, begins: str, then: Then) -> Page[T]:
        params = {"begins": begins.lower(), "is_now": then == NOW, **_moment(then)}
        rows = self._local(self._rows(name, **asked.bounds, **params), "last_at", of="last_video")
        return page_of(rows, asked, "events", partial(view, shape))

    def videos(self, asked: PageRequest, then: Then = NOW) -> Page[VideoView]:
        """Return a page of the group's videos, in the order of their ids."""
        params = {"video_id": None, "is_now": then == NOW, **_moment(then)}
        rows = self._local(self._rows("show/videos", **asked.bounds, **params), "recorded_at")
        return page_of(rows, asked, "video_id", partial(view, VideoView))

    def persons(self, person_id: str, events: int, asked: PageRequest = WHOLE, then: Then = NOW) -> Page[PersonView]:
        """Return a page of the persons of this id, one for each scope. Raises NotInMemory.

        events: the most events of each.
        """
        params = {"person_id": person_id, "events": events, **asked.bounds}
        rows = self._found(f"person {person_id}", "show/person", **params, **_moment(then))
        return page_of(self._with_local_events(rows), asked, "person_id", _person)

    def no_person(self, person_id: str, speakers: Collection[str] = ()) -> NotInMemory:
        """Return the error that a person is neither in a video nor one of these speakers, with the nearest names."""
        hint = similar_names("person", person_id, self._rows, sorted(speakers))
        return NotInMemory(f"person {person_id} is not in group {self._group_id}", hint=hint)

    def objects(self, name: str, events: int, asked: PageRequest = WHOLE, then: Then = NOW) -> Page[ObjectView]:
        """Return a page of the objects of this name, one for each place. Raises NotInMemory.

        events: the most uses of each.
        """
        params = {"name": name, "events": events, **asked.bounds}
        rows = self._found(f"object {name}", "show/object", **params, **_moment(then))
        return page_of(self._with_local_events(rows), asked, "name", _object)

    def lifecycle(self, name: str, asked: PageRequest = WHOLE, then: Then = NOW) -> Page[LifecycleStep]:
        """Return a page of what happened to an object, in order of time. Raises NotInMemory."""
        rows = self._found(f"object {name}", "show/lifecycle", object=name, **asked.bounds, **_moment(then))
        return page_of(self._local(rows), asked, "node_id", partial(view, LifecycleStep))

    def counts(self, by: str, zone: tzinfo, asked: PageRequest, then: Then = NOW) -> Page[Count]:
        """Return a page of counts by person, object, place or day. Days and times are those of a time zone."""
        rows = self._rows("show/counts", by=by, zone=zone_name(zone), **asked.bounds, **_moment(then))
        local = [
            row | {name: row[name] and row[name].astimezone(zone) for name in ("first_at", "last_at")} for row in rows
        ]
        return page_of(local, asked, "name", partial(view, Count))

    def analytics(self, name: str, given: Mapping[str, object], asked: PageRequest) -> Page[AnalyticsRow]:
        """Return a page of the rows of cypher/analytics/<name>.cypher. The whole query runs for each page.

        Raises InputError: no such name, parameter or value.
        """
        query = analysis(name)
        rows = self._rows(query.statement, **query.bound(given))
        return asked.part(rows[asked.start : asked.end], len(rows))

    def stats(self) -> Stats:
        """Return how much the group holds: counts, edges by channel, and usage by analyser and model."""
        [row] = self._rows("show/stats", **_moment(NOW))
        models = self._rows("show/spending")
        parts: Row = {name: sum(model[name] for model in models) for name in ("failed", "skipped")}
        parts["channels"] = {channel["channel"]: channel["edges"] for channel in row["channels"]}
        parts["models"] = tuple(view(ModelUsage, model | {"per_hour": _per_hour(model)}) for model in models)
        return view(Stats, row | parts)

    def group(self) -> EmbeddedGroup | None:
        """Return the group's embedding model; None for a group that was never written to."""
        rows = self._rows("group/find")
        return EmbeddedGroup(rows[0]["model"], rows[0]["dim"], bool(rows[0]["has_videos"])) if rows else None

    def embedded_by(self) -> tuple[str, int] | None:
        """Return (model, dimension) of the group's embeddings; None for a group that was never written to."""
        group = self.group()
        return (group.model, group.dim) if group else None

    def groups(self, asked: PageRequest = WHOLE, among: Collection[str] | None = None) -> Page[GroupView]:
        """Return a page of the groups of the database that are not empty. among: of these alone."""
        part = {**asked.bounds, "among": None if among is None else list(among)}
        return page_of(self._graph.read("group/all", **part), asked, "group_id", partial(view, GroupView))

    def unread_turns(self, user_id: str) -> int:
        """Return how many turns of a user were read by neither an extraction nor a nightly run."""
        [row] = self._rows("conversations/count_unread", user_id=user_id)
        return int(row["turns"])

    def _local(
        self, rows: Sequence[Row], clock: str = "at", *, of: str = "video_id", video_id: str = ""
    ) -> list[Row]:
        """Return rows with a wall clock in the time zone of its recording.

        of: the column with the id of the video.
        video_id: of all rows, if they have no such column.
        """
        zones = self._zones({video_id or row[of] for row in rows if row[clock]})

        def local(row: Row) -> Any:
            at = native(row[clock])
            return at.astimezone(zones.get(video_id or row[of], self._zone)) if isinstance(at, datetime) else at

        return [row | {clock: local(row)} for row in rows]

    def _zones(self, video_ids: Collection[str]) -> dict[str, tzinfo | None]:
        """Return {video_id: the time zone of its recording}."""
        rows = self._rows("show/clocks", video_ids=sorted(video_ids)) if video_ids else ()
        return {row["video_id"]: zone_of([Video(self._group_id, **row)], self._zone) for row in rows}

    def _with_local_events(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows whose events have their wall clocks in the time zones of their recordings."""
        events = [{"video_id": row.get("video_id"), **event} for row in rows for event in row["events"] or ()]
        local = iter(self._local(events))
        return [
            row | {"events": [event | {"at": next(local)["at"]} for event in row["events"]]} if row["events"] else row
            for row in rows
        ]

    def _rows(self, name: str, /, **params: Any) -> list[Row]:
        return [natively(row) for row in self._graph.read(name, **params)]

    def _found(self, what: str, name: str, /, **params: Any) -> list[Row]:
        rows = self._rows(name, **params)
        if not rows:
            kind, _, named = what.partition(" ")  # "video office" -> look for videos with a name like "office"
            hint = _LISTS.get(kind) or similar_names(kind, named, self._rows)
            is_bounded = "seconds" in params and any(params[name] != value for name, value in _moment(NOW).items())
            by_then = " by then" if is_bounded else ""
            raise NotInMemory(f"{what} is not in group {self._group_id}{by_then}", hint=hint)
        return rows


def _moment(then: Then) -> dict[str, Any]:
    """Return the parameters of `then` in recall/scope.cypher."""
    as_of = then.as_of
    clock = as_of.timestamp() if isinstance(as_of, datetime) else None
    seconds = inf if as_of is None or isinstance(as_of, datetime) else float(as_of)
    return {"seconds": seconds, "clock": clock, "known_at": then.known_at}


def view(shape: type[T], row: Row) -> T:
    """Return a row as a frozen dataclass whose fields are named like the columns. Lists become tuples."""
    lists = {name: tuple(cast("list[Any]", value)) for name, value in row.items() if isinstance(value, list)}
    return shape(**row | lists)


def _each(shape: type[T], rows: list[Row]) -> tuple[T, ...]:
    return tuple(view(shape, row) for row in rows)


def _person(row: Row) -> PersonView:
    return view(PersonView, row | {"events": _each(PersonEvent, row["events"])})


def _object(row: Row) -> ObjectView:
    return view(ObjectView, row | {"events": _each(ObjectEvent, row["events"])})


def _clip(row: Row) -> ClipView:
    read = {name: json.loads(row[name] or "[]") for name in ("characters", "speaker_turns")}
    return view(ClipView, row | read | {"events": _each(ClipEvent, row["events"])})


def _per_hour(model: Row) -> HourlyUsage | None:
    """Return the tokens and the cost per hour of analysed video; None if none was analysed."""
    hours = model["video_seconds"] / 3600
    names = ("tokens_in", "tokens_out", "cost_usd")
    return HourlyUsage(**{name: model[name] / hours for name in names}) if hours else None
