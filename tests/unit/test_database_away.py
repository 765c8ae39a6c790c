"""Turns that are said while the local database is stopped."""

from __future__ import annotations

import json
import socket
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from neo4j import RoutingControl
from neo4j.exceptions import ServiceUnavailable

from amr_neo4j.cli.main import main
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.record import Record, free_pair
from amr_neo4j.memory import Memory
from amr_neo4j.spool import GRAPHS_FILE, TURNS_FILE
from amr_neo4j.spool.known_databases import KnownDatabases
from amr_neo4j.spool.turns import Spool
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database

GRAPH = "graph-1"


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory whose local database was started before and is stopped."""
    home = tmp_path / "neo4j"
    records.make_password(home)
    records.save(home, Record("maven", *free_pair(home)))
    monkeypatch.setenv("AMR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("AMR_USER", "lena")
    monkeypatch.delenv("NEO4J_URI", raising=False)
    return tmp_path


def answered_before(data_dir: Path) -> None:
    record = records.load(data_dir / "neo4j")
    assert record
    known = KnownDatabases(data_dir / GRAPHS_FILE)
    known.keep(f"bolt://127.0.0.1:{record.bolt_port} neo4j", GRAPH)
    known.close()


def waiting(data_dir: Path) -> list[tuple[str, str]]:
    """(actor, text) of the turns in the spool."""
    spool = Spool(data_dir / TURNS_FILE, GRAPH)
    turns = [(episode.actor, episode.text) for _, episode in spool.waiting("default", 10)]
    spool.close()
    return turns


def amr(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_turns_are_kept_where_the_database_answered_before(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered_before(data_dir)
    assert amr("chat", "say", "My favourite tea is Assam.", "--session", "tea", "--actor", "Lena") == 0
    assert "1 turn kept on disk" in capsys.readouterr().out
    (tmp_path / "talk.jsonl").write_text(json.dumps({"actor": "Ben", "content": "Mine is mint."}))
    assert amr("chat", "import", str(tmp_path / "talk.jsonl")) == 0
    assert waiting(data_dir) == [("Lena", "My favourite tea is Assam."), ("Ben", "Mine is mint.")]


def test_a_film_is_no_conversation(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answered_before(data_dir)
    film = tmp_path / "broken.mp4"
    film.write_bytes(b"\0\0\0\x18ftypmp42")
    assert amr("chat", "import", str(film)) == 65
    assert f"run: amr ingest {film}" in capsys.readouterr().err


def test_a_question_meets_an_error_with_advice(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answered_before(data_dir)
    assert amr("stats") == 69
    assert "amr db start" in capsys.readouterr().err


def test_a_database_that_never_answered_is_an_error_and_keeps_nothing(data_dir: Path) -> None:
    with pytest.raises(StoreUnavailable, match="amr db start"):
        Memory.open()
    assert amr("chat", "say", "Hello.", "--session", "tea") == 69
    assert not (data_dir / TURNS_FILE).exists()


@pytest.mark.parametrize("uri", ["bolt://127.0.0.1:1", "neo4j://127.0.0.1:1"])
def test_a_program_sees_the_cause_and_the_advice_and_nothing_of_the_driver(uri: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=f"{uri} does not answer: Connection refused.*NEO4J_URI") as caught:
        Memory.open(neo4j_uri=uri, neo4j_username="neo4j", neo4j_password="p", data_dir=tmp_path)
    shown = "".join(traceback.format_exception(caught.value))
    assert "neo4j/_sync" not in shown
    assert len(shown.splitlines()) < 40


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize(
    "call", [Database.check, schema.pending, lambda database: database.read("vectors/database_identity")]
)
def test_a_server_that_accepts_and_is_silent_is_given_up_in_time(
    call: Callable[[Database], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("amr_neo4j.store.database._SHORTEST_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        uri = f"bolt://127.0.0.1:{listening.getsockname()[1]}"
        begun = time.monotonic()
        with (
            Database(uri, "neo4j", "x", wait_sec=0) as database,
            pytest.raises(StoreUnavailable, match="is silent") as raised,
        ):
            call(database)
        assert time.monotonic() - begun < 10
    assert "\n" not in raised.value.message


@pytest.mark.usefixtures("no_retries")
def test_a_server_that_is_silent_when_memory_opens_is_not_waited_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by the question that memory was opened for, nor by the turn."""
    monkeypatch.setattr("amr_neo4j.store.database._SHORTEST_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        uri = f"bolt://127.0.0.1:{listening.getsockname()[1]}"
        with Database(uri, "neo4j", "x", wait_sec=0) as database:
            with pytest.raises(StoreUnavailable, match="is silent"):
                schema.pending(database)
            monkeypatch.setattr(database, "_watched", None)  # what would call the server
            with pytest.raises(StoreUnavailable, match="is silent"):
                database.read("vectors/database_identity")
            with pytest.raises(StoreUnavailable, match="is silent"):
                database.write("ingest/take_turn", now=None)


class Clock:
    """A clock that a test moves."""

    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize("how", RoutingControl)
@pytest.mark.parametrize(("cause", "away_sec"), [(ConnectionResetError(), 1.0), (TimeoutError(), 10.0)])
def test_a_call_that_loses_the_server_after_long_work_makes_others_fail_for_seconds(
    how: RoutingControl, cause: OSError, away_sec: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a server that was lost while it read, nothing is known of writes; one that is silent answers neither."""
    clock = Clock()
    monkeypatch.setattr("amr_neo4j.store.database.time", clock)
    with Database("bolt://127.0.0.1:1", "neo4j", "x") as database:

        def lose() -> None:
            with pytest.raises(StoreUnavailable), database.tried(how):
                clock.now += 600.0
                raise ServiceUnavailable from cause

        def is_refused(kind: RoutingControl) -> bool:
            try:
                with database.tried(kind):
                    return False
            except StoreUnavailable:
                return True

        lose()
        is_silent = isinstance(cause, TimeoutError)
        refused = {kind for kind in RoutingControl if is_refused(kind)}
        assert refused == ({*RoutingControl} if is_silent and how is RoutingControl.READ else {how})
        clock.now += away_sec + 0.1
        assert not any(map(is_refused, RoutingControl))
        with database.tried(how):  # a call that was begun before and goes well
            lose()
        assert not is_refused(how)
