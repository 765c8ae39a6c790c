"""The real Neo4j of the tests: one named for tests, else a container, else a local database of their own.

AMR_TEST_NEO4J_VERSION: the release that local ones run, if it is not to be the one that `amr db start` runs.
Run as a program it downloads that release.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import docker
from docker.errors import DockerException
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from amr_neo4j import localdb
from amr_neo4j.localdb import Connection, java, maven, server
from amr_neo4j.localdb.database import wait
from amr_neo4j.settings import Settings

# The official one, and what scripts/build-neo4j-image makes where that cannot be pulled.
_IMAGES = ("neo4j:5.26-community", "amr-neo4j-test:5.26")
_PASSWORD = "only-for-tests"
# Test servers are short-lived: the optimising compiler costs more than it gains. Half the work of a start and of
# planning the first statements. What is compiled must be kept: with the small cache of this mode it is made anew.
# The classes of a release need no check whether they are valid: a sixth of a start.
BRIEF_JVM = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# What runs beside the work takes a tenth of it, and a pause of a small heap is short.
_GARBAGE_COLLECTOR = "-XX:+UseSerialGC"
# By default statements are planned again every few seconds while the graph grows: a sixth of these servers' work.
_KEEPS_PLANS = "dbms.cypher.min_replan_interval=1h\n"
_JAVA_OF_CALENDAR_RELEASES = (21, 25)
# Where Linux keeps files in memory. The servers of a run on a push have less than 100 MB of them.
_IN_MEMORY = Path("/dev/shm")
_ROOM = 2**31


@contextmanager
def server_folder() -> Iterator[Path]:
    """An empty folder for the data of local servers; in memory if there is room, so that no commit waits for a disk.

    Files in memory outlive a killed server just as files on a disk do. They would only not outlive a loss of power.
    """
    has_room = _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM
    with tempfile.TemporaryDirectory(
        prefix="amr-test-neo4j-", dir=_IN_MEMORY if has_room else None, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def settings_of_local(scratch: Path) -> Settings:
    """Settings of a local database for tests. scratch: a folder for its data."""
    if version := os.environ.get("AMR_TEST_NEO4J_VERSION"):
        maven.NEO4J = version
        if not version.startswith("5."):
            java.SUPPORTED = _JAVA_OF_CALENDAR_RELEASES
    if not server.CONF.endswith(_KEEPS_PLANS):
        server.CONF += _KEEPS_PLANS
    server.GARBAGE_COLLECTOR = _GARBAGE_COLLECTOR
    return Settings(data_dir=scratch, local_engine="maven", local_heap_mb=768, local_page_cache_mb=512)


@contextmanager
def neo4j_server(scratch: Path, watchdog: IO[str]) -> Iterator[Connection]:
    """A server for as long as the tests run. scratch: a folder for the data of a local one.

    watchdog: takes the id of a container, which is removed when the test run is killed.
    """
    if uri := os.environ.get("AMR_TEST_NEO4J_URI"):
        user = os.environ.get("AMR_TEST_NEO4J_USERNAME", "neo4j")
        yield Connection(uri, user, os.environ.get("AMR_TEST_NEO4J_PASSWORD", ""))
    elif "AMR_TEST_NEO4J_VERSION" not in os.environ and (image := _image_of_docker()):
        with _container(image, watchdog) as connection:
            yield connection
    else:
        with _local(settings_of_local(scratch)) as connection:
            yield connection


def _image_of_docker() -> str | None:
    """AMR_TEST_NEO4J_IMAGE, else the first of _IMAGES; None where no engine answers or it has none."""
    named = os.environ.get("AMR_TEST_NEO4J_IMAGE")
    try:
        client = docker.from_env(timeout=10)
    except DockerException:
        return None
    try:
        return next((image for image in ([named] if named else _IMAGES) if client.images.list(name=image)), None)
    finally:
        client.close()


@contextmanager
def _container(image: str, watchdog: IO[str]) -> Iterator[Connection]:
    testcontainers_config.ryuk_disabled = True  # its image may not be here, and the container is removed below
    server = DockerContainer(image).with_env("NEO4J_AUTH", f"neo4j/{_PASSWORD}").with_exposed_ports(7687)
    with server:
        print(server.get_wrapped_container().id, file=watchdog, flush=True)
        uri = f"bolt://{server.get_container_host_ip()}:{server.get_exposed_port(7687)}"
        connection = Connection(uri, "neo4j", _PASSWORD, "neo4j")
        assert wait(connection, lambda: True, limit_s=240), f"{image} did not answer at {uri}"
        yield connection


@contextmanager
def _local(settings: Settings) -> Iterator[Connection]:
    try:
        yield localdb.start(settings, notify=print)
    finally:
        localdb.destroy(settings)


if __name__ == "__main__":
    maven.install(settings_of_local(Path()).cache_dir, print)
