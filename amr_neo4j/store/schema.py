# pyright: reportMissingTypeStubs=false
"""The database's schema: applies the migrations, and creates constraints and indexes again that are missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import LiteralString, cast

from neo4j_python_migrations import loader
from neo4j_python_migrations.executor import Executor
from neo4j_python_migrations.migration import CypherMigration

from amr_neo4j.errors import MigrationError
from amr_neo4j.store.database import Database, mapped_errors
from amr_neo4j.store.statements import data_path, statement

_PROJECT = "amr_neo4j"
MISSING = "missing"
_CREATED = re.compile(r"^CREATE (?:CONSTRAINT|(?:\w+ )?INDEX) (\w+)", re.MULTILINE)


def pending(database: Database) -> list[str]:
    """Returns the versions of the migrations that are not applied yet.

    Raises MigrationError: the database has a version that this program lacks or has with other content.
    """
    with mapped_errors(database.uri, database.denied_hint):
        return _pending(_executor(database))


def migrate(database: Database) -> list[str]:
    """Apply pending migrations; returns their versions in order.

    Safe to call from several processes at once: one applies them, the others wait. A migration that was killed
    before it was recorded is applied again, which changes nothing.
    """
    if not pending(database):
        return []
    database.write("schema/lock_constraint")
    with (
        mapped_errors(database.uri, database.denied_hint),
        database.session() as session,
        session.begin_transaction() as lock,
    ):
        lock.run(statement("schema/take_lock")).consume()
        executor = _executor(database)
        applied = _pending(executor)  # again: another process may have applied them while this one waited
        executor.migrate()
        lock.commit()
    database.write("schema/await_indexes")
    return applied


def damage(database: Database) -> dict[str, str]:
    """Returns name -> "missing", or its state, of the constraints and indexes that are not online."""
    indexes = {row["name"]: row["state"].lower() for row in database.read("schema/indexes")}
    constraints = {row["name"] for row in database.read("schema/constraints")}
    found: dict[str, str] = {}
    for name, creation in _creations().items():
        is_lost_constraint = "CREATE CONSTRAINT" in creation and name not in constraints
        state = MISSING if is_lost_constraint else indexes.get(name, MISSING)
        if state != "online":
            found[name] = state
    return found


def restore(database: Database) -> list[str]:
    """Create again what is missing or failed, and wait until everything is online; returns the names.

    Raises StoreError: the data violates a constraint.
    """
    damaged = damage(database)
    creations = _creations()
    for name, state in damaged.items():
        if state == "failed":
            database.write("schema/drop_index", name=name)
        with mapped_errors(database.uri, database.denied_hint), database.session() as session:
            session.run(cast(LiteralString, creations[name])).consume()
    if damaged:
        database.write("schema/await_indexes")
    return list(damaged)


def _executor(database: Database) -> Executor:
    return Executor(database.driver, data_path("migrations"), project=_PROJECT, database=database.database)


def _pending(executor: Executor) -> list[str]:
    result = executor.analyze()
    if result.invalid_versions:
        invalid = ", ".join(f"{v.version} {v.status.name.lower()}" for v in result.invalid_versions)
        raise MigrationError(
            f"the database's schema history differs from this program's: {invalid}",
            hint="use the version of amr that migrated it, or another database",
        )
    return [migration.version for migration in result.pending_migrations]


def _creations() -> Mapping[str, str]:
    """Returns the name of each constraint and index -> the statement that creates it."""
    created: dict[str, str] = {}
    for migration in loader.load(data_path("migrations")):
        if isinstance(migration, CypherMigration):
            for text in migration.statements:
                created |= dict.fromkeys(_CREATED.findall(text), text)
    return created
