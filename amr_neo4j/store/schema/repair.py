# pyright: reportMissingTypeStubs=false
"""Checks the constraints and indexes of the migrations, and creates missing ones again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from neo4j_python_migrations import loader
from neo4j_python_migrations.migration import CypherMigration
from typing_extensions import LiteralString

from amr_neo4j.store.database import Database, mapped_errors
from amr_neo4j.store.statements import data_path

MISSING = "missing"
_CREATE_OR_DROP = re.compile(r"^(CREATE|DROP) (?:CONSTRAINT|(?:\w+ )?INDEX) (\w+)", re.MULTILINE)


def damage(database: Database) -> dict[str, str]:
    """Returns name -> "missing", or its state where that is not online."""
    indexes = {row["name"]: row["state"].lower() for row in database.read("schema/indexes")}
    constraints = {row["name"] for row in database.read("schema/constraints")}
    found: dict[str, str] = {}
    for name, statement in _created().items():
        gone = "CREATE CONSTRAINT" in statement and name not in constraints
        state = MISSING if gone else indexes.get(name, MISSING)
        if state != "online":
            found[name] = state
    return found


def restore(database: Database) -> list[str]:
    """Create again what is missing or failed, and wait until everything is online; returns the names.

    Raises StoreError: the data violates a constraint.
    """
    damaged = damage(database)
    for name, state in damaged.items():
        if state == "failed":
            database.write("schema/drop_index", name=name)
        with mapped_errors(database.uri, database.denied_hint), database.session() as session:
            session.run(cast(LiteralString, _created()[name])).consume()
    if damaged:
        database.write("schema/await_indexes")
    return list(damaged)


def _created() -> Mapping[str, str]:
    """Returns name -> the statement that creates it, without what a later migration drops."""
    created: dict[str, str] = {}
    for statement in _statements():
        for verb, name in _CREATE_OR_DROP.findall(statement):
            if verb == "CREATE":
                created[name] = statement
            else:
                created.pop(name, None)
    return created


def _statements() -> Iterator[str]:
    for migration in loader.load(data_path("migrations")):
        if isinstance(migration, CypherMigration):
            yield from migration.statements
