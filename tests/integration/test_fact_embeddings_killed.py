"""A process that embeds facts is killed, again and again: no fact is lost from the queue, none is embedded twice."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.counting_embedder import CountingEmbedder

# Pages of two facts; a line once the first call of the embedder is under way.
_RUN = """
import sys, time
from amr_neo4j import Memory
from amr_neo4j.facts import queue
from tests.support.counting_embedder import CountingEmbedder
queue._TEXTS_PER_CALL = 2
class Slow(CountingEmbedder):
    def embed(self, texts):
        print("embeds", flush=True)
        time.sleep(0.01)
        return super().embed(texts)
with Memory.open() as memory:
    memory._parts.embedder.use(Slow())
    memory.embed_facts()
"""
_FACTS = """
MATCH (f:Fact {group_id: $group_id})
RETURN {text: f.text, waits: f.embed_after IS NOT NULL, number: f.vector_id, vectors: COLLECT {
  MATCH (m:Embedding {kind: 'fact', owner: toString(f.vector_id)}) RETURN m.data }} AS fact
"""


def test_a_killed_embedding_is_taken_up_again(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    _hold(neo4j_connection, group_id, tmp_path, kills=1)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_thirty_kills_lose_no_fact(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> None:
    _hold(neo4j_connection, group_id, tmp_path, kills=30)


def _hold(there: Connection, group_id: str, folder: Path, *, kills: int) -> None:
    moments = random.Random(5)
    server = {"NEO4J_URI": there.uri, "NEO4J_USERNAME": there.username, "NEO4J_PASSWORD": there.password}
    environment = os.environ | server | {"AMR_GROUP": group_id, "AMR_DATA_DIR": str(folder / "data")}
    with talking(there, group_id, folder / "mine") as memory:
        said = [{"content": f"I like thing{n}.", "actor": "user"} for n in range(20)]
        memory.remember(said, user_id="anna", session_id="s")
        memory.consolidate(user_id="anna")
        for number in range(kills):
            _ask(
                memory,
                "MATCH (f:Fact {group_id: $group_id}) SET f.text = $text + f.object, f.embed_after = 0.0",
                f"{number} ",
            )
            _killed(environment, moments.uniform(0, 0.4))
            waiting = sum(row["waits"] for row in _ask(memory, _FACTS))
            assert memory.embed_facts() == waiting, "what is embedded is not embedded again"
            _check(_ask(memory, _FACTS))


def _killed(environment: dict[str, str], seconds: float) -> None:
    """Start it, and kill it so many seconds after its first call of the embedder."""
    with subprocess.Popen(
        [sys.executable, "-c", _RUN], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "embeds\n"
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()


def _check(facts: list[dict]) -> None:
    """Each fact has one vector, that of its words, under a number of its own."""
    assert len(facts) == 20
    assert len({fact["number"] for fact in facts}) == 20
    for fact in facts:
        [vector] = fact["vectors"]
        assert not fact["waits"]
        assert np.allclose(np.frombuffer(vector, np.float32), CountingEmbedder().embed([fact["text"]])[0])


def _ask(memory: Memory, statement: str, text: str = "") -> list[dict]:
    with memory._parts.database.session() as session:
        return [record[0] for record in session.run(statement, group_id=memory.group_id, text=text)]
