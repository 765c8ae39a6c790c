"""neo4j-graphrag's HybridRetriever on a memory's events or turns: the same nodes, full-text index and embedder.

It wants its vectors as a list of floats on the nodes, under a vector index. Both are made for the time of the
measurement, under names of their own, and taken away afterwards. It knows no scope (its filters are not for hybrid
search), so for recall it is asked for more, twice as much each time, until enough of what it finds lies in the
question's videos; its scores do not depend on how much is asked for. For time it is asked as it comes: the first ten
nodes whole, out of everything. What Lucene would take for syntax is left out of its questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import neo4j
import numpy as np
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.retrievers import HybridRetriever
from typing_extensions import LiteralString

from amr_neo4j.domain import ports
from amr_neo4j.domain.event import said_id
from amr_neo4j.memory import Memory

_VECTORS = "benchmark_vectors"
_BATCH = 1000

_READ = """
MATCH (m:Embedding) WHERE m.kind = $kind AND m.model = $model AND m.group_id = $group_id
RETURN toInteger(m.owner) AS id, m.data AS data"""
_MARK_EVENTS: LiteralString = """
UNWIND $rows AS row MATCH (e:Event) WHERE e.node_id = row.id
SET e:Benchmarked WITH e, row
CALL db.create.setNodeVectorProperty(e, 'benchmark_vector', row.vector)"""
_MARK_TURNS: LiteralString = """
UNWIND $rows AS row MATCH (e:Episode) WHERE e.vector_id = row.id
SET e:Benchmarked WITH e, row
CALL db.create.setNodeVectorProperty(e, 'benchmark_vector', row.vector)"""
_INDEX = """
CREATE VECTOR INDEX benchmark_vectors IF NOT EXISTS FOR (e:Benchmarked) ON e.benchmark_vector
OPTIONS {indexConfig: {`vector.dimensions`: $dim, `vector.similarity_function`: 'cosine'}}"""
_DROP = "DROP INDEX benchmark_vectors IF EXISTS"
_UNMARK = """
MATCH (e:Benchmarked) CALL (e) { REMOVE e:Benchmarked REMOVE e.benchmark_vector } IN TRANSACTIONS OF 1000 ROWS"""


class Same(Embedder):
    """The memory's embedder behind the interface of neo4j-graphrag."""

    def __init__(self, embedder: ports.Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed([text])[0].tolist()


@dataclass(frozen=True)
class Kind:
    """Of nodes: their full-text index, what marks them and their id; node_id: by which recall knows the id."""

    name: str
    full_text: str
    mark: LiteralString
    id_property: str
    node_id: Callable[[int], int]


EVENTS = Kind("event", "event_text", _MARK_EVENTS, "node_id", int)
TURNS = Kind("episode", "episode_text", _MARK_TURNS, "vector_id", said_id)


class Hybrid:
    """HybridRetriever over the events, or the turns, of one memory."""

    def __init__(self, driver: neo4j.Driver, embedder: ports.Embedder, kind: Kind) -> None:
        of = (driver, _VECTORS, kind.full_text, Same(embedder))
        self._kind = kind
        self._whole = HybridRetriever(*of)
        self._ids = HybridRetriever(*of, return_properties=[kind.id_property])

    def first(self, text: str, limit: int) -> list[int]:
        """node_ids of the first nodes, which come whole, wherever they are."""
        return self._node_ids(self._whole, text, limit)

    def within(self, text: str, there: Collection[int], limit: int) -> list[int]:
        """node_ids of the best of `there`, best first: `limit` of them, or as many as are found at all."""
        asked, found = 10 * limit, list[int]()
        while True:
            everywhere = self._node_ids(self._ids, text, asked)
            found = [node_id for node_id in everywhere if node_id in there]
            if len(found) >= limit or len(everywhere) < asked:
                return found[:limit]
            asked *= 2

    def _node_ids(self, retriever: HybridRetriever, text: str, limit: int) -> list[int]:
        records = retriever.get_search_results(query_text=_plain(text), top_k=limit).records
        return [self._kind.node_id(record["node"][self._kind.id_property]) for record in records]


@contextmanager
def hybrid(driver: neo4j.Driver, memory: Memory, kind: Kind = EVENTS) -> Iterator[Hybrid]:
    """Their retriever, available within the block."""
    embedder = memory._parts.embedder
    try:
        rows = driver.execute_query(_READ, kind=kind.name, model=embedder.model, group_id=memory.group_id).records
        for start in range(0, len(rows), _BATCH):
            some = rows[start : start + _BATCH]
            batch = [{"id": r["id"], "vector": np.frombuffer(r["data"], np.float32).tolist()} for r in some]
            driver.execute_query(kind.mark, rows=batch)
        driver.execute_query(_INDEX, dim=embedder.dim)
        driver.execute_query("CALL db.awaitIndexes(600)")
        yield Hybrid(driver, embedder, kind)
    finally:
        driver.execute_query(_DROP)
        with driver.session() as session:
            session.run(_UNMARK).consume()


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)).lower()
