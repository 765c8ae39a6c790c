"""While the embedder does not answer, turns are stored and found by their words; their vectors follow."""

from __future__ import annotations

import socket
from pathlib import Path

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.model_server import ModelServer


def test_nothing_waits_for_an_embedder_that_does_not_answer(
    neo4j_connection: Connection, group_id: str, tmp_path: Path
) -> None:
    # It accepts connections and never replies, as an overloaded server does.
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    settings = load(
        neo4j_uri=neo4j_connection.uri,
        neo4j_username=neo4j_connection.username,
        neo4j_password=neo4j_connection.password,
        group=group_id,
        user="ann",
        data_dir=tmp_path,
        hot_languages="en",
        embedder="api",
        embed={
            "provider": f"http://127.0.0.1:{port}/v1",
            "model": "hashed",
            "dimensions": 256,
            "wait_s": 0.5,
            "timeout_s": 2.0,
            "patience_s": 2.0,
        },
    )
    with Memory.open(settings) as memory:
        memory.chat(session_id="s").observe("I live in Ghent.")
        report = memory.remember(["The spare key is under the blue flower pot."], session_id="t")
        assert (report.committed, report.accepted) == (1, 0)
        answer = memory.ask("Where is the spare key?")
        assert "flower pot" in answer.text
        assert any("by words alone" in line for line in answer.notes)
        for kind, words in (("episodes", "flower pot"), ("facts", "Ghent"), ("both", "flower pot")):
            found = memory.search_memory("Where is the spare key?" if "pot" in words else "live in Ghent", kind)
            assert any(words in each.text for each in found), kind
            assert [line for line in found.notes if "by words alone" in line], kind
        assert memory.missing_vectors() == 0
        assert memory.fact_embeddings().waiting == 3
    silent.close()
    with ModelServer(port=port), Memory.open(settings) as memory:
        memory.embed_facts()
        assert (memory.fact_embeddings().waiting, memory.missing_vectors()) == (0, 0)
        assert memory.index_size("episode") == (2, 2)
        found = memory.search_memory("the flower pot")
        assert "flower pot" in found[0].text
        assert not found.notes
