"""An SQLite file of the spool. A committed transaction is on disk. Several processes may share the file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Any

from amr_neo4j.disk_space import make_room
from amr_neo4j.errors import NoSpace, SpoolReadOnly, SpoolUnusable, StoreUnavailable
from amr_neo4j.files import make_private, private_file

# How long to wait for a lock that another process holds.
_BUSY_SEC = 30.0
# SQLite needs somewhat less than this to open a file with a write-ahead log.
_JOURNAL_BYTES = 2**17
_MAKING = Lock()


class SpoolFile:
    """A connection to the file. Thread-safe."""

    def __init__(self, file: Path, schema: str, holds: str, without: str = "its entries are lost then") -> None:
        """holds: what the file holds.

        without: what happens if a user moves it away. Both are for error messages.
        Raises SpoolUnusable: the file cannot be read or written.
        """
        # Threads share the connection, and so its transaction: without the lock, a thread would read what another has
        # not committed yet. Re-entrant, because a transaction reads, too.
        self._lock = RLock()
        self._is_closed = False
        self._path, self._holds, self._without = file, holds, without
        with self._mapped_errors():
            self.db = self._opened(schema)

    def _opened(self, schema: str) -> sqlite3.Connection:
        """Return a connection that can write.

        On a disk that is full or cannot be written: one that can only read, if the file is whole.
        """
        if self._path.is_file():
            make_room(self._path.parent)
        if str(self._path) != ":memory:":
            self._prepare()
        db = _connection(self._path)
        try:
            # WAL: others can read during a write. FULL: a commit is on disk when it returns. secure_delete: what is
            # deleted is overwritten with zeros.
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
                db.execute(f"PRAGMA {pragma}")
            db.executescript(schema)
        except sqlite3.OperationalError:
            db.close()
            if not (self._is_disk_full() or self._is_read_only()) or not self._is_whole():
                raise
            # immutable: SQLite then reads the file without creating a journal, which needs no space.
            return _connection(f"{self._path.absolute().as_uri()}?immutable=1", uri=True)
        return db

    def _prepare(self) -> None:
        """Make the file, private to the user. Raises SpoolUnusable if it or its journal is not a regular file."""
        # SQLite creates journals with the permissions of the file.
        journals = [self._path.with_name(self._path.name + end) for end in ("-wal", "-shm")]
        for path in (self._path, *journals):
            if path.is_symlink() or (path.exists() and not path.is_file()):
                what = "a symbolic link" if path.is_symlink() else "no regular file"
                hint = f"move it away; {self._without}"
                raise SpoolUnusable(f"{path} cannot be used: it is {what}", hint=hint)
        try:
            with _MAKING:  # a thread that makes the file closes it once, before another opens it
                private_file(self._path)
        except OSError:
            if not self._is_read_only() or not self._path.exists():
                raise
        for journal in journals:
            make_private(journal)

    def _is_read_only(self) -> bool:
        return not os.access(self._path.parent, os.W_OK)

    def _is_disk_full(self) -> bool:
        return self._path.parent.is_dir() and shutil.disk_usage(self._path.parent).free < _JOURNAL_BYTES

    def _is_whole(self) -> bool:
        """Return whether the file exists and its journal is empty or missing, as after every orderly close."""
        journal = self._path.with_name(f"{self._path.name}-wal")
        return (
            self._path.exists()
            and self._path.stat().st_size > 0
            and not (journal.exists() and journal.stat().st_size > 0)
        )

    def close(self) -> None:
        """Close the file; its entries stay. A thread that uses it later gets SpoolUnusable."""
        with self._lock:
            self._is_closed = True
            self.db.close()

    def rows(self, query: str, params: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a query, as sqlite3.Row. Raises SpoolUnusable: the file cannot be read."""
        with self._lock, self._mapped_errors():
            return self.db.execute(query, params).fetchall()

    def check(self) -> None:
        """Read the whole file. Raises SpoolUnusable if it is damaged."""
        with self._lock, self._mapped_errors():
            found = [problem for (problem,) in self.db.execute("PRAGMA quick_check(1)")]
            if found != ["ok"]:
                raise sqlite3.DatabaseError(found[0].splitlines()[-1])

    def empty_journal(self, deleted: str) -> None:
        """Empty the journal, so that deleted rows are gone from the disk: it keeps them until a checkpoint.

        deleted: what was deleted, for the error message. Raises StoreUnavailable: another process still reads it.
        """
        with self._lock, self._mapped_errors():
            [held, *_] = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if held:
            raise StoreUnavailable(f"another process is reading {deleted}", hint="run the command again")

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Context manager: runs one transaction, which an exception rolls back. Raises NoSpace, SpoolUnusable."""
        with self._lock, self._mapped_errors():
            try:
                # On a full disk, snapshots of indexes are deleted: they can be rebuilt, but entries cannot.
                if self._path.is_file():  # not in memory
                    make_room(self._path.parent)
                # IMMEDIATE waits for the write lock now. A transaction that asks for it later can fail at once.
                self.db.execute("BEGIN IMMEDIATE")
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def _mapped_errors(self) -> Generator[None]:
        """Context manager: turns SQLite's errors that a user can fix into NoSpace and SpoolUnusable."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            if self._is_read_only():
                hint = "make it writable, or set AMR_DATA_DIR to a folder that is"
                raise SpoolReadOnly(f"{self._path.parent} cannot be written: {_reason(error)}", hint=hint) from error
            if "full" in str(error) or self._is_disk_full():
                raise NoSpace(
                    f"no disk space left for {self._holds}", hint="free some; nothing was stored"
                ) from error
            hint = "check that it is writable and that no other program locks it"
            raise SpoolUnusable(f"{self._path} cannot be used: {_reason(error)}", hint=hint) from error
        # UnicodeDecodeError: SQLite's message quotes the damaged bytes, and Python cannot decode them.
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if self._is_closed:
                raise SpoolUnusable(f"{self._path} was closed", hint="open memory anew") from error
            if isinstance(error, sqlite3.Error) and type(error) is not sqlite3.DatabaseError:
                raise  # subclasses, such as IntegrityError, are about the statement and not about the file
            hint = f"move it away, with the -wal and -shm files beside it; {self._without}"
            raise SpoolUnusable(f"{self._path} cannot be read: {error}", hint=hint) from error


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _connection(file: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    # isolation_level=None: transactions are begun by hand. Threads share the connection; SpoolFile's lock keeps their
    # transactions apart.
    db = sqlite3.connect(file, timeout=_BUSY_SEC, isolation_level=None, check_same_thread=False, uri=uri)
    db.row_factory = sqlite3.Row
    return db
