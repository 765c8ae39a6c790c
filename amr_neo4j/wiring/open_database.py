"""The database of the settings."""

from __future__ import annotations

from amr_neo4j import localdb
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database


def open_database(settings: Settings, *, stopped: bool = False) -> Database:
    """Return the database that the settings name, or the one on this machine, not connected yet.

    stopped: a local database that is not running is returned too.
    """
    where = localdb.ensure(settings, stopped=stopped)
    access = (where.uri, where.username, where.password, where.database)
    return Database(*access, denied_hint=where.denied_hint)
