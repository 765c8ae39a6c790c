"""A memory for conversations: on the tests' Neo4j, with an embedder that needs no model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.counting_embedder import CountingEmbedder


@contextmanager
def talking(
    there: Connection,
    group_id: str,
    data_dir: Path,
    *,
    embedder: Any = None,
    said: list[str] | None = None,
    **settings: Any,
) -> Iterator[Memory]:
    """As Memory.open. said: receives the lines meant for a person. settings: further ones."""
    opened = load(
        neo4j_uri=there.uri,
        neo4j_username=there.username,
        neo4j_password=there.password,
        group=group_id,
        data_dir=data_dir,
        **settings,
    )
    with Memory.connect(opened, notify=([] if said is None else said).append) as memory:
        memory._parts.embedder.use(embedder or CountingEmbedder())
        memory._parts.prepare()
        yield memory


def rows(memory: Memory, statement: str, **params: Any) -> list[Any]:
    """The first column of a statement's result; $group_id is the memory's."""
    with memory._parts.database.session() as session:
        return [record[0] for record in session.run(statement, group_id=memory.group_id, **params)]
