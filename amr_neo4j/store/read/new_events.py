"""Reads new events in the order of their commits. Alerts use it to follow what is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from amr_neo4j.store.database import Database


@dataclass(frozen=True)
class CommittedEvent:
    """A committed event and its clip. t_start, t_end: of the clip, in seconds of the video.

    file: of the clip, "" if it has none of its own.
    source: file or address of the video.
    """

    node_id: int
    video_id: str
    clip_id: str
    t_start: float
    t_end: float
    file: str
    source: str
    recorded_at: datetime | None


class NewEvents:
    """Follows the events of one group."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._database, self._group_id = database, group_id

    def last(self) -> int:
        """Return the node_id of the event that was written last, in any group; -1 if there is none."""
        [row] = self._database.read("alerts/last_event")
        return row["node_id"]

    def after(self, node_id: int, limit: int) -> list[CommittedEvent]:
        """Return at most `limit` of the group's events that were written after the event `node_id`, in order."""
        rows = self._database.read("alerts/new_events", group_id=self._group_id, after=node_id, limit=limit)
        return [
            CommittedEvent(
                *(row["node_id"], row["video_id"], row["clip_id"], row["t_start"], row["t_end"]),
                *(row["clip_uri"], row["source"]),
                row["recorded_at"].to_native() if row["recorded_at"] else None,
            )
            for row in rows
        ]
