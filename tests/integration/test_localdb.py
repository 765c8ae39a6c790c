"""The local database, for real: Neo4j's own jars on a Java of this machine."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError

from amr_neo4j import localdb
from amr_neo4j.errors import ConfigError
from amr_neo4j.localdb import Connection
from amr_neo4j.localdb import record as records
from amr_neo4j.settings import Settings


@pytest.fixture
def settings(spare_server: Settings) -> Settings:
    """A local database that runs."""
    localdb.start(spare_server)
    return spare_server


def driver(there: Connection, password: str | None = None) -> Driver:
    return GraphDatabase.driver(there.uri, auth=(there.username, password or there.password))


KERNEL = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version"


def test_the_tests_have_a_neo4j(neo4j_connection: Connection) -> None:
    with driver(neo4j_connection) as session:
        (row,) = session.execute_query(KERNEL).records
    assert row["version"].startswith(os.environ.get("AMR_TEST_NEO4J_VERSION", "5.26"))


def test_two_starts_at_once_give_one_server(settings: Settings) -> None:
    before = localdb.status(settings)
    with ThreadPoolExecutor() as pool:
        one, two = pool.map(lambda _: localdb.start(settings), range(2))
    assert one == two == localdb.connection(settings)
    assert localdb.status(settings) == before


def test_the_server_sends_no_usage_data_and_listens_on_loopback_only(settings: Settings) -> None:
    with driver(localdb.ensure(settings)) as session:
        rows = session.execute_query("SHOW SETTINGS YIELD name, value RETURN name, value").records
    values = {row["name"]: row["value"] for row in rows}
    assert values["dbms.usage_report.enabled"] == values["client.allow_telemetry"] == "false"
    assert values["server.bolt.telemetry.enabled"] == values["server.https.enabled"] == "false"
    assert values["server.bolt.listen_address"].startswith("127.0.0.1:")
    assert values["server.http.listen_address"].startswith("127.0.0.1:")


def test_the_server_keeps_its_temporary_files_in_its_home(settings: Settings) -> None:
    """The libraries that it unpacks, too. Otherwise a kill would leave them in /tmp."""
    now = localdb.status(settings)
    lines = Path(f"/proc/{now.pid}/maps").read_text().splitlines()
    mapped = {Path(words[5].removesuffix(" (deleted)")) for line in lines if len(words := line.split(maxsplit=5)) > 5}
    temporary = {path for path in mapped if path.is_relative_to(tempfile.gettempdir())}
    # libffi has memory of its own in a file that it deletes at once.
    elsewhere = {path for path in temporary if not (path.is_relative_to(now.home) or path.name.startswith("ffi"))}
    assert elsewhere == set()
    assert any((now.home / "server" / "tmp").iterdir())


def test_another_password_is_refused(settings: Settings) -> None:
    with driver(localdb.ensure(settings), password="anything-else") as session, pytest.raises(AuthError):
        session.verify_connectivity()


@pytest.mark.soak
def test_after_a_kill_it_starts_with_its_data(settings: Settings, group_id: str) -> None:
    there = localdb.ensure(settings)
    with driver(there) as session:
        session.execute_query("CREATE (:Group {group_id: $group_id})", group_id=group_id)
    pid = localdb.status(settings).pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    assert localdb.start(settings) == there
    with driver(there) as session:
        assert session.execute_query("MATCH (g:Group {group_id: $group_id}) RETURN g", group_id=group_id).records


def test_the_files_of_another_database_are_refused_until_they_are_adopted(settings: Settings) -> None:
    home = settings.data_dir.resolve() / "neo4j"
    known = records.load(home)
    assert known and known.store_id
    records.save(home, replace(known, store_id="another"))
    with pytest.raises(ConfigError, match="another database") as refused:
        localdb.start(settings)
    assert "amr db adopt" in str(refused.value.hint)
    localdb.adopt(settings)
    localdb.start(settings)
    again = records.load(home)
    assert again and again.store_id == known.store_id


@pytest.mark.soak
def test_an_occupied_port_is_not_taken(settings: Settings) -> None:
    before = localdb.ensure(settings)
    localdb.stop(settings)
    assert localdb.connection(settings) is None
    with socket.create_server(("127.0.0.1", int(before.uri.rpartition(":")[2]))):
        after = localdb.start(settings)
    assert after.uri != before.uri
    assert after.password == before.password
    assert localdb.connection(settings) == after


def test_destroy_leaves_nothing(settings: Settings) -> None:
    home = localdb.status(settings).home
    localdb.destroy(settings)
    assert not home.exists()
    assert localdb.status(settings) == localdb.Status("absent", home)
