"""neo4j-graphrag's HybridRetriever on the events of a memory: the same nodes, full-text index and embedder.

It wants its vectors as a list of floats on the nodes, under a vector index. Both are made for the time of the
measurement, under names of their own, and taken away afterwards. It knows no scope (its filters are not for hybrid
search), so for recall it is asked for more, twice as much each time, until enough of what it finds lies in the
question's videos; its scores do not depend on how much is asked for. For time it is asked as it comes: the first ten
nodes whole, out of everything. What Lucene would take for syntax is left out of its questions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import neo4j
import numpy as np
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.retrievers import HybridRetriever

from amr_neo4j.domain import ports
from amr_neo4j.memory import Memory

_FULL_TEXT = "event_text"
_VECTORS = "benchmark_vectors"
_BATCH = 1000

_READ = """
MATCH (m:Embedding) WHERE m.kind = 'event' AND m.model = $model AND m.group_id = $group_id
RETURN toInteger(m.owner) AS node_id, m.data AS data"""
_MARK = """
UNWIND $rows AS row MATCH (e:Event) WHERE e.node_id = row.node_id
SET e:Benchmarked WITH e, row
CALL db.create.setNodeVectorProperty(e, 'benchmark_vector', row.vector)"""
_INDEX = """
CREATE VECTOR INDEX benchmark_vectors IF NOT EXISTS FOR (e:Benchmarked) ON e.benchmark_vector
OPTIONS {indexConfig: {`vector.dimensions`: $dim, `vector.similarity_function`: 'cosine'}}"""
_DROP = "DROP INDEX benchmark_vectors IF EXISTS"
_UNMARK = """
MATCH (e:Benchmarked) CALL (e) { REMOVE e:Benchmarked REMOVE e.benchmark_vector } IN TRANSACTIONS OF 1000 ROWS"""


class Same(Embedder):
    """The memory's own embedder in their form."""

    def __init__(self, embedder: ports.Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed([text])[0].tolist()


class Hybrid:
    """HybridRetriever over the events of one memory."""

    def __init__(self, driver: neo4j.Driver, embedder: ports.Embedder) -> None:
        of = (driver, _VECTORS, _FULL_TEXT, Same(embedder))
        self._whole = HybridRetriever(*of)
        self._ids = HybridRetriever(*of, return_properties=["node_id"])

    def first(self, text: str, limit: int) -> list[int]:
        """node_ids of the first nodes, which come whole, wherever they are."""
        records = self._whole.get_search_results(query_text=_plain(text), top_k=limit).records
        return [record["node"]["node_id"] for record in records]

    def within(self, text: str, there: Collection[int], limit: int) -> list[int]:
        """node_ids of the best of `there`, best first: `limit` of them, or as many as are found at all."""
        asked, found = 10 * limit, list[int]()
        while True:
            records = self._ids.get_search_results(query_text=_plain(text), top_k=asked).records
            found = [node_id for node_id in (record["node"]["node_id"] for record in records) if node_id in there]
            if len(found) >= limit or len(records) < asked:
                return found[:limit]
            asked *= 2


@contextmanager
def hybrid(driver: neo4j.Driver, memory: Memory) -> Iterator[Hybrid]:
    """Their retriever for as long as the block lasts."""
    embedder = memory._embedder
    try:
        rows = driver.execute_query(_READ, model=embedder.model, group_id=memory.group_id).records
        for start in range(0, len(rows), _BATCH):
            some = rows[start : start + _BATCH]
            told = [{"node_id": r["node_id"], "vector": np.frombuffer(r["data"], np.float32).tolist()} for r in some]
            driver.execute_query(_MARK, rows=told)
        driver.execute_query(_INDEX, dim=embedder.dim)
        driver.execute_query("CALL db.awaitIndexes(600)")
        yield Hybrid(driver, embedder)
    finally:
        driver.execute_query(_DROP)
        with driver.session() as session:
            session.run(_UNMARK).consume()


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)).lower()
