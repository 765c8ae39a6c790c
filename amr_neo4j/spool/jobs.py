"""The queue of the server's long jobs, with their state and result."""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.spool.file import SpoolFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  group_id TEXT NOT NULL, user_id TEXT NOT NULL, key_id TEXT NOT NULL DEFAULT '', action TEXT NOT NULL,
  arguments TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, progress TEXT NOT NULL, result TEXT NOT NULL, error TEXT NOT NULL,
  created_at TEXT NOT NULL, changed_at TEXT NOT NULL
);
"""


class JobSpool(SpoolFile):
    """Stores jobs; the server reads and changes them."""

    def __init__(self, file: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read or written."""
        super().__init__(file, _SCHEMA, "jobs", "jobs that wait are lost then")

    def forget(self, group_id: str, user_id: str | None = None, *, unfinished: bool = False) -> None:
        """Delete the ended jobs of a group or of one of its users, also from the disk: they name files and videos.

        Without a user, when footage is forgotten, paused sources and the work of nights stay: they name no footage.
        unfinished: all, also those that wait or are under way.
        Raises StoreUnavailable if they are deleted, but still in the file's journal because another process reads it.
        """
        with self.transaction() as db:
            db.execute(
                "DELETE FROM jobs WHERE group_id = ? AND (? IS NULL OR user_id = ?)"
                " AND (? OR state IN ('completed', 'failed', 'cancelled'))"
                " AND (? OR NOT (action = 'night' OR (action = 'source' AND state = 'cancelled')))",
                (group_id, user_id, user_id, unfinished, unfinished or user_id is not None),
            )
        self.empty_journal("the deleted jobs")
