# pyright: reportMissingTypeStubs=false
"""The constraints and indexes that migrations made: whether all are in use, and making them again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from neo4j_python_migrations import loader
from neo4j_python_migrations.migration import CypherMigration
from typing_extensions import LiteralString

from amr_neo4j.store.database import Database, in_our_words
from amr_neo4j.store.statements import data_path

MISSING = "missing"
_WORK = re.compile(r"^(CREATE|DROP) (?:CONSTRAINT|(?:\w+ )?INDEX) (\w+)", re.MULTILINE)


def damage(database: Database) -> dict[str, str]:
    """name -> "missing", or the state it is in where that is not online."""
    indexes = {row["name"]: row["state"].lower() for row in database.read("schema/indexes")}
    constraints = {row["name"] for row in database.read("schema/constraints")}
    found: dict[str, str] = {}
    for name, statement in _made().items():
        gone = "CREATE CONSTRAINT" in statement and name not in constraints
        state = MISSING if gone else indexes.get(name, MISSING)
        if state != "online":
            found[name] = state
    return found


def restore(database: Database) -> list[str]:
    """Make again what is missing or failed, and wait until all is online; returns the names.

    Raises StoreError: the data does not allow it.
    """
    damaged = damage(database)
    for name, state in damaged.items():
        if state == "failed":
            database.write("schema/drop_index", name=name)
        with in_our_words(database.uri), database.session() as session:
            session.run(cast(LiteralString, _made()[name])).consume()
    if damaged:
        database.write("schema/await_indexes")
    return list(damaged)


def _made() -> Mapping[str, str]:
    """name -> the statement that makes it, of all that no later migration takes away."""
    made: dict[str, str] = {}
    for statement in _statements():
        for verb, name in _WORK.findall(statement):
            if verb == "CREATE":
                made[name] = statement
            else:
                made.pop(name, None)
    return made


def _statements() -> Iterator[str]:
    for migration in loader.load(data_path("migrations")):
        if isinstance(migration, CypherMigration):
            yield from migration.statements
