# pyright: reportMissingTypeStubs=false
"""The database's schema: applies migrations, and restores constraints and indexes that are missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import LiteralString, cast

from neo4j_python_migrations import loader
from neo4j_python_migrations.executor import Executor
from neo4j_python_migrations.migration import CypherMigration

from amr_neo4j.errors import MigrationError
from amr_neo4j.store.database import Database, mapped_errors
from amr_neo4j.store.statements import data_path, statement

_PROJECT = "amr_neo4j"
MISSING = "missing"
_ON = re.compile(r"[(\[]\w+:(\w+)")
_CREATED = re.compile(r"^CREATE (?:CONSTRAINT|(?:\w+ )?INDEX) (\w+)", re.MULTILINE)


def pending(database: Database) -> list[str]:
    """Returns the versions of the migrations that are not applied yet.

    Raises MigrationError: the database was migrated with a version that this program lacks, or has other content for.
    """
    with mapped_errors(database.uri, database.denied_hint):
        return _pending(_executor(database))


def migrate(database: Database) -> list[str]:
    """Apply pending migrations. Returns their versions in order.

    Several processes may call this at once: one applies the migrations, the others wait for it. A migration that was
    killed before it was recorded is applied again, which changes nothing, because its statements say IF NOT EXISTS.
    """
    if not pending(database):
        return []
    # Without this constraint two processes could each create a lock node of their own.
    database.write("schema/lock_constraint")
    with (
        mapped_errors(database.uri, database.denied_hint),
        database.session() as session,
        session.begin_transaction() as lock,
    ):
        lock.run(statement("schema/take_lock")).consume()
        executor = _executor(database)
        applied = _pending(executor)  # read again: another process may have applied them while this one waited
        executor.migrate()
        lock.commit()
    database.write("schema/await_indexes")
    return applied


def damage(database: Database) -> dict[str, str]:
    """Returns {name: state} of constraints and indexes that are not online: "missing", "failed" or "populating"."""
    indexes = {row["name"]: row["state"].lower() for row in database.read("schema/indexes")}
    constraints = {row["name"] for row in database.read("schema/constraints")}
    found: dict[str, str] = {}
    for name, creation in _creations().items():
        # A constraint has an index of the same name. An index alone does not make up for the constraint.
        is_lost_constraint = "CREATE CONSTRAINT" in creation and name not in constraints
        state = MISSING if is_lost_constraint else indexes.get(name, MISSING)
        if state != "online":
            found[name] = state
    return found


def restore(database: Database) -> list[str]:
    """Create missing and failed constraints and indexes again, and wait until all are online. Returns their names.

    Raises StoreError: the data violates a constraint.
    """
    damaged = damage(database)
    creations = _creations()
    for name, state in damaged.items():
        if state == "failed":  # it stays failed until it is dropped
            database.write("schema/drop_index", name=name)
        with mapped_errors(database.uri, database.denied_hint), database.session() as session:
            session.run(cast(LiteralString, creations[name])).consume()
    if damaged:
        database.write("schema/await_indexes")
    return list(damaged)


def remake(database: Database, labels: Collection[str], now: datetime) -> None:
    """Drop and create again every constraint and index on these labels and relationship types.

    Neo4j leaves the values of deleted nodes in the pages of an index. Only a new file is certainly free of them.
    """
    # Neo4j drops and makes a constraint in two transactions. Nobody writes in between: this holds the writers' lock.
    with (
        mapped_errors(database.uri, database.denied_hint),
        database.session() as session,
        session.begin_transaction() as turn,
    ):
        turn.run(statement("ingest/take_turn"), now=now).consume()
        for name, creation in _creations().items():
            on = _ON.search(creation)
            if on and on[1] in labels:
                kind = "constraint" if "CREATE CONSTRAINT" in creation else "index"
                database.write(f"schema/drop_{kind}", name=name)
                with database.session() as other:
                    other.run(cast(LiteralString, creation)).consume()
    database.write("schema/await_indexes")


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
    """Returns {name of a constraint or index: the statement in the migrations that creates it}."""
    created: dict[str, str] = {}
    for migration in loader.load(data_path("migrations")):
        if isinstance(migration, CypherMigration):
            for text in migration.statements:
                created |= dict.fromkeys(_CREATED.findall(text), text)
    return created
