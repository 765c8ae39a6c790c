"""Migrations are recorded one by one: a kill or an error in between loses nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import localdb
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import StoreError
from amr_neo4j.settings import Settings
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database
from amr_neo4j.store.statements import data_path
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at

VERSIONS = sorted(file.name[1:4] for file in data_path("migrations").iterdir())


@pytest.fixture(scope="module")
def own(spare_server: Settings) -> Iterator[Database]:
    """A database whose schema no other test needs meanwhile."""
    there = localdb.start(spare_server)
    with Database(there.uri, there.username, there.password) as database:
        schema.migrate(database)
        yield database


def content(database: Database) -> list[object]:
    """All nodes and relationships but those of the migrations themselves."""
    found = database.driver.execute_query(
        """
        MATCH (n) WHERE NOT n:__Neo4jMigration AND NOT n:MigrationLock
        RETURN labels(n), properties(n), COLLECT { MATCH (n)-[r]->() RETURN properties(r) } ORDER BY elementId(n)
        """
    )
    return [record.values() for record in found.records]


def forget(database: Database, *versions: str) -> None:
    database.driver.execute_query(
        "MATCH (m:__Neo4jMigration) WHERE m.version IN $versions DETACH DELETE m", versions=versions
    )


def test_what_was_applied_and_not_recorded_is_applied_again(own: Database, group_id: str) -> None:
    writer = ClipWriter(own, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    commit(writer, [clip_of(Video(group_id, "v"), 0, (event_at(0.0), event_at(5.0, 1)))])
    before = content(own)
    forget(own, *VERSIONS)
    assert schema.migrate(own) == VERSIONS
    assert (schema.pending(own), schema.damage(own)) == ([], {})
    assert content(own) == before


def test_what_comes_before_one_that_fails_is_recorded(
    own: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(data_path("migrations"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "V998__good.cypher").write_text("RETURN 1;\n")
    (tmp_path / "V999__bad.cypher").write_text("RETURN 1 / 0;\n")
    monkeypatch.setattr(schema, "data_path", lambda name: tmp_path)
    try:
        with pytest.raises(StoreError, match="by zero"):
            schema.migrate(own)
        assert schema.pending(own) == ["999"]
    finally:
        forget(own, "998")
