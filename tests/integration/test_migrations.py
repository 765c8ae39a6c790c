"""Migrations are recorded after all of them are applied: a kill or an error in between loses nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import localdb
from amr_neo4j.domain.event import Use
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import StoreError
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.persons.merger import PersonMerger
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.schema import migrations
from amr_neo4j.store.schema.repair import damage
from amr_neo4j.store.statements import data_path
from amr_neo4j.store.write.event_writer import EventWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at

VERSIONS = sorted(file.name[1:4] for file in data_path("migrations").iterdir())
# What versions without migration V019 wrote.
AS_BEFORE = """
MATCH (:Event {group_id: $g})-[part:INVOLVES]->() SET part.told = part.stated REMOVE part.stated
WITH DISTINCT 0 AS one
MATCH (:Event {group_id: $g})-[use:USES]->() SET use.told_actor = use.stated_actor REMOVE use.stated_actor
"""


@pytest.fixture(scope="module")
def own(spare_server: Settings) -> Iterator[Database]:
    """A database whose schema no other test needs meanwhile."""
    there = localdb.start(spare_server)
    with Database(there.uri, there.username, there.password) as database:
        migrations.migrate(database)
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


def writer_to(database: Database) -> EventWriter:
    return EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)


def test_what_was_applied_and_not_recorded_is_applied_again(own: Database, group_id: str) -> None:
    commit(writer_to(own), [clip_of(Video(group_id, "v"), 0, (event_at(0.0), event_at(5.0, 1)))])
    before = content(own)
    forget(own, *VERSIONS)
    assert migrations.migrate(own) == VERSIONS
    assert (migrations.pending(own), damage(own)) == ([], {})
    assert content(own) == before


def test_identities_that_an_older_version_named_told_are_named_stated(own: Database, group_id: str) -> None:
    """The digest is the same, and a merge of persons from before can still be undone."""
    took = Use(0, "cup", "take", "girl", None, None)
    event = event_at(0.0, people=("anna", "girl"), uses=(took,))
    commit(writer_to(own), [clip_of(Video(group_id, "v"), 0, (event,))])
    apart = digest(own, group_id)
    merger = PersonMerger(own, group_id, JUMP, lambda: NOON)
    merger.merge("girl", "anna")
    merged = digest(own, group_id)
    own.driver.execute_query(AS_BEFORE, g=group_id)
    assert digest(own, group_id) != merged
    since = [version for version in VERSIONS if version >= "019"]
    forget(own, *since)
    assert migrations.migrate(own) == since
    assert digest(own, group_id) == merged
    merger.undo("girl")
    assert digest(own, group_id) == apart


def test_vectors_that_an_older_version_copied_are_copied_again(own: Database) -> None:
    """They have no number where a time is not known. All embeddings are read again by the next search."""
    own.driver.execute_query(
        "CREATE (:Counter {name: 'dense event m', next: 7}), (:DenseVector {kind: 'event', model: 'm', node_id: 1})"
    )
    forget(own, "020")
    assert migrations.migrate(own) == ["020"]
    assert own.read("dense/progress", name="dense event m") == [{"next": 0}]
    assert own.driver.execute_query("MATCH (v:DenseVector) RETURN v").records == []
    own.write("dense/drop_progress", name="dense event m")


def test_what_comes_before_one_that_fails_is_recorded(
    own: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(data_path("migrations"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "V998__good.cypher").write_text("RETURN 1;\n")
    (tmp_path / "V999__bad.cypher").write_text("RETURN 1 / 0;\n")
    monkeypatch.setattr(migrations, "data_path", lambda name: tmp_path)
    try:
        with pytest.raises(StoreError, match="by zero"):
            migrations.migrate(own)
        assert migrations.pending(own) == ["999"]
    finally:
        forget(own, "998")
