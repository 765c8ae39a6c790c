"""Messages of camera systems that are not in the graph yet, in one SQLite file, in the order in which they came."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from amr_neo4j.spool.file import SpoolFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
  number INTEGER PRIMARY KEY AUTOINCREMENT, group_id TEXT NOT NULL, source TEXT NOT NULL, payload TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_by_group ON messages (group_id, number);
"""


@dataclass(frozen=True)
class SpooledMessage:
    """A message. source: the broker and the topic."""

    number: int
    source: str
    payload: str


class MessageSpool(SpoolFile):
    """Stores messages until what they say is in the graph. When `keep` returns, the message is on disk."""

    def __init__(self, file: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read."""
        super().__init__(file, _SCHEMA, "messages of cameras")

    def keep(self, group_id: str, source: str, payload: bytes) -> None:
        """Store a message. Raises NoSpace."""
        row = (group_id, source, payload.decode("utf-8", "replace"))
        with self.transaction() as db:
            db.execute("INSERT INTO messages (group_id, source, payload) VALUES (?, ?, ?)", row)

    def first(self, group_id: str, limit: int, *, without: Collection[int] = ()) -> list[SpooledMessage]:
        """Return the oldest messages of a group. without: the numbers of those to leave out."""
        query = (
            "SELECT number, source, payload FROM messages WHERE group_id = ?"
            " AND number NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT ?"
        )
        return [SpooledMessage(*row) for row in self.rows(query, (group_id, json.dumps([*without]), limit))]

    def waiting(self, group_id: str) -> int:
        """Return how many messages of a group there are."""
        [(count,)] = self.rows("SELECT count(*) FROM messages WHERE group_id = ?", (group_id,))
        return count

    def remove(self, numbers: Sequence[int]) -> None:
        """Delete messages, once the graph has what they say."""
        with self.transaction() as db:
            db.executemany("DELETE FROM messages WHERE number = ?", [(number,) for number in numbers])

    def forget(self, numbers: Sequence[int]) -> int:
        """Delete messages, also from the disk. Returns their number.

        Raises StoreUnavailable if they are deleted, but still in the file's journal because another process reads it.
        """
        self.remove(numbers)
        self.empty_journal("the deleted messages")
        return len(numbers)
