"""The graph as recall sees it. Every read is scoped: the scope's parameters are added here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import product
from typing import Any

from amr_neo4j.domain.event import Action, Channel, Edge, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database
from amr_neo4j.store.scoping import parameters
from amr_neo4j.store.vocabulary import Vocabulary

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# How many times as many hits are asked for where too few of them lie in a timed scope.
_MORE = 4
# How many events are kept once read, about 1.5 kB each.
_KEPT = 30_000
# The full-text indexes of events, and of those that were merged into others.
_TEXTS = ("event_text", "superseded_text")
_PLAIN_TEXTS = ("plain_text", "plain_superseded_text")
# What recall/neighbours tells of an edge, in its order.
_PAYLOAD = (
    "time_gap",
    "person",
    "object",
    "verb",
    "actor",
    "from_state",
    "to_state",
    "spatial_relation",
    "kind",
    "subject",
    "evidence",
    "overlap",
    "confidence",
)


class EventReader:
    """Reads events, their neighbours and who and what they are about."""

    def __init__(self, database: Database, *, language: str) -> None:
        self._database = database
        self._present, self._past = _TEXTS if language == "en" else _PLAIN_TEXTS
        self._events: dict[int, Event] = {}
        self._vocabularies: dict[str, Vocabulary] = {}
        # Neither a video's place nor its clock ever changes.
        self._videos: dict[tuple[str, str], Video] = {}

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        people = self._people(scope)
        if scope.persons and not people:
            return []
        queries = full_text.queries(text, full_text.event_tokens(scope, people))
        indexes = [self._present, self._past] if scope.known_at else [self._present]
        asked = product(indexes, queries)
        found = dict(hit for index, query in asked for hit in self._hits(index, query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Every edge of these channels that touches one of the events, in either direction."""
        names = [channel.value for channel in channels]
        edges = self._read("neighbours", scope, node_ids=list(node_ids), channels=names)
        return [Edge(src, dst, Channel(channel), _payload(values)) for src, dst, channel, values in edges]

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The events with these ids, in the order of the ids; those out of scope are left out."""
        known = self._known(node_ids, scope)
        asked = [node_id for node_id in node_ids if node_id not in known]
        statements = ("events", "past_events") if scope.known_at else ("events",)
        read = [row for name in statements for row in self._read(name, scope, node_ids=asked)] if asked else ()
        found = known | {event.node_id: event for event in map(_event_of, read)}
        if scope.known_at is None:
            self._keep(found)
        return [found[node_id] for node_id in node_ids if node_id in found]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that use the object, latest first."""
        return self._read("by_object", scope, name=name, limit=limit)

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that involve the person, latest first."""
        return self._read("by_person", scope, person_id=person_id, limit=limit)

    def vocabulary(self, scope: Scope) -> Names:
        """What the people and objects of the scope's group are called."""
        group_id = scope.group_id
        if group_id not in self._vocabularies:
            self._vocabularies[group_id] = Vocabulary(self._database, group_id)
        return self._vocabularies[group_id].names()

    def known(self, names: Names, scope: Scope) -> Names:
        """Those of the names that an event of the scope knows."""
        people, objects = self._record("known", scope, names=sorted(names.persons), things=sorted(names.objects))
        return Names(frozenset(people), frozenset(objects))

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """node_ids of the events in which something is done to one of the objects, latest first.

        states: of those that leave it in one of these; empty for whatever is done.
        """
        return self._read("life", scope, names=list(objects), states=list(states), limit=limit)

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """The videos of a scope by their ids: when each was recorded, with the offset from UTC, and its place."""
        unknown = [video_id for video_id in scope.video_ids if (scope.group_id, video_id) not in self._videos]
        if unknown or not scope.video_ids:
            for video_id, place, at, offset in self._read("recordings", replace(scope, video_ids=tuple(unknown))):
                video = Video(scope.group_id, video_id, recorded_at=_in_zone(at, offset), place=place)
                self._videos[scope.group_id, video_id] = video
        known = {
            video_id: video for (group_id, video_id), video in self._videos.items() if group_id == scope.group_id
        }
        return {i: known[i] for i in scope.video_ids if i in known} if scope.video_ids else known

    def _hits(self, index: str, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """The best of a Lucene query in the scope. Times are no words, so more are asked for until it is full."""
        asked = limit
        while True:
            found, inside = self._record("full_text", scope, index=index, query=query, limit=asked)
            if len(inside) >= limit or found < asked:
                return [(node_id, score) for node_id, score in sorted(inside, key=_best_first)[:limit]]
            asked *= _MORE

    def _people(self, scope: Scope) -> list[tuple[str, str]]:
        """(scope, person_id) of the people that a scope names and memory knows."""
        if not scope.persons:
            return []
        rows = self._database.read("recall/person_scopes", group_id=scope.group_id, persons=list(scope.persons))
        return [(row["scope"], row["person_id"]) for row in rows]

    def _known(self, node_ids: Sequence[int], scope: Scope) -> dict[int, Event]:
        """Those of the events that are kept and in the scope; none where only the graph knows what it bounds."""
        if replace(scope, user_id="", session_ids=()) != Scope(scope.group_id, scope.video_ids):
            return {}
        kept = (self._events[node_id] for node_id in node_ids if node_id in self._events)
        inside = (event for event in kept if event.group_id == scope.group_id)
        return {e.node_id: e for e in inside if not scope.video_ids or e.video_id in scope.video_ids}

    def _keep(self, events: Mapping[int, Event]) -> None:
        """An event never changes, and a question reads hundreds of which many were read for the last one.

        To one that was merged since no index and no edge leads any more.
        """
        if len(self._events) + len(events) > _KEPT:
            self._events.clear()
        self._events.update(events)

    def _read(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The one list that a statement returns: a driver takes 50 us for each record, however little is in it."""
        [found] = self._record(name, scope, **params)
        return found

    def _record(self, name: str, scope: Scope, /, **params: Any) -> list[Any]:
        """The columns of the one record that a statement returns."""
        [row] = self._database.read(f"recall/{name}", **params, **parameters(scope))
        return list(row.values())


def _best_first(hit: Sequence[Any]) -> tuple[float, int]:
    return -hit[1], hit[0]


def _event_of(columns: Sequence[Any]) -> Event:
    """An event from what recall/events collects."""
    (
        node_id,
        group_id,
        video_id,
        clip_ids,
        ordinal,
        time_start,
        time_end,
        summary_text,
        dialogue_snippets,
        persons,
        objects,
        scene_type,
        actions,
        at_seconds,
        at_microsecond,
        uri,
        heard,
    ) = columns
    return Event(
        node_id,
        group_id,
        video_id,
        tuple(clip_ids),
        ordinal,
        time_start,
        time_end,
        summary_text,
        tuple(dialogue_snippets),
        tuple(persons),
        tuple(objects),
        scene_type,
        tuple(Action(**action) for action in json.loads(actions)),
        _at(at_seconds, at_microsecond),
        uri,
        heard,
    )


def _at(seconds: int | None, microsecond: int | None) -> datetime | None:
    """Told in numbers: the driver takes 0.2 ms to make a datetime, and a question reads hundreds."""
    if seconds is None or microsecond is None:
        return None
    return _EPOCH + timedelta(seconds=seconds, microseconds=microsecond)


def _in_zone(seconds: int | None, offset: int | None) -> datetime | None:
    if seconds is None or offset is None:
        return None
    return datetime.fromtimestamp(seconds, timezone(timedelta(seconds=offset)))


def _payload(values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(_PAYLOAD, values, strict=True) if value is not None}
