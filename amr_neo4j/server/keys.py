"""The keys of the server: what each may do in which memory, the audit of its changes, and its spending."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Literal, get_args

from amr_neo4j.domain.episode import composed
from amr_neo4j.errors import InputError, NoSpace, NotInMemory, SpoolUnusable
from amr_neo4j.files import private_folder, read_regular, write_atomically
from amr_neo4j.spool.file import SpoolFile
from amr_neo4j.spool.rows import insert, read

_log = logging.getLogger(__name__)

Scope = Literal["read", "write", "forget", "admin"]
"""What a key may do: read; take in and correct; forget; and what concerns the whole group. None includes another."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
Spent = Literal["bytes", "usd"]
"""What a key may send, and what its calls to models may cost, on one day."""
ANY = "*"
"""Stands for every group, or every user."""
BEGUN = 0
"""In place of a status in the audit: the call was begun, and its end could not be noted."""
_FILE, _LOCAL_KEY = "keys.sqlite", "server.key"
_LARGEST_KEY = 1000
_KEY = re.compile(r"amr_([0-9a-f]{12})_[\w-]{43}")
# The last use of a key is written at most this often.
_NOTE_EVERY = timedelta(minutes=1)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY, hash BLOB NOT NULL,
  name TEXT NOT NULL, groups TEXT NOT NULL, users TEXT NOT NULL, scopes TEXT NOT NULL,
  created_at TEXT NOT NULL, expires_at TEXT, last_used TEXT, revoked_at TEXT
);
CREATE TABLE IF NOT EXISTS audit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL, key_id TEXT NOT NULL, group_id TEXT NOT NULL, user_id TEXT NOT NULL,
  action TEXT NOT NULL, of TEXT NOT NULL, status INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS spent (
  what TEXT NOT NULL, key_id TEXT NOT NULL, day TEXT NOT NULL, amount REAL NOT NULL, PRIMARY KEY (what, key_id, day)
);
"""


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key without its secret.

    id: its first characters, which tell keys apart.
    name: what a person calls it.
    groups, users: whose memory it opens; ANY for all. Without a user it opens only videos.
    """

    id: str
    name: str
    groups: tuple[str, ...]
    users: tuple[str, ...]
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Return whether it is neither revoked nor expired."""
        return not self.revoked_at and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, kw_only=True)
class AuditedCall:
    """A call that changed memory.

    action: method and path as in the API's document.
    of: the path that was called.
    status: the HTTP status of the reply; BEGUN if it was begun and its end is not known.
    """

    at: datetime
    key_id: str
    group_id: str
    user_id: str
    action: str
    of: str
    status: int


class Keys:
    """The keys in the data directory. Thread-safe; several processes may share the file.

    Only a hash of each key is stored. A key has 256 random bits, so a plain SHA-256 cannot be searched for it.
    """

    def __init__(self, data_dir: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read or written."""
        self._folder = private_folder(data_dir)
        self._file = SpoolFile(data_dir / _FILE, _SCHEMA, "keys", "all keys are lost then")
        # {(what, id of the key, day): how much}, of today. The file has what of it could be written.
        self._spent: dict[tuple[Spent, str, date], float] = {}
        self._counting = Lock()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def create(
        self,
        *,
        name: str = "",
        groups: Sequence[str],
        users: Sequence[str] = (),
        scopes: Sequence[str] = ("read",),
        now: datetime,
        expires_at: datetime | None = None,
    ) -> tuple[Key, str]:
        """Return a new key and its text. Only a hash is kept, so it is never shown again. Raises InputError."""
        if not groups or not all(groups) or not all(users):
            raise InputError("a key without a group, or with an empty name", hint="name the group: --group home")
        if not scopes or not set(scopes) <= set(SCOPES):
            raise InputError(f"no such scope: {', '.join(scopes)}", hint=f"known: {', '.join(SCOPES)}")
        if expires_at and expires_at <= now:
            raise InputError("the key would have expired already", hint="pass a later time, like 90d")
        key_id = secrets.token_hex(6)
        text = f"amr_{key_id}_{secrets.token_urlsafe(32)}"
        key = Key(
            id=key_id,
            name=name,
            groups=tuple(composed(each) for each in groups),
            users=tuple(composed(each) for each in users),
            scopes=tuple(each for each in SCOPES if each in scopes),
            created_at=now,
            expires_at=expires_at,
        )
        with self._file.transaction() as db:
            insert(db, "keys", key, hash=_hash(text))
        return key, text

    def all(self) -> list[Key]:
        """Return all keys, the oldest first, also those that are no longer valid."""
        return [read(Key, row) for row in self._file.rows("SELECT * FROM keys ORDER BY created_at, id")]

    def is_valid(self, key_id: str, now: datetime) -> bool:
        """Return whether a key is there, and neither revoked nor expired."""
        return any(
            read(Key, row).is_valid(now) for row in self._file.rows("SELECT * FROM keys WHERE id = ?", (key_id,))
        )

    def revoke(self, key_id: str, now: datetime) -> Key:
        """Revoke a key, given by its id or a beginning of it. Servers refuse it within a second.

        Raises NotInMemory if there is none. Raises InputError if several begin like this.
        """
        found = [key for key in self.all() if key_id and key.id.startswith(key_id.removeprefix("amr_"))]
        if not found:
            raise NotInMemory(f"no key {key_id}", hint="amr keys list shows them")
        if len(found) > 1:
            raise InputError(f"{len(found)} keys begin with {key_id}", hint="write more of it")
        with self._file.transaction() as db:
            db.execute(
                "UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?", (now.isoformat(), found[0].id)
            )
        return next(key for key in self.all() if key.id == found[0].id)

    def check(self, text: str, now: datetime) -> Key | None:
        """Return the key of this text, and note that it was used; None if it is unknown or no longer valid."""
        parts = _KEY.fullmatch(text)
        rows = self._file.rows("SELECT * FROM keys WHERE id = ?", (parts[1],)) if parts else ()
        # Compared in the same time wherever they differ, so that the time says nothing about the right key.
        if not rows or not hmac.compare_digest(rows[0]["hash"], _hash(text)):
            return None
        key = read(Key, rows[0])
        if not key.is_valid(now):
            return None
        if key.last_used is None or now - key.last_used >= _NOTE_EVERY:
            # On a full disk, or where the file cannot be written, questions are answered all the same.
            with suppress(NoSpace, SpoolUnusable), self._file.transaction() as db:
                db.execute("UPDATE keys SET last_used = ? WHERE id = ?", (now.isoformat(), key.id))
        return key

    def local(self, now: datetime) -> Path:
        """Return the file of mode 0600 with the key of this machine's user, who may do everything.

        The first call makes it, and so does one after the key was revoked.
        """
        file = self._folder / _LOCAL_KEY
        known = read_regular(file, at_most=_LARGEST_KEY).decode("ascii", "replace").strip() if file.exists() else ""
        if self.check(known, now):
            return file
        _, text = self.create(name="this machine", groups=[ANY], users=[ANY], scopes=SCOPES, now=now)
        write_atomically(file, f"{text}\n", private=True)
        return file

    def note(self, change: AuditedCall, number: int = 0) -> int:
        """Add a change to the audit, or say how that of a number ended. It is on disk when this returns.

        Returns the number. Raises NoSpace, SpoolUnusable.
        """
        with self._file.transaction() as db:
            if number:
                db.execute("UPDATE audit SET status = ? WHERE number = ?", (change.status, number))
                return number
            insert(db, "audit", change)
            return db.execute("SELECT last_insert_rowid()").fetchone()[0]

    def spent(self, what: Spent, key_id: str, day: date) -> float:
        """Return how much a key has spent of what is limited by the day."""
        if (counted := self._spent.get((what, key_id, day))) is not None:
            return counted
        query = "SELECT amount FROM spent WHERE what = ? AND key_id = ? AND day = ?"
        try:
            rows = self._file.rows(query, (what, key_id, day.isoformat()))
        except (NoSpace, SpoolUnusable) as error:
            _log.error("what the key %s has spent before cannot be read: %s", key_id, error)
            return 0.0
        return rows[0][0] if rows else 0.0

    def spend(self, what: Spent, key_id: str, day: date, amount: float) -> None:
        """Count what a key has spent, and write it, so that a server that starts again goes on from there.

        If it cannot be written, what was spent still counts, and the next call writes the whole.
        """
        before = self.spent(what, key_id, day)
        with self._counting:
            self._spent = {of: each for of, each in self._spent.items() if of[2] >= day}
            total = self._spent[what, key_id, day] = self._spent.get((what, key_id, day), before) + amount
        try:
            with self._file.transaction() as db:
                db.execute("DELETE FROM spent WHERE day < ?", (day.isoformat(),))
                # Threads write in any order, and a total only grows.
                db.execute(
                    "INSERT INTO spent VALUES (?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET amount = max(amount, excluded.amount)",
                    (what, key_id, day.isoformat(), total),
                )
        except (NoSpace, SpoolUnusable) as error:
            # The reply was paid for, and questions are answered all the same.
            _log.error("what the key %s has spent is not written: %s", key_id, error)

    def audit(self, limit: int) -> list[AuditedCall]:
        """Return the latest changes, the latest first."""
        rows = self._file.rows("SELECT * FROM audit ORDER BY number DESC LIMIT ?", (limit,))
        return [read(AuditedCall, row) for row in rows]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
