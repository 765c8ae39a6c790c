# pyright: reportMissingTypeStubs=false
"""Schema migrations, with checksums and a history in the database."""

from __future__ import annotations

import time
from typing import cast

import neo4j
from neo4j_python_migrations.executor import Executor
from neo4j_python_migrations.migration import CypherMigration, Migration
from typing_extensions import LiteralString

from amr_neo4j.errors import MigrationError
from amr_neo4j.store.database import Database, mapped_errors
from amr_neo4j.store.statements import data_path, statement

_PROJECT = "amr_neo4j"
_BATCHES = "IN TRANSACTIONS"


def pending(database: Database) -> list[str]:
    """Returns the versions that are not applied yet.

    Raises MigrationError: the database has a version that this program lacks or has with other content.
    """
    with mapped_errors(database.uri, database.denied_hint):
        return [migration.version for migration in _analysed(_executor(database))]


def migrate(database: Database) -> list[str]:
    """Apply pending migrations; returns their versions in order.

    Safe to call from several processes at once: one applies them, the others wait.
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
        applied = _apply(_executor(database), database)
        lock.commit()
    database.write("schema/await_indexes")
    return applied


def _apply(executor: Executor, database: Database) -> list[str]:
    """As Executor.migrate, but what was applied is recorded at the end.

    The server plans the statement that records a migration anew after each change of the schema: a third of the work
    on an empty database. A run that is killed in between applies migrations again, which changes nothing.
    """
    pending = _analysed(executor)
    if pending:
        executor.dao.create_baseline()
        executor.dao.create_constraints()
    applied: list[tuple[Migration, float]] = []
    try:
        for migration in pending:
            start = time.monotonic()
            with database.session() as session:
                _run(migration, session)
            applied.append((migration, time.monotonic() - start))
    finally:
        for migration, seconds in applied:
            executor.dao.add_migration(migration, seconds)
    return [migration.version for migration, _ in applied]


def _run(migration: Migration, session: neo4j.Session) -> None:
    """Apply it in one transaction; where a statement commits in batches by itself, statement by statement."""
    statements = migration.statements if isinstance(migration, CypherMigration) else []
    if any(_BATCHES in text for text in statements):
        for text in statements:
            session.run(cast(LiteralString, text)).consume()
    else:
        with session.begin_transaction() as transaction:
            migration.apply(transaction)
            transaction.commit()


def _executor(database: Database) -> Executor:
    return Executor(database.driver, data_path("migrations"), project=_PROJECT, database=database.database)


def _analysed(executor: Executor) -> list[Migration]:
    result = executor.analyze()
    if result.invalid_versions:
        invalid = ", ".join(f"{v.version} {v.status.name.lower()}" for v in result.invalid_versions)
        raise MigrationError(
            f"the database's schema history differs from this program's: {invalid}",
            hint="use the version of amr that migrated it, or another database",
        )
    return list(result.pending_migrations)
