"""A server that answers and cannot serve: each ends with its exit code, and nothing that was accepted is lost."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import localdb
from amr_neo4j.errors import StoreDenied
from amr_neo4j.localdb import Connection, server
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from tests.support.chatting import rows, talking
from tests.support.counting_embedder import CountingEmbedder
from tests.support.neo4j_server import settings_of_local
from tests.support.small_disk import fill, small_disk

TURNS = [{"content": f"turn {n} {'and so on ' * 100}", "actor": "anna"} for n in range(200)]


@pytest.fixture
def configured(spare_server: Settings) -> Iterator[Settings]:
    """The spare server, stopped, to be started with a configuration of the test's own."""
    localdb.stop(spare_server)
    yield spare_server
    localdb.stop(spare_server)


def start_with(settings: Settings, line: str, monkeypatch: pytest.MonkeyPatch) -> Connection:
    monkeypatch.setattr(server, "_CONF", f"{server._CONF}{line}\n")
    return localdb.start(settings)


def clip(number: int, events: int) -> str:
    told = [
        {"time_start": n / 10, "time_end": n / 10, "summary": f"Anna opens door {n}.", "objects": [{"name": "door"}]}
        for n in range(events)
    ]
    line = {"video_id": "hall", "clip_id": f"c{number}", "t_start": number * 60.0, "t_end": number * 60.0 + 60}
    return json.dumps(line | {"analysis": {"clip_summary": "", "events": told}})


@pytest.mark.soak
def test_what_does_not_fit_into_the_servers_memory_goes_in_by_parts(
    configured: Settings, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = start_with(configured, "dbms.memory.transaction.total.max=10m", monkeypatch)
    lines = tmp_path / "clips.jsonl"
    lines.write_text("\n".join(clip(number, events) for number, events in enumerate([50] * 8 + [2000, 50])))
    with talking(there, group_id, tmp_path / "data", embedder=CountingEmbedder(dim=384)) as memory:
        report = memory.remember(TURNS, user_id="anna", session_id="s")
        assert (report.committed, report.accepted, report.rejected) == (200, 0, 0)
        assert memory.remember(["later"], user_id="anna", session_id="s").committed == 1
        taken = memory.ingest(lines)
        assert (taken.committed, taken.rejected) == (9, 1)
        assert "dbms.memory.transaction.total.max" in str(taken.errors)
        assert memory.forget(user_id="anna").episodes == 201
        assert memory.forget_videos(video_id="hall").clips == 9
        assert rows(memory, "MATCH (n) WHERE n.group_id = $group_id AND (n:Event OR n:Episode) RETURN count(n)") == [
            0
        ]


@pytest.mark.soak
def test_turns_wait_for_a_server_that_is_read_only(
    configured: Settings, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = localdb.start(configured)
    with talking(there, group_id, tmp_path) as memory:
        memory.remember(["first"], user_id="anna", session_id="s")
    localdb.stop(configured)
    with pytest.MonkeyPatch.context() as patch:
        there = start_with(configured, "server.databases.default_to_read_only=true", patch)
        said: list[str] = []
        with talking(there, group_id, tmp_path, said=said) as memory:
            assert memory.remember(["second"], user_id="anna", session_id="s").accepted == 1
            assert "the turns are kept on this machine" in said[-1]
            assert "server.databases" in said[-1]


@pytest.mark.soak
def test_turns_wait_for_a_server_whose_disk_is_full(group_id: str, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 200 * 2**20) as disk:
        own = settings_of_local(disk)
        there = localdb.start(own)
        try:
            with talking(there, group_id, tmp_path / "data") as memory:
                fill(disk)
                said = [f"turn {n} {'and so on ' * 1000}" for n in range(300)]
                for turn in said:
                    report = memory.remember([turn], user_id="anna", session_id="s")
                    assert report.committed + report.accepted == 1
                assert report.accepted, "or the disk was not full"
        finally:
            localdb.destroy(own)


def test_a_user_who_is_refused_is_told_what_to_do(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    name = f"u{group_id[-12:]}"
    with Database(neo4j_connection.uri, neo4j_connection.username, neo4j_connection.password) as database:
        run = database.driver.execute_query
        run("CREATE USER $name SET PASSWORD 'only-for-tests' CHANGE REQUIRED", name=name, database_="system")
        try:
            user = dataclasses.replace(neo4j_connection, username=name, password="only-for-tests")
            with (
                pytest.raises(StoreDenied, match="ALTER CURRENT USER SET PASSWORD"),
                talking(user, group_id, tmp_path),
            ):
                pass
            said: list[str] = []
            for _ in range(5):
                wrong = dataclasses.replace(user, password="not-this-one")
                with pytest.raises(StoreDenied) as error, talking(wrong, group_id, tmp_path):
                    pass
                said.append(str(error.value))
            assert "refuses the user name or password" in said[0]
            assert "wait a few seconds" in said[-1]
        finally:
            run("DROP USER $name", name=name, database_="system")
