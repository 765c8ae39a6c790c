"""The example household in a memory of its own, on the tests' Neo4j."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.clients.models import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


@pytest.fixture(scope="session")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The household, taken in: to be read alone. Skips where the embedder is missing."""
    if not {status.name: status for status in installed(load())}["minilm"].installed:
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
