"""Migrations are recorded one by one: a kill or an error in between loses nothing."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import LiteralString, cast

import pytest

from amr_neo4j import localdb
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import MigrationError, StoreError
from amr_neo4j.settings import Settings
from amr_neo4j.spool.known_databases import KnownDatabases
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database
from amr_neo4j.store.statements import data_path, statement
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.wiring.database import DatabaseIdentity
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


# {what another application has: (our own that is not there, what is said of it, what to do)}
IN_THE_WAY = {
    "CREATE INDEX amr_person_key FOR (u:User) ON (u.name)": (
        "CONSTRAINT amr_person_key",
        "the index amr_person_key on :User (name) is not amr's and takes the place of amr_person_key on :Person",
        "DROP INDEX amr_person_key",
    ),
    "CREATE CONSTRAINT amr_event_end FOR (u:User) REQUIRE u.mail IS UNIQUE": (
        "INDEX amr_event_end",
        "the constraint amr_event_end on :User (mail) is not amr's",
        "DROP CONSTRAINT amr_event_end",
    ),
    "CREATE INDEX theirs FOR (c:Counter) ON (c.name)": (
        "CONSTRAINT amr_counter_key",
        "the index theirs on :Counter (name) is not amr's and takes the place of amr_counter_key",
        "DROP INDEX theirs",
    ),
    "CREATE FULLTEXT INDEX theirs FOR (f:Fact) ON EACH [f.scope_text, f.object, f.subject, f.text]": (
        "INDEX amr_fact_text",
        "the index theirs on :Fact (scope_text, object, subject, text) is not amr's",
        "DROP INDEX theirs",
    ),
    "UNWIND [1, 2] AS n CREATE (:Object:Theirs {group_id: 'g', place: 'p', name: 'cup'})": (
        "CONSTRAINT amr_object_key",
        "2 nodes :Object have group_id: 'g', place: 'p', name: 'cup': the constraint amr_object_key",
        "MATCH (n:Object {group_id: 'g', place: 'p', name: 'cup'}) RETURN n",
    ),
}


def test_what_a_kill_left_missing_is_created_at_the_next_opening(own: Database) -> None:
    """A scrub drops and creates constraints and indexes; it may be killed between the two."""
    for drop in ("DROP CONSTRAINT amr_object_key", "DROP INDEX amr_fact_text"):
        own.driver.execute_query(drop)
    assert schema.damage(own) == {"amr_object_key": "missing", "amr_fact_text": "missing"}
    lines: list[str] = []
    DatabaseIdentity(own, lambda: KnownDatabases(Path(":memory:")), lines.append).make_ready()
    assert lines == ["created again what was missing: amr_object_key, amr_fact_text"]
    assert "missing" not in schema.damage(own).values()
    assert schema.restore(own) in ([], ["amr_fact_text"])


@pytest.mark.parametrize("theirs", IN_THE_WAY)
def test_what_is_in_the_way_is_named_and_stays(own: Database, theirs: LiteralString) -> None:
    dropped, said, advice = IN_THE_WAY[theirs]
    run = own.driver.execute_query
    run(cast(LiteralString, f"DROP {dropped}"))
    run(theirs)
    before = everything_in(own)
    try:
        assert schema.damage(own) == {dropped.split()[1]: "missing"}
        forget(own, *VERSIONS)
        for attempt in (schema.check, schema.migrate, schema.restore):
            with pytest.raises(MigrationError) as refusal:
                attempt(own)
            assert said in refusal.value.message
            assert advice in refusal.value.hint
        schema.drop(own, dropped.split()[1])
        assert everything_in(own) == before
    finally:
        run("MATCH (n:Theirs) DELETE n")
        names = run(
            "SHOW INDEXES YIELD name, owningConstraint WHERE name IN ['theirs', $name] RETURN *",
            name=dropped.split()[1],
        )
        for record in names.records:
            noun = "CONSTRAINT" if record["owningConstraint"] else "INDEX"
            run(cast(LiteralString, f"DROP {noun} {record['name']}"))
        schema.migrate(own)
        schema.restore(own)
    assert (schema.pending(own), schema.damage(own), schema.check(own)) == ([], {}, [])


def everything_in(database: Database) -> list[list[object]]:
    indexes = database.driver.execute_query(
        "SHOW INDEXES YIELD name, labelsOrTypes, properties RETURN * ORDER BY name"
    )
    return [record.values() for record in indexes.records]


def test_a_constraint_that_serves_us_as_well_may_be_of_another_application(own: Database) -> None:
    run = own.driver.execute_query
    run("DROP CONSTRAINT amr_counter_key")
    run("CREATE CONSTRAINT theirs FOR (c:Counter) REQUIRE c.name IS UNIQUE")
    try:
        assert (schema.damage(own), schema.check(own)) == ({}, [])
    finally:
        run("DROP CONSTRAINT theirs")
        schema.restore(own)


@pytest.mark.parametrize(("label", "can_refuse"), [("Person", True), ("User", False)])
@pytest.mark.parametrize(("name", "is_ours"), [("name", True), ("email_of_theirs", False)])
def test_a_constraint_on_what_we_write_may_refuse_it(
    own: Database, label: str, name: str, can_refuse: bool, is_ours: bool
) -> None:
    run = own.driver.execute_query
    run(cast(LiteralString, f"CREATE CONSTRAINT theirs FOR (n:{label}) REQUIRE n.{name} IS UNIQUE"))
    try:
        found = [what for what, _ in schema.check(own)]
    finally:
        run("DROP CONSTRAINT theirs")
    expected = f"the constraint theirs on :{label} ({name}) is not amr's and may refuse what amr writes"
    assert found == ([expected] if can_refuse and is_ours else [])


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


@pytest.mark.timeout(60)
def test_an_index_is_made_again_although_a_writer_holds_what_a_drop_needs(own: Database) -> None:
    """The writer waits for its turn meanwhile: nobody waits for ever."""
    there = {item.name for item in schema._there(own)}
    with own.session() as session, session.begin_transaction() as writer, ThreadPoolExecutor(1) as pool:
        writer.run("CREATE (:Fact {group_id: 'deadlock', user_id: 'u', fact_id: 1})").consume()
        remade = pool.submit(schema.remake, own, ["Fact"])
        time.sleep(0.5)  # its drop waits for the writer
        writer.run(cast(LiteralString, statement("ingest/take_turn")), now=datetime.now(UTC)).consume()
        writer.rollback()
        remade.result(timeout=60)
    assert {item.name for item in schema._there(own)} == there and not schema.damage(own)
