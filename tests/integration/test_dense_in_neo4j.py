"""Memory with the setting dense: neo4j, from a turn to the answer to forgetting it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import owner
from amr_neo4j.errors import ConfigError
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from tests.support.chatting import talking
from tests.support.counting_embedder import CountingEmbedder


@pytest.fixture
def inside(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    """A memory that keeps its dense index in the database."""
    monkeypatch.setenv("AMR_DENSE", "neo4j")
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def vectors_of(database: Database, group_id: str) -> int:
    query = "MATCH (v:DenseVector) WHERE v.group_id = $group_id RETURN count(v) AS vectors"
    [row] = database.driver.execute_query(query, group_id=group_id).records
    return row["vectors"]


def test_turns_are_found_by_their_user_alone_until_they_are_forgotten(
    inside: Memory, database: Database, group_id: str, tmp_path: Path, neo4j_connection: Connection
) -> None:
    for user, text in (("anna", "The keys are on the hook."), ("ben", "The keys are in the drawer.")):
        inside.remember([text], user_id=user, session_id="s")
    assert [hit.event.summary_text for hit in inside.search("keys", user_id="anna")] == [
        "user: The keys are on the hook."
    ]
    assert vectors_of(database, owner(group_id, "anna")) == vectors_of(database, owner(group_id, "ben")) == 1
    inside.forget(user_id="anna")
    assert vectors_of(database, owner(group_id, "anna")) == 0
    assert not (tmp_path / "vectors").exists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMR_DENSE", "faiss")
        with talking(neo4j_connection, group_id, tmp_path) as memory:
            memory.forget(user_id="ben")
    assert vectors_of(database, owner(group_id, "ben")) == 0


def test_a_group_that_is_forgotten_leaves_no_vectors(inside: Memory, database: Database, group_id: str) -> None:
    inside.chat(user_id="anna", session_id="s").observe("I live in Rome.")
    until = time.monotonic() + 60
    while vectors_of(database, owner(group_id, "anna")) < 2 and time.monotonic() < until:  # the turn and the fact
        inside.embed_facts()
        inside.search_memory("Where do I live?", user_id="anna")
    assert vectors_of(database, owner(group_id, "anna")) == 2
    inside.forget_group()
    assert vectors_of(database, owner(group_id, "anna")) == 0


def test_vectors_too_long_for_the_vector_index_are_refused_at_once(inside: Memory) -> None:
    inside._parts.embedder.use(CountingEmbedder(dim=4097))
    with pytest.raises(ConfigError, match="4096"):
        _ = inside._parts.indexes.events
