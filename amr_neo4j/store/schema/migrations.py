# pyright: reportMissingTypeStubs=false
"""The schema: migrations in order, with checksums and a history kept in the database."""

from __future__ import annotations

from neo4j_python_migrations.executor import Executor
from neo4j_python_migrations.migration import Migration

from amr_neo4j.errors import MigrationError
from amr_neo4j.store.database import Database, in_our_words
from amr_neo4j.store.statements import data_path, statement

_PROJECT = "amr_neo4j"


def pending(database: Database) -> list[str]:
    """Versions this program brings that the database lacks.

    Raises MigrationError: the database has one that this program does not know, or knows otherwise.
    """
    with in_our_words(database.uri):
        return [migration.version for migration in _analysed(_executor(database))]


def migrate(database: Database) -> list[str]:
    """Bring the database to this program's schema; returns the versions applied, in order.

    Several processes may call it at once: one applies, the others wait and find nothing left to do.
    """
    if not pending(database):
        return []
    applied: list[str] = []
    database.write("schema/lock_constraint")
    with in_our_words(database.uri), database.session() as session, session.begin_transaction() as lock:
        lock.run(statement("schema/take_lock")).consume()
        executor = _executor(database)
        if _analysed(executor):
            executor.migrate(on_apply=lambda migration: applied.append(migration.version))
        lock.commit()
    database.write("schema/await_indexes")
    return applied


def _executor(database: Database) -> Executor:
    return Executor(database.driver, data_path("migrations"), project=_PROJECT, database=database.database)


def _analysed(executor: Executor) -> list[Migration]:
    result = executor.analyze()
    if result.invalid_versions:
        odd = ", ".join(f"{v.version} {v.status.name.lower()}" for v in result.invalid_versions)
        raise MigrationError(
            f"the database's schema history differs from this program's: {odd}",
            hint="use the program version that made it, or another database",
        )
    return list(result.pending_migrations)
