"""Which database answered at an address: what is said while it is away waits for that one and no other."""

from __future__ import annotations

from pathlib import Path

from amr_neo4j.spool.file import SpoolFile

_SCHEMA = "CREATE TABLE IF NOT EXISTS graphs (address TEXT PRIMARY KEY, graph TEXT NOT NULL);"


class KnownDatabases:
    """The databases that this machine has spoken to, in the file that holds what waits for them."""

    def __init__(self, file: Path) -> None:
        self._file = SpoolFile(file, _SCHEMA, "which database this is")

    def close(self) -> None:
        """End the connection."""
        self._file.close()

    def at(self, address: str) -> str | None:
        """The one that answered last at an address; None where none ever did."""
        rows = self._file.rows("SELECT graph FROM graphs WHERE address = ?", (address,))
        return rows[0][0] if rows else None

    def keep(self, address: str, graph: str) -> None:
        """This one answers there now. Raises NoSpace."""
        if self.at(address) != graph:
            with self._file.transaction() as db:
                db.execute("INSERT OR REPLACE INTO graphs (address, graph) VALUES (?, ?)", (address, graph))
