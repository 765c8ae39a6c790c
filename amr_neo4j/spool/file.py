"""An SQLite file of the spool: committed transactions are on disk. Several processes may share it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from amr_neo4j.disk_space import make_room
from amr_neo4j.errors import NoSpace, SpoolUnusable
from amr_neo4j.files import make_private, private_file

_BUSY_SEC = 30.0


class SpoolFile:
    """A connection to the file. Thread-safe."""

    def __init__(self, file: Path, schema: str, holds: str) -> None:
        """holds: its contents, for error messages. Raises SpoolUnusable."""
        self._lock = Lock()
        self._path, self._holds = file, holds
        with self._mapped_errors():
            if str(file) != ":memory:":
                private_file(file)  # SQLite gives the journal the rights of the file
                for journal in ("-wal", "-shm"):
                    make_private(file.with_name(file.name + journal))
            self.db = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None, check_same_thread=False)
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                self.db.execute(f"PRAGMA {pragma}")
            self.db.executescript(schema)

    def close(self) -> None:
        """Close the file; its entries stay."""
        self.db.close()

    def rows(self, query: str, params: Sequence[object] = ()) -> list[Any]:
        """Returns all rows of a query. Raises SpoolUnusable."""
        with self._mapped_errors():
            return self.db.execute(query, params).fetchall()

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Context manager: one transaction, rolled back on an exception. Raises NoSpace, SpoolUnusable."""
        with self._lock, self._mapped_errors():
            try:
                make_room(self._path.parent)
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def _mapped_errors(self) -> Generator[None]:
        """Context manager: SQLite's errors that a user can fix become our own."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise NoSpace(
                    f"no disk space left for {self._holds}", hint="free some; nothing was stored"
                ) from error
            hint = "check that it is writable and that no other program locks it"
            raise SpoolUnusable(f"{self._path} cannot be used: {error}", hint=hint) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # subclasses are not about the file
                raise
            hint = "move it away, with the -wal and -shm files beside it; its entries are lost then"
            raise SpoolUnusable(f"{self._path} cannot be read: {error}", hint=hint) from error
