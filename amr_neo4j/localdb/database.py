"""Starts, stops and destroys the local database of a data directory, and returns its status and connection."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from amr_neo4j.errors import ConfigError, DatabaseError, StoreDenied, ToolError
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.docker import DockerCompose
from amr_neo4j.localdb.record import EngineName, Notify, Record
from amr_neo4j.localdb.server import JavaServer
from amr_neo4j.settings import Settings

Engine = DockerCompose | JavaServer
"""Runs the server of one home. Methods raise ToolError or DatabaseError."""

# Seconds between two checks whether a starting server answers.
_POLL_S = 0.5


@dataclass(frozen=True)
class Connection:
    """What a driver needs to connect.

    database: None for the server's default.
    browser_url: address of Neo4j Browser; None for a server that we did not start.
    denied_hint: what the user can do if the server refuses the password.
    """

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    browser_url: str | None = None
    denied_hint: str = field(default="check NEO4J_USERNAME and NEO4J_PASSWORD", repr=False, compare=False)


def wait(connection: Connection, alive: Callable[[], bool], limit_s: float) -> bool:
    """Wait until the server accepts this user. Returns False if it exits first, or after `limit_s` seconds.

    alive: returns whether the process of the server still runs. Raises StoreDenied: the server refuses the password.
    """
    until = time.monotonic() + limit_s
    while time.monotonic() < until and alive():
        if _answers(connection):
            return True
        time.sleep(_POLL_S)
    return False


def _driver(connection: Connection) -> Driver:
    auth = (connection.username, connection.password)
    return GraphDatabase.driver(connection.uri, auth=auth, telemetry_disabled=True)  # pyright: ignore[reportUnknownMemberType]


def _answers(connection: Connection) -> bool:
    try:
        with _driver(connection) as driver:
            driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType]
    except AuthError as error:
        raise StoreDenied(f"Neo4j at {connection.uri} refuses the password", hint=connection.denied_hint) from error
    except (DriverError, Neo4jError, OSError):
        return False
    return True


# Seconds that a server may take to start.
_START_S = 240.0


@dataclass(frozen=True)
class Status:
    """The state of a data directory's local database. `absent`: it was never started, or was destroyed.

    `copy`: the folder was copied, and its record has the addresses of the original's database.

    home: the folder with its record, password and, with Maven, its data.
    """

    state: Literal["running", "stopped", "absent", "copy"]
    home: Path
    engine: EngineName | None = None
    pid: int | None = None
    uri: str | None = None
    browser_url: str | None = None
    username: str | None = None
    password_file: Path | None = None


def start(settings: Settings, notify: Notify = lambda line: None) -> Connection:
    """Start the database unless it runs, and wait until it answers. Returns its connection.

    The first start chooses the engine and makes a password; later ones keep both.
    notify: called with a line before anything that takes long.
    Raises ToolError: no engine is available. ConfigError: the settings ask for another engine than the first start
    has chosen, the folder is a copy of another one, or its files are those of another database. DatabaseError: the
    server did not start; its `log` has the last lines that the server wrote.
    """
    home = home_of(settings)
    with locked(home):
        record = own_record(home) or _first(settings, notify)
        _refuse_another_engine(settings, record)
        engine = open_engine(settings, record.engine)
        # `running` alone is not enough: a process that is being killed still looks alive. So `_up` waits until it
        # answers or is gone, and the server is started only if it is gone.
        if not _up(engine, record, home) and not engine.running(record):
            engine.install(notify)
            notify("starting Neo4j")
            record = launch(engine, _with_free_ports(record, home), home)
        connection = awaited(engine, record, home)
        _check_store(record, home, _store_id(connection))
        return connection


def adopt(settings: Settings) -> None:
    """Make the database files in a folder its own: in a copied folder on other ports than the original's.

    Raises ConfigError: the folder is a copy, and the data is in a volume of Docker.
    """
    home = home_of(settings)
    with locked(home):
        record = records.load(home)
        if record is None:
            return
        if record.belongs_to(home):
            records.save(home, replace(record, store_id=""))
            return
        if record.engine == "docker":
            raise ConfigError(
                f"the data of {record.folder} is in a volume of Docker, not in this copy",
                hint="run amr db backup there and amr db restore here",
            )
        records.save(home, Record(record.engine, *records.free_pair(home)))


def stop(settings: Settings) -> None:
    """Stop the database and wait until it has exited. Does nothing if it is not running."""
    home = home_of(settings)
    with locked(home):
        if record := records.load(home):
            open_engine(settings, record.engine).stop(record)


def destroy(settings: Settings) -> None:
    """Stop the database and delete its data, password and record."""
    home = home_of(settings)
    with locked(home):
        if record := records.load(home):
            open_engine(settings, record.engine).destroy(record)
            shutil.rmtree(home)  # last: if the engine fails, the record stays and this can be repeated


def status(settings: Settings) -> Status:
    """Return the current state of the local database."""
    home = home_of(settings)
    record = records.load(home)
    if record is None:
        return Status("absent", home)
    if not record.belongs_to(home):
        return Status("copy", home, record.engine)
    running = open_engine(settings, record.engine).running(record)
    return Status(
        state="running" if running else "stopped",
        home=home,
        engine=record.engine,
        pid=record.pid if running else None,
        uri=_uri(record),
        browser_url=_browser_url(record),
        username="neo4j",
        password_file=records.password_file(home),
    )


def engine(settings: Settings) -> EngineName | None:
    """Return the engine that the first start has chosen; None before the first start."""
    record = records.load(home_of(settings))
    return record.engine if record else None


def connection(settings: Settings) -> Connection | None:
    """Return the connection of the local database; None if it is not running. Raises ConfigError if it is a copy."""
    home = home_of(settings)
    record = own_record(home)
    if record is None or not open_engine(settings, record.engine).running(record):
        return None
    return _connection(record, home)


def ensure(settings: Settings, *, stopped: bool = False) -> Connection:
    """Return the connection of the server in the settings; if they name none, that of the local database.

    stopped: also return the connection of a local database that was started once but is not running now.
    Raises DatabaseError: neither is available.
    """
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return Connection(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    local = _last_connection(settings) if stopped else connection(settings)
    if local is None:
        raise DatabaseError("no Neo4j is running here", hint="run: amr db start, or set NEO4J_URI")
    return local


def _last_connection(settings: Settings) -> Connection | None:
    """Return the connection that the last start has recorded; None before the first start."""
    home = home_of(settings)
    record = own_record(home)
    return _connection(record, home) if record else None


def own_record(home: Path) -> Record | None:
    """Return the record of this home; None before the first start.

    Raises ConfigError: the home is a copy. Its record names the address and password of the original's database.
    """
    record = records.load(home)
    if record and not record.belongs_to(home):
        raise ConfigError(
            f"{home} is a copy of {record.folder}, whose database its settings name",
            hint="to give the copy a database of its own, run: amr db adopt",
        )
    return record


def home_of(settings: Settings) -> Path:
    """Return the folder of the local database. It may not exist yet."""
    return settings.data_dir.expanduser().resolve() / "neo4j"


def locked(home: Path) -> AbstractContextManager[None]:
    """Context manager: holds the lock under which the database is started, stopped and changed."""
    # The file is outside the home, because `destroy` deletes the home while it holds the lock.
    return records.locked(home.with_name("neo4j.lock"))


def _refuse_another_engine(settings: Settings, record: Record) -> None:
    if settings.local_engine not in ("auto", record.engine):
        raise ConfigError(
            f"this local database runs on {record.engine}, but the settings ask for {settings.local_engine}",
            hint="unset AMR_LOCAL_ENGINE, or run: amr db destroy",
        )


def open_engine(settings: Settings, name: EngineName) -> Engine:
    """Return the engine with this name for the home and the memory sizes of the settings. Starts nothing."""
    home, heap, page_cache = home_of(settings), settings.local_heap_mb, settings.local_page_cache_mb
    if name == "docker":
        return DockerCompose(home, heap, page_cache)
    return JavaServer(home, settings.cache_dir.expanduser().resolve(), heap, page_cache)


def _first(settings: Settings, notify: Notify) -> Record:
    """Choose the engine and the ports, make the password, and save the record."""
    home = home_of(settings)
    name = choose(settings, notify)
    records.make_password(home)
    record = Record(name, *records.free_pair(home))
    records.save(home, record)
    return record


def choose(settings: Settings, notify: Notify) -> EngineName:
    """Install the engine of the settings and return its name. `auto` means Docker if available, otherwise Maven."""
    if settings.local_engine != "maven":
        try:
            open_engine(settings, "docker").install(notify)
        except ToolError as error:
            if settings.local_engine == "docker":
                raise
            notify(f"Docker is not available ({error.message}); getting Neo4j with Maven")
        else:
            return "docker"
    open_engine(settings, "maven").install(notify)
    return "maven"


def _with_free_ports(record: Record, home: Path) -> Record:
    """Return the record with its ports, or with new ones if another program uses one of them."""
    if records.becomes_free(record.bolt_port) and records.becomes_free(record.http_port):
        return record
    bolt, http = records.free_pair(home)
    return replace(record, bolt_port=bolt, http_port=http)


def launch(engine: Engine, record: Record, home: Path) -> Record:
    """Start the server without waiting for it. Returns the record with its pid, which is saved as well."""
    launched = replace(record, pid=engine.launch(record, records.password(home)))
    records.save(home, launched)
    return launched


def _store_id(connection: Connection) -> str:
    """Return what Neo4j calls the database that answers."""
    with _driver(connection) as driver:
        [row] = driver.execute_query("CALL db.info() YIELD id RETURN id", database_=connection.database).records
    return str(row["id"])


def _check_store(record: Record, home: Path, store_id: str) -> None:
    """Note the database at its first start. Raises ConfigError: the files in the home are those of another one."""
    if not record.store_id:
        records.save(home, replace(record, store_id=store_id))
    elif record.store_id != store_id:
        raise ConfigError(
            f"the files in {home} are those of another database than the one that was started there before",
            hint="put its own files back (amr db restore), or take these as they are: amr db adopt",
        )


def _up(engine: Engine, record: Record, home: Path) -> bool:
    return wait(_connection(record, home), lambda: engine.running(record), _START_S)


def awaited(engine: Engine, record: Record, home: Path) -> Connection:
    """Wait until a launched server answers. Returns its connection.

    Raises DatabaseError if it does not answer in time, and was stopped. `log` has the last lines that it wrote.
    """
    if _up(engine, record, home):
        return _connection(record, home)
    lines = engine.last_lines()  # before it is stopped, which adds lines to the log
    engine.stop(record)
    raise DatabaseError("Neo4j did not start; the last lines of its log:", log=lines)


def _connection(record: Record, home: Path) -> Connection:
    advice = f"put the password that the database has into {records.password_file(home)}, or run: amr db destroy"
    return Connection(
        uri=_uri(record),
        username="neo4j",
        password=records.password(home),
        database="neo4j",
        browser_url=_browser_url(record),
        denied_hint=advice,
    )


def _uri(record: Record) -> str:
    return f"bolt://127.0.0.1:{record.bolt_port}"


def _browser_url(record: Record) -> str:
    return f"http://127.0.0.1:{record.http_port}/browser/"
