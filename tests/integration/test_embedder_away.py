"""While the embedder does not answer, turns are stored and found by their words; their vectors follow."""

from __future__ import annotations

import socket
from pathlib import Path

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Scope
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import Settings, load
from tests.support.model_server import ModelServer

WAIT_S = 0.5


def settings_of(connection: Connection, group_id: str, tmp_path: Path, port: int) -> Settings:
    return load(
        neo4j_uri=connection.uri,
        neo4j_username=connection.username,
        neo4j_password=connection.password,
        group=group_id,
        user="ann",
        data_dir=tmp_path,
        hot_languages="en",
        embedder="api",
        embed={
            "provider": f"http://127.0.0.1:{port}/v1",
            "model": "hashed",
            "dimensions": 256,
            "wait_s": WAIT_S,
            "timeout_s": 2.0,
            "patience_s": 2.0,
        },
    )


def test_nothing_waits_for_an_embedder_that_does_not_answer(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    # It accepts connections and never replies, as an overloaded server does.
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    settings = settings_of(neo4j_connection, group_id, tmp_path, port)
    with Memory.open(settings) as memory:
        memory.chat(session_id="s").observe("I live in Ghent.")
        report = memory.remember(["The spare key is under the blue flower pot."], session_id="t")
        assert (report.committed, report.accepted) == (1, 0)
        answer = memory.ask("Where is the spare key?")
        assert "flower pot" in answer.text
        assert any("by words alone" in line for line in answer.notes)
        for kind, words in (("episodes", "flower pot"), ("facts", "Ghent"), ("both", "flower pot")):
            query = "Where is the spare key?" if "pot" in words else "live in Ghent"
            found = memory.search_memory(query, search_type=kind)  # pyright: ignore[reportArgumentType]
            assert any(words in each.text for each in found), kind
            assert [line for line in found.notes if "by words alone" in line], kind
        assert memory.missing_vectors() == 0
        assert memory.fact_embeddings().waiting == 3
    silent.close()
    with ModelServer(port=port), Memory.open(settings) as memory:
        assert memory.fact_embeddings().waiting == 3
        search = memory._parts.searching().open(Scope(group_id, user_id="ann"))
        streamed = search.stream("The blue flower pot is broken.")
        assert any("spare key" in each.text for each in streamed.episodes), "it has no vector yet"
        memory.embed_facts()
        assert (memory.fact_embeddings().waiting, memory.missing_vectors()) == (0, 0)
        assert memory.index_size("episode") == (2, 2)
        found = memory.search_memory("the flower pot")
        assert "flower pot" in found[0].text
        assert not found.notes
