"""Opens the database of the settings, and checks which database answers at its address."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from amr_neo4j import localdb
from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import NoSpace, SpoolReadOnly, StoreUnavailable
from amr_neo4j.settings import Settings
from amr_neo4j.spool.known_databases import KnownDatabases
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource


def open_database(settings: Settings, *, stopped: bool = False) -> Database:
    """Return the database that the settings name, or the one on this machine, not connected yet.

    stopped: also return a local database that is not running.
    """
    where = localdb.ensure(settings, stopped=stopped)
    access = (where.uri, where.username, where.password, where.database)
    return Database(*access, denied_hint=where.denied_hint, wait_sec=settings.store_wait_sec)


class DatabaseIdentity:
    """The id of a database, and whether its schema is up to date.

    Turns that wait for one database must not be committed to another one at the same address: the ids tell which it
    is.
    known: opens the databases that this machine has used.
    notify: receives messages for the user.
    """

    def __init__(self, database: Database, known: Callable[[], KnownDatabases], notify: Notify) -> None:
        self._database = database
        self._known = known
        self._notify = notify
        self._id = ""
        self._is_ready = False

    @property
    def database_id(self) -> str:
        """The id, which is read once. Raises StoreUnavailable if it is not known yet and the database is away."""
        self._id = self._id or VectorSource(self._database).identity()
        return self._id

    def make_ready(self) -> None:
        """Bring the schema up to date and remember the id. Later calls do nothing.

        Raises StoreUnavailable: the database does not answer, or another one now answers at its address.
        MigrationError: something of another application is in the way of the schema.
        """
        if self._is_ready:
            return
        schema.migrate(self._database)
        for line in schema.complete(self._database):
            self._notify(line)
        found = VectorSource(self._database).identity()
        if self._id not in ("", found):
            hint = "what was said waits for the one that was there before; open memory again for this one"
            raise StoreUnavailable(f"another database answers at {self._database.uri} by now", hint=hint)
        self._id, self._is_ready = found, True
        with suppress(NoSpace, SpoolReadOnly):  # it is only needed while the database is away
            self._known().keep(self._address, found)

    def was_used_before(self) -> bool:
        """Return whether this machine has used the database at this address. Works during an outage, too."""
        self._id = self._known().at(self._address) or ""
        return bool(self._id)

    @property
    def _address(self) -> str:
        return f"{self._database.uri} {self._database.database or ''}".rstrip()
