"""Shared fixtures. No test reads the user's settings or touches the user's databases."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from amr_neo4j import Memory, localdb
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ModelMissing
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import Settings, load
from amr_neo4j.store.database import Database
from amr_neo4j.store.schema import migrate
from amr_neo4j.wiring.embedder import open_embedder
from tests.support.examples import SOAK
from tests.support.model_server import ModelServer
from tests.support.neo4j_server import BRIEF_JVM, neo4j_server, server_folder, settings_of_local
from tests.support.processes import SharedFixtures, place
from tests.support.watchdog import watch

pytest.register_assert_rewrite("tests.support.dense_contract")

# What pytest makes while it collects tests stays for the whole run. So the garbage collector leaves it out, and looks
# at the rest only seldom.
gc.disable()
gc.set_threshold(100_000, 20, 20)

KITCHEN = Path(__file__).parents[1] / "examples" / "kitchen"

# The duration of an example depends more on the load of the machine than on the code.
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# On each push the same examples, so that a run is reproducible; scripts/test --soak draws others.
settings.register_profile("push", derandomize=True, max_examples=25, **_ANY_SPEED)
settings.register_profile("soak", max_examples=1000, **_ANY_SPEED)
settings.load_profile("soak" if SOAK else "push")

# A test that uses one of these needs a Neo4j.
_SERVERS = {"neo4j_connection", "spare_server"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a Neo4j; put the files into the order in which they run."""
    on_server: set[str] = set()
    for item in items:
        if isinstance(item, pytest.Function) and _SERVERS & set(item.fixturenames):
            item.add_marker("neo4j")
            on_server.add(_file(item))
    items.sort(key=lambda item: place(_file(item), _file(item) in on_server))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SharedFixtures:
    """Spread the files over the processes of scripts/test."""
    return SharedFixtures(config, log)


@pytest.fixture(scope="session", autouse=True)
def _nobodys_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Isolate the tests: no NEO4J_*, no provider key, an empty amr.yaml and a data directory of their own."""
    own = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("NEO4J_", "OPENAI_", "OPENROUTER_"))]:
            patch.delenv(name)
        (own / "amr.yaml").touch()
        patch.setenv("AMR_CONFIG", str(own / "amr.yaml"))
        patch.setenv("AMR_DATA_DIR", str(own / "data"))
        patch.setenv("JAVA_TOOL_OPTIONS", BRIEF_JVM)
        yield


@pytest.fixture(scope="session")
def servers() -> Iterator[Path]:
    """The folder of the local servers."""
    with server_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def watchdog(servers: Path) -> Iterator[IO[str]]:
    """Ends the servers of this test run when it is killed; takes ids of containers to remove then."""
    with watch(servers) as process:
        assert process.stdin
        yield process.stdin


@pytest.fixture(scope="session")
def _downloads() -> None:
    """Waits for what scripts/test downloads beside the first tests. It writes there how that ended."""
    if file := os.environ.get("AMR_TEST_DOWNLOADS"):
        while not (ended := Path(file).read_text()):
            time.sleep(0.2)
        if ended != "installed\n":
            pytest.fail("Neo4j or the local models could not be installed")


@pytest.fixture(scope="session")
def _loaded_embedder(_nobodys_database: None, _downloads: None) -> Iterator[Embedder | None]:
    """Keeps the embedder loaded if it is installed: all memories of a process share one that is open."""
    embedder = None
    with suppress(ModelMissing):
        embedder = open_embedder(load())
    yield embedder


@pytest.fixture(scope="session")
def neo4j_connection(_loaded_embedder: object, servers: Path, watchdog: IO[str]) -> Iterator[Connection]:
    """Connection to the tests' Neo4j. Shared by all tests: work in a `group_id` of your own."""
    with neo4j_server(servers / "shared", watchdog) as connection:
        yield connection


@pytest.fixture(scope="session")
def spare_server(_loaded_embedder: object, servers: Path, watchdog: IO[str]) -> Iterator[Settings]:
    """A local database to be stopped, killed and destroyed: call `localdb.start` first, and leave it in any state."""
    own = settings_of_local(servers / "spare")
    yield own
    localdb.destroy(own)


@pytest.fixture(scope="session")
def database(neo4j_connection: Connection) -> Iterator[Database]:
    """The tests' Neo4j with the schema of this version."""
    with Database(neo4j_connection.uri, neo4j_connection.username, neo4j_connection.password) as database:
        migrate(database)
        yield database


@pytest.fixture
def no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up a server that does not answer at once, instead of after seconds of retries."""
    monkeypatch.setattr("amr_neo4j.store.database._RETRY_SECONDS", 0.0)


@pytest.fixture(scope="session")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small embedder of random weights, laid out as E5 is when it is installed."""
    pytest.importorskip("onnx", reason="the extra [local] is not installed")
    from tests.support.bert_export import write_embedder

    folder = tmp_path_factory.mktemp("e5")
    write_embedder(folder)
    return folder


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A server that speaks the OpenAI API; script its replies with `then`."""
    with ModelServer() as server:
        yield server


@pytest.fixture
def group_id() -> str:
    """A group that no other test uses."""
    return f"test-{uuid4()}"


@pytest.fixture(scope="session")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Memory with the example household ingested; read only. Skips where the embedder is missing."""
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    arguments = {
        "neo4j_uri": neo4j_connection.uri,
        "neo4j_username": neo4j_connection.username,
        "neo4j_password": neo4j_connection.password,
        "data_dir": tmp_path_factory.mktemp("data"),
        "group": f"test-{uuid4()}",
    }
    with Memory.open(**arguments) as memory:
        report = memory.ingest(KITCHEN)
        assert (report.committed, report.rejected) == (73, 0)
        yield memory
