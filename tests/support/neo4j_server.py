"""The real Neo4j of the tests: one named for tests, else a container, else a local database of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
from docker.errors import DockerException
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from amr_neo4j import localdb
from amr_neo4j.localdb import Connection
from amr_neo4j.localdb.bolt import wait
from amr_neo4j.settings import Settings

# The official one, and what scripts/build-neo4j-image makes where that cannot be pulled.
_IMAGES = ("neo4j:5.26-community", "amr-neo4j-test:5.26")
_PASSWORD = "only-for-tests"


@contextmanager
def neo4j_server(scratch: Path) -> Iterator[Connection]:
    """A server for as long as the tests run. scratch: a folder for the data of a local one."""
    if uri := os.environ.get("AMR_TEST_NEO4J_URI"):
        user = os.environ.get("AMR_TEST_NEO4J_USERNAME", "neo4j")
        yield Connection(uri, user, os.environ.get("AMR_TEST_NEO4J_PASSWORD", ""))
    elif image := _image_of_docker():
        with _container(image) as connection:
            yield connection
    else:
        with _local(Settings(data_dir=scratch, local_engine="maven", local_heap_mb=768)) as connection:
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
def _container(image: str) -> Iterator[Connection]:
    testcontainers_config.ryuk_disabled = True  # its image may not be here, and the container is removed below
    server = DockerContainer(image).with_env("NEO4J_AUTH", f"neo4j/{_PASSWORD}").with_exposed_ports(7687)
    with server:
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
