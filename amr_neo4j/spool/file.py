"""One SQLite file of the spool: what a transaction has ended is on disk. Several processes may share it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from amr_neo4j.errors import NoSpace, SpoolUnusable

_BUSY_SEC = 30.0


class SpoolFile:
    """A connection to it. Safe to use from several threads."""

    def __init__(self, file: Path, schema: str, holds: str) -> None:
        """holds: what is in it, in words for a person who has no room left for more. Raises SpoolUnusable."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()
        self._path, self._holds = file, holds
        with self._told_plainly():
            self.db = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None, check_same_thread=False)
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                self.db.execute(f"PRAGMA {pragma}")
            self.db.executescript(schema)

    def close(self) -> None:
        """End the connection; what waits goes on waiting."""
        self.db.close()

    def rows(self, query: str, params: Sequence[object] = ()) -> list[Any]:
        """What it finds, read to the end. Raises SpoolUnusable."""
        with self._told_plainly():
            return self.db.execute(query, params).fetchall()

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All that is done inside, or nothing. Raises NoSpace, SpoolUnusable."""
        with self._lock, self._told_plainly():
            try:
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def _told_plainly(self) -> Generator[None]:
        """Around what SQLite does: what a person can put right, in our own errors."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise NoSpace(f"no room left for {self._holds}", hint="free some; nothing was taken") from error
            hint = "see that it can be written and that nobody else holds it"
            raise SpoolUnusable(f"{self._path} cannot be used: {error}", hint=hint) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # the others are no fault of the file
                raise
            hint = "move it away, with -wal and -shm beside it; what waits in it is then not taken in"
            raise SpoolUnusable(f"{self._path} cannot be read: {error}", hint=hint) from error
