"""One SQLite file of the spool: what a transaction has ended is on disk. Several processes may share it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from amr_neo4j.errors import NoSpace

_BUSY_SEC = 30.0


class SpoolFile:
    """A connection to it. Safe to use from several threads."""

    def __init__(self, file: Path, schema: str, holds: str) -> None:
        """holds: what is in it, in words for a person who has no room left for more."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()
        self._holds = holds
        self.db = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
            self.db.execute(f"PRAGMA {pragma}")
        self.db.executescript(schema)

    def close(self) -> None:
        """End the connection; what waits goes on waiting."""
        self.db.close()

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All that is done inside, or nothing. Raises NoSpace."""
        with self._lock:
            try:
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException as error:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
                    raise NoSpace(f"no room left for {self._holds}", hint="free some; nothing was taken") from error
                raise
