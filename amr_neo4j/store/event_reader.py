"""The graph as recall sees it. Every read is scoped: the scope's parameters are added here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from amr_neo4j.domain.event import Action, Channel, Edge, Event
from amr_neo4j.domain.recall import Scope
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.scoping import parameters

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# How many times as many hits are asked for where too few of them lie in a timed scope.
_MORE = 4


class EventReader:
    """Reads events, their neighbours and who and what they are about."""

    def __init__(self, database: Database, *, language: str) -> None:
        self._database = database
        self._index = "event_text" if language == "en" else "plain_text"

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        people = self._people(scope)
        if scope.persons and not people:
            return []
        queries = full_text.queries(text, scope, people)
        found = dict(hit for query in queries for hit in self._hits(query, scope, limit))
        return sorted(found.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Every edge of these channels that touches one of the events, in either direction."""
        names = [channel.value for channel in channels]
        rows = self._read("neighbours", scope, node_ids=list(node_ids), channels=names)
        return [Edge(row["src"], row["dst"], Channel(row["channel"]), _payload(row["payload"])) for row in rows]

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The events with these ids, in the order of the ids; those out of scope are left out."""
        rows = self._read("events", scope, node_ids=list(node_ids))
        found = {row["node_id"]: event_of(row) for row in rows}
        return [found[node_id] for node_id in node_ids if node_id in found]

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that use the object, latest first."""
        return [row["node_id"] for row in self._read("by_object", scope, name=name, limit=limit)]

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that involve the person, latest first."""
        return [row["node_id"] for row in self._read("by_person", scope, person_id=person_id, limit=limit)]

    def vocabulary(self, scope: Scope) -> tuple[list[str], list[str]]:
        """The person ids and object names that the scope knows."""
        rows = self._read("vocabulary", scope, bounded=scope != Scope(scope.group_id))
        people = [row["identity"] for row in rows if row["kind"] == "person"]
        return people, [row["identity"] for row in rows if row["kind"] == "object"]

    def _hits(self, query: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """The best of a Lucene query in the scope. Times are no words, so more are asked for until it is full."""
        asked = limit
        while True:
            rows = self._read("full_text", scope, index=self._index, query=query, limit=asked)
            inside = [(row["node_id"], row["score"]) for row in rows if row["inside"]]
            if len(inside) >= limit or len(rows) < asked:
                return inside[:limit]
            asked *= _MORE

    def _people(self, scope: Scope) -> list[tuple[str, str]]:
        """(scope, person_id) of the people that a scope names and memory knows."""
        if not scope.persons:
            return []
        rows = self._database.read("recall/person_scopes", group_id=scope.group_id, persons=list(scope.persons))
        return [(row["scope"], row["person_id"]) for row in rows]

    def _read(self, name: str, scope: Scope, /, **params: Any) -> list[Row]:
        return self._database.read(f"recall/{name}", **params, **parameters(scope))


def event_of(row: Mapping[str, Any]) -> Event:
    """An event from the columns that recall/events returns."""
    return Event(
        node_id=row["node_id"],
        group_id=row["group_id"],
        video_id=row["video_id"],
        clip_ids=tuple(row["clip_ids"]),
        ordinal=row["ordinal"],
        time_start=row["time_start"],
        time_end=row["time_end"],
        summary_text=row["summary_text"],
        dialogue_snippets=tuple(row["dialogue_snippets"]),
        persons=tuple(row["persons"]),
        objects=tuple(row["objects"]),
        scene_type=row["scene_type"],
        actions=tuple(Action(**action) for action in json.loads(row["actions"])),
        at=_at(row["at_seconds"], row["at_microsecond"]),
        uri=row["uri"],
        heard=row["heard"],
    )


def _at(seconds: int | None, microsecond: int | None) -> datetime | None:
    """Told in numbers: the driver takes 0.2 ms to make a datetime, and a question reads hundreds."""
    if seconds is None or microsecond is None:
        return None
    return _EPOCH + timedelta(seconds=seconds, microseconds=microsecond)


def _payload(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not None}
