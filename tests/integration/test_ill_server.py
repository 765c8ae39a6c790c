"""A server that answers but cannot serve: each cause has its exit code, and nothing that was accepted is lost."""

from __future__ import annotations

import dataclasses
import json
import socket
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

import neo4j
import pytest

from amr_neo4j import localdb
from amr_neo4j.errors import StoreDenied, StoreUnavailable
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
    monkeypatch.setattr(server, "CONF", f"{server.CONF}{line}\n")
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
            with pytest.raises(StoreUnavailable):
                memory.forget(user_id="anna", session_id="s")
            assert memory._parts.turn_spool().count(group_id, "anna", None, None) == 1, "nothing is half forgotten"


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


@contextmanager
def between(there: Connection) -> Generator[tuple[str, Event]]:
    """A way to the server that can be blocked: (its address, an event that is set while bytes pass)."""
    passing = Event()
    passing.set()
    ahead = urlsplit(there.uri)
    with socket.create_server(("127.0.0.1", 0)) as door:

        def forward(source: socket.socket, target: socket.socket) -> None:
            with suppress(OSError):
                while data := source.recv(65_536):
                    passing.wait()
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    line, _ = door.accept()
                    server = socket.create_connection((ahead.hostname or "", ahead.port or 0))
                    for ends in ((line, server), (server, line)):
                        Thread(target=forward, args=ends, daemon=True).start()

        Thread(target=accept, daemon=True).start()
        try:
            yield f"bolt://127.0.0.1:{door.getsockname()[1]}", passing
        finally:
            passing.set()
            door.shutdown(socket.SHUT_RDWR)  # closing alone would leave the thread in accept


@pytest.mark.soak
@pytest.mark.parametrize("wait_sec", [5.0, 20.0])
def test_a_server_that_falls_silent_on_an_open_connection_is_given_up(
    neo4j_connection: Connection, wait_sec: float
) -> None:
    """Reading and writing end in time, and work again afterwards. A server that works for long is waited for."""
    there = neo4j_connection
    with between(there) as (uri, passing), Database(uri, there.username, there.password, wait_sec=wait_sec) as graph:
        graph.read("group/all")
        long = "UNWIND range(1, $times) AS n RETURN sum(n % 7)"
        times, took = 10_000_000, 0.0
        while took < 1.5 * wait_sec:
            begun = monotonic()
            with graph._called(), graph.session() as session:
                session.run(long, times=times).consume()
            took = monotonic() - begun
            times = int(times * max(2.0, 2 * wait_sec / took))
        for work in (
            lambda: graph.read("group/all"),
            lambda: graph.write("ingest/take_turn", now=None),
            lambda: list(graph.stream("group/all")),
        ):
            passing.clear()
            begun = monotonic()
            with pytest.raises(StoreUnavailable, match="it accepts connections and is silent"):
                work()
            assert monotonic() - begun < max(wait_sec, 10.0) + 5.0
            passing.set()
            # For ten seconds at most, a silent server counts as away.
            while not _answers(graph) and monotonic() - begun < 60.0:
                sleep(0.1)
            graph.read("group/all")


def _answers(graph: Database) -> bool:
    try:
        graph.read("group/all")
    except StoreUnavailable:
        return False
    return True


def test_closing_ends_each_call_under_way_even_if_one_is_in_the_middle_of_a_message(
    neo4j_connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does the driver report an error: a program without logging of its own would print that."""
    database = Database(neo4j_connection.uri, neo4j_connection.username, neo4j_connection.password)
    failed: list[Exception] = []

    def wait_long() -> None:
        try:
            with database.session() as session:
                session.run("UNWIND range(1, 10000000000) AS n RETURN count(n)").consume()
        except neo4j.exceptions.DriverError as error:
            failed.append(error)

    with database.session() as sending:
        sending.run("RETURN 1")
        waiting = Thread(target=wait_long, daemon=True)
        waiting.start()
        connection = sending._connection
        while connection.pool.in_use_connection_count(connection.unresolved_address) < 2:
            Event().wait(0.01)
        with connection.outbox._buffer.tmp_buffer():  # as while a message is packed
            database.close()
        waiting.join(20)
    assert len(failed) == 1
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
