"""Remembers which database answered at an address, so that queued episodes reach that database and no other.

An address may later lead to another database, and a database may be down when a turn is accepted.
"""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.spool.file import SpoolFile

_SCHEMA = "CREATE TABLE IF NOT EXISTS graphs (address TEXT PRIMARY KEY, graph TEXT NOT NULL);"


class KnownDatabases(SpoolFile):
    """The databases that this machine has connected to, by address."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, _SCHEMA, "database ids")

    def at(self, address: str) -> str | None:
        """Return the id of the database that last answered at an address; None if none did."""
        rows = self.rows("SELECT graph FROM graphs WHERE address = ?", (address,))
        return rows[0]["graph"] if rows else None

    def keep(self, address: str, graph: str) -> None:
        """Record the database that answers at an address. Raises NoSpace."""
        if self.at(address) != graph:  # it rarely changes, so that usually no write is needed
            with self.transaction() as db:
                db.execute("INSERT OR REPLACE INTO graphs (address, graph) VALUES (?, ?)", (address, graph))
