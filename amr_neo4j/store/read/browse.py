"""What the graph holds, for people to look at: rows as the statements of cypher/show return them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import neo4j.time

from amr_neo4j.errors import NotInMemory
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.read.analytics import analysis


class Browse:
    """Look-ups of one group."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._database = database
        self._group_id = group_id

    def event(self, node_id: int) -> Row:
        """One event with its people, uses and edges. Raises NotInMemory."""
        row = self._one(f"event {node_id}", "show/event", node_id=node_id)
        return row | {"actions": json.loads(row["actions"])}

    def clips(self, clip_id: str, video_id: str | None = None) -> list[Row]:
        """The receipts of this clip id, one a video, with their events. Raises NotInMemory."""
        return self._some(f"clip {clip_id}", "show/clip", clip_id=clip_id, video_id=video_id)

    def video(self, video_id: str) -> Row:
        """What is known of a video. Raises NotInMemory."""
        return self._one(f"video {video_id}", "show/videos", video_id=video_id)

    def videos(self) -> list[Row]:
        """Every video of the group."""
        return self._rows("show/videos", video_id=None)

    def persons(self, person_id: str, limit: int) -> list[Row]:
        """A person with the events they take part in, a row for each scope. Raises NotInMemory."""
        return self._some(f"person {person_id}", "show/person", person_id=person_id, limit=limit)

    def objects(self, name: str, limit: int) -> list[Row]:
        """An object with the events that use it, a row for each place. Raises NotInMemory."""
        return self._some(f"object {name}", "show/object", name=name, limit=limit)

    def lifecycle(self, name: str) -> list[Row]:
        """What happened to an object, in order of time. Raises NotInMemory."""
        return self._some(f"object {name}", "analytics/object_timeline", object=name)

    def analytics(self, name: str, given: Mapping[str, Any]) -> list[Row]:
        """The rows of cypher/analytics/<name>.cypher. Raises InputError: no such name, parameter or value."""
        asked = analysis(name)
        return self._rows(asked.statement, **asked.bound(given))

    def stats(self) -> Row:
        """How much the group holds: counts, edges by channel, and what the clips took, by analyser and model."""
        [row] = self._rows("show/stats")
        models = self._rows("show/spending")
        lost = {name: sum(model[name] for model in models) for name in ("failed", "skipped")}
        models = [model | {"per_hour": _per_hour(model)} for model in models]
        channels = {channel["channel"]: channel["edges"] for channel in row["channels"]}
        return row | lost | {"channels": channels, "models": models}

    def group(self) -> Row | None:
        """What the group was first written with: model, dim, languages; None for one nobody wrote to."""
        rows = self._rows("group/find")
        return rows[0] if rows else None

    def _rows(self, name: str, /, **params: Any) -> list[Row]:
        rows = self._database.read(name, group_id=self._group_id, **params)
        return [{key: _plain(value) for key, value in row.items()} for row in rows]

    def _some(self, what: str, name: str, /, **params: Any) -> list[Row]:
        rows = self._rows(name, **params)
        if not rows:
            raise NotInMemory(f"{what} is not in group {self._group_id}", hint="see what is: amr videos, amr search")
        return rows

    def _one(self, what: str, name: str, /, **params: Any) -> Row:
        return self._some(what, name, **params)[0]


def _per_hour(model: Row) -> Row | None:
    """What an hour of video took; None before any was analysed."""
    hours = model["video_seconds"] / 3600
    return {name: model[name] / hours for name in ("tokens_in", "tokens_out", "cost_usd")} if hours else None


def _plain(value: Any) -> Any:
    """The driver's times as Python's."""
    return value.to_native() if isinstance(value, neo4j.time.DateTime) else value
