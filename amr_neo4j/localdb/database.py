"""The local database of one data directory: start, stop, status, destroy, and where it answers."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from amr_neo4j.errors import ConfigError, DatabaseError, ToolError
from amr_neo4j.localdb import bolt, ports
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.bolt import Connection
from amr_neo4j.localdb.docker import DockerCompose
from amr_neo4j.localdb.engine import Engine, Notify
from amr_neo4j.localdb.record import EngineName, Record
from amr_neo4j.localdb.server import JavaServer
from amr_neo4j.settings import Settings

_START_S = 240.0


@dataclass(frozen=True)
class Status:
    """How the local database of a data directory is. `absent`: it was never started, or was destroyed."""

    state: Literal["running", "stopped", "absent"]
    home: Path
    engine: EngineName | None = None
    pid: int | None = None
    uri: str | None = None
    browser_url: str | None = None
    username: str | None = None
    password_file: Path | None = None


def start(settings: Settings, notify: Notify = lambda line: None) -> Connection:
    """Start it, or find it started. The first start chooses the engine and makes the password; later ones keep both.

    say: gets a line before anything that takes long.
    Raises ToolError: no engine can be had. DatabaseError: it did not start; with the last lines of its log.
    """
    home = _home(settings)
    with _locked(home):
        record = records.load(home) or _first(settings, notify)
        _refuse_another_engine(settings, record)
        engine = _engine(settings, record.engine)
        # One that is being killed still looks alive, until it has not answered.
        if not _up(engine, record, home) and not engine.running(record):
            engine.install(notify)
            notify("starting Neo4j")
            record = _launch(engine, _with_free_ports(record, home), home)
        return _awaited(engine, record, home)


def stop(settings: Settings) -> None:
    """Stop it and wait until it has gone; nothing to do when it is not running."""
    home = _home(settings)
    with _locked(home):
        if record := records.load(home):
            _engine(settings, record.engine).stop(record)


def destroy(settings: Settings) -> None:
    """Stop it and remove its data, its password and what was chosen for it."""
    home = _home(settings)
    with _locked(home):
        if record := records.load(home):
            _engine(settings, record.engine).destroy(record)
            shutil.rmtree(home)


def status(settings: Settings) -> Status:
    """How it is now."""
    home = _home(settings)
    record = records.load(home)
    if record is None:
        return Status("absent", home)
    running = _engine(settings, record.engine).running(record)
    return Status(
        "running" if running else "stopped",
        home,
        record.engine,
        record.pid if running else None,
        _uri(record),
        _browser_url(record),
        "neo4j",
        records.password_file(home),
    )


def engine(settings: Settings) -> EngineName | None:
    """What its first start chose to run it; None before."""
    record = records.load(_home(settings))
    return record.engine if record else None


def connection(settings: Settings) -> Connection | None:
    """Where it answers; None when it is not running."""
    home = _home(settings)
    record = records.load(home)
    if record is None or not _engine(settings, record.engine).running(record):
        return None
    return _connection(record, home)


def ensure(settings: Settings) -> Connection:
    """The server that settings name, else the local database.

    Raises DatabaseError: neither is there.
    """
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return Connection(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    local = connection(settings)
    if local is None:
        raise DatabaseError("no Neo4j is running here", hint="run: amr db start, or set NEO4J_URI")
    return local


def _home(settings: Settings) -> Path:
    return settings.data_dir.expanduser().resolve() / "neo4j"


def _locked(home: Path) -> AbstractContextManager[None]:
    """Outside the home, because destroy removes that."""
    return records.locked(home.with_name("neo4j.lock"))


def _refuse_another_engine(settings: Settings, record: Record) -> None:
    if settings.local_engine not in ("auto", record.engine):
        raise ConfigError(
            f"this local database runs on {record.engine}, and the settings ask for {settings.local_engine}",
            hint="unset AMR_LOCAL_ENGINE, or run: amr db destroy",
        )


def _engine(settings: Settings, name: EngineName) -> Engine:
    home = _home(settings)
    if name == "docker":
        return DockerCompose(home, settings.local_heap_mb)
    return JavaServer(home, settings.cache_dir.expanduser().resolve(), settings.local_heap_mb)


def _first(settings: Settings, notify: Notify) -> Record:
    """Choose an engine and ports, make the password, and write all of it down."""
    home = _home(settings)
    name = _choose(settings, notify)
    records.make_password(home)
    record = Record(name, *ports.free_pair(home))
    records.save(home, record)
    return record


def _choose(settings: Settings, notify: Notify) -> EngineName:
    """The engine that settings ask for, else Docker where it can, else Maven; installed."""
    if settings.local_engine != "maven":
        try:
            _engine(settings, "docker").install(notify)
        except ToolError as error:
            if settings.local_engine == "docker":
                raise
            notify(f"no Docker here ({error.message}); taking Neo4j from Maven")
        else:
            return "docker"
    _engine(settings, "maven").install(notify)
    return "maven"


def _with_free_ports(record: Record, home: Path) -> Record:
    """The ports of the last time, unless somebody has taken one since."""
    if ports.falls_free(record.bolt_port) and ports.falls_free(record.http_port):
        return record
    bolt, http = ports.free_pair(home)
    return replace(record, bolt_port=bolt, http_port=http)


def _launch(engine: Engine, record: Record, home: Path) -> Record:
    launched = replace(record, pid=engine.launch(record, records.password(home)))
    records.save(home, launched)
    return launched


def _up(engine: Engine, record: Record, home: Path) -> bool:
    return bolt.wait(_connection(record, home), lambda: engine.running(record), _START_S)


def _awaited(engine: Engine, record: Record, home: Path) -> Connection:
    if _up(engine, record, home):
        return _connection(record, home)
    lines = engine.last_lines()
    engine.stop(record)
    raise DatabaseError("\n  ".join(["Neo4j did not start; the last lines of its log:", *lines]))


def _connection(record: Record, home: Path) -> Connection:
    return Connection(_uri(record), "neo4j", records.password(home), "neo4j", _browser_url(record))


def _uri(record: Record) -> str:
    return f"bolt://127.0.0.1:{record.bolt_port}"


def _browser_url(record: Record) -> str:
    return f"http://127.0.0.1:{record.http_port}/browser/"
