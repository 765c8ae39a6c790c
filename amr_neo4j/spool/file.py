"""An SQLite file of the spool: committed transactions are on disk. Several processes may share it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from amr_neo4j.disk_space import make_room
from amr_neo4j.errors import NoSpace, SpoolUnusable, StoreUnavailable
from amr_neo4j.files import make_private, private_file

_BUSY_SEC = 30.0
# What SQLite needs to open a file with a write-ahead log, with some to spare.
_JOURNAL_BYTES = 2**17


class SpoolFile:
    """A connection to the file. Thread-safe."""

    def __init__(self, file: Path, schema: str, holds: str, without: str = "its entries are lost then") -> None:
        """holds: its contents, for error messages; without: what becomes of them where the file is moved away.

        Raises SpoolUnusable.
        """
        self._lock = Lock()
        self._path, self._holds, self._without = file, holds, without
        with self._mapped_errors():
            self.db = self._opened(schema)

    def _opened(self, schema: str) -> sqlite3.Connection:
        """A connection that can write; on a full disk one that can only read, if the file exists."""
        if self._path.is_file():
            make_room(self._path.parent)
        if str(self._path) != ":memory:":
            private_file(self._path)  # SQLite gives the journal the rights of the file
            for journal in ("-wal", "-shm"):
                make_private(self._path.with_name(self._path.name + journal))
        db = _connection(self._path)
        try:
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                db.execute(f"PRAGMA {pragma}")
            db.executescript(schema)
        except sqlite3.OperationalError:
            db.close()
            if not self._is_disk_full() or not self._is_whole():
                raise
            return _connection(f"{self._path.absolute().as_uri()}?immutable=1", uri=True)
        return db

    def _is_disk_full(self) -> bool:
        return self._path.parent.is_dir() and shutil.disk_usage(self._path.parent).free < _JOURNAL_BYTES

    def _is_whole(self) -> bool:
        """Whether the file can be read without its journal, as after every orderly close."""
        journal = self._path.with_name(f"{self._path.name}-wal")
        return (
            self._path.exists()
            and self._path.stat().st_size > 0
            and not (journal.exists() and journal.stat().st_size > 0)
        )

    def close(self) -> None:
        """Close the file; its entries stay."""
        self.db.close()

    def rows(self, query: str, params: Sequence[object] = ()) -> list[Any]:
        """Returns all rows of a query, as sqlite3.Row. Raises SpoolUnusable."""
        with self._mapped_errors():
            return self.db.execute(query, params).fetchall()

    def check(self) -> None:
        """Read all of the file. Raises SpoolUnusable: it is damaged."""
        with self._mapped_errors():
            found = [problem for (problem,) in self.db.execute("PRAGMA quick_check(1)")]
            if found != ["ok"]:
                raise sqlite3.DatabaseError(found[0].splitlines()[-1])

    def empty_journal(self, deleted: str) -> None:
        """Empty the journal, which keeps deleted rows until a checkpoint. deleted: what they are, for the error.

        Raises StoreUnavailable: another process reads them.
        """
        with self._mapped_errors():
            [held, *_] = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if held:
            raise StoreUnavailable(f"another process is reading {deleted}", hint="run the command again")

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Context manager: one transaction, rolled back on an exception. Raises NoSpace, SpoolUnusable."""
        with self._lock, self._mapped_errors():
            try:
                if self._path.is_file():  # not in memory
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
            if "full" in str(error) or self._is_disk_full():
                raise NoSpace(
                    f"no disk space left for {self._holds}", hint="free some; nothing was stored"
                ) from error
            hint = "check that it is writable and that no other program locks it"
            raise SpoolUnusable(f"{self._path} cannot be used: {error}", hint=hint) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # also where SQLite's own words quote the damage
            if isinstance(error, sqlite3.Error) and type(error) is not sqlite3.DatabaseError:
                raise  # subclasses are not about the file
            hint = f"move it away, with the -wal and -shm files beside it; {self._without}"
            raise SpoolUnusable(f"{self._path} cannot be read: {error}", hint=hint) from error


def _connection(file: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None, check_same_thread=False, uri=uri)
    db.row_factory = sqlite3.Row
    return db
