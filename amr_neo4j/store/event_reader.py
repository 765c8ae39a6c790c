"""The graph as recall sees it. Every read is scoped: the scope's parameters are added here and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from amr_neo4j.domain.event import Action, Channel, Edge, Event
from amr_neo4j.domain.recall import Scope
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row

_BOOKKEEPING = ("group_id", "key", "created_at")


class EventReader:
    """Reads events, their neighbours and who and what they are about."""

    def __init__(self, database: Database, *, language: str) -> None:
        self._database = database
        self._index = "event_text" if language == "en" else "plain_text"

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first; nothing for a text without a word."""
        found = [
            (row["node_id"], row["score"])
            for query in full_text.queries(text, scope)
            for row in self._read("full_text", scope, index=self._index, query=query, limit=limit)
        ]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

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
        rows = self._read("vocabulary", scope)
        people = [row["identity"] for row in rows if row["kind"] == "person"]
        return people, [row["identity"] for row in rows if row["kind"] == "object"]

    def _read(self, name: str, scope: Scope, /, **params: Any) -> list[Row]:
        params |= {"group_id": scope.group_id, "video_ids": list(scope.video_ids)}
        return self._database.read(f"recall/{name}", **params)


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
        at=row["at"].to_native() if row["at"] else None,
        uri=row["uri"],
    )


def _payload(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in _BOOKKEEPING}
