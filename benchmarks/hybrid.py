"""neo4j-graphrag's HybridRetriever on a memory's events or turns: the same nodes, full-text index and embedder.

It wants its vectors as a list of floats on the nodes, under a vector index. Both are made for the time of the
measurement, under a name of their own, and deleted afterwards. They can be kept, because a million vectors take
longer to write than to measure. The name contains the kind, the group and the model, so those kept of another are
neither used nor deleted. The vectors are written by several connections at once, and the index is created after them,
so that it is built in bulk. The retriever knows no scope (its filters are not for hybrid search). So for recall it is
asked for more nodes, twice as many each time, until enough of what it finds lies in the question's videos; its scores
do not depend on how much is asked for. Its time is that of one query without a scope, for the first ten nodes with
all their properties. What Lucene would take for syntax is left out of its questions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import LiteralString, cast

import neo4j
import numpy as np
from neo4j_graphrag.embeddings.base import Embedder
from neo4j_graphrag.retrievers import HybridRetriever

from amr_neo4j.domain import ports
from amr_neo4j.domain.event import said_id
from amr_neo4j.memory import Memory

_BATCH, _WRITERS = 2000, 3
_BUILT_S = 3600

# MARK stands for the name of label, property and index.
# Nodes without the mark, with their vectors.
_EVENTS: LiteralString = """
MATCH (m:Embedding) WHERE m.kind = 'event' AND m.model = $model AND m.group_id = $group_id
MATCH (e:Event) WHERE e.node_id = toInteger(m.owner) AND NOT e:MARK
RETURN elementId(e) AS id, m.data AS data"""
_TURNS: LiteralString = """
MATCH (m:Embedding) WHERE m.kind = 'episode' AND m.model = $model AND m.group_id = $group_id
MATCH (e:Episode) WHERE e.vector_id = toInteger(m.owner) AND NOT e:MARK
RETURN elementId(e) AS id, m.data AS data"""
_SET: LiteralString = """
UNWIND $rows AS row MATCH (e) WHERE elementId(e) = row.id
SET e:MARK WITH e, row
CALL db.create.setNodeVectorProperty(e, 'MARK', row.vector)"""
_INDEX: LiteralString = """
CREATE VECTOR INDEX MARK IF NOT EXISTS FOR (e:MARK) ON e.MARK
OPTIONS {indexConfig: {`vector.dimensions`: $dim, `vector.similarity_function`: 'cosine'}}"""
_DROP: LiteralString = "DROP INDEX MARK IF EXISTS"
_UNMARK: LiteralString = """
MATCH (e:MARK) CALL (e) { REMOVE e:MARK REMOVE e.MARK } IN TRANSACTIONS OF 1000 ROWS"""


class Same(Embedder):
    """The memory's embedder behind the interface of neo4j-graphrag."""

    def __init__(self, embedder: ports.Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed([text])[0].tolist()


@dataclass(frozen=True)
class Kind:
    """A kind of nodes: its full-text index, what reads its vectors, its id. node_id: the id's name in recall."""

    full_text: str
    unmarked: LiteralString
    id_property: str
    node_id: Callable[[int], int]


EVENTS = Kind("amr_event_text", _EVENTS, "node_id", int)
TURNS = Kind("amr_episode_text", _TURNS, "vector_id", said_id)


class Hybrid:
    """HybridRetriever over the events, or the turns, of one memory."""

    def __init__(self, driver: neo4j.Driver, embedder: ports.Embedder, kind: Kind, index: str) -> None:
        """index: the name of the vector index."""
        of = (driver, index, kind.full_text, Same(embedder))
        self._kind = kind
        self._whole = HybridRetriever(*of)
        self._ids = HybridRetriever(*of, return_properties=[kind.id_property])

    def first(self, text: str, limit: int) -> list[int]:
        """node_ids of the first nodes of the whole database, which come with all their properties."""
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
def hybrid(driver: neo4j.Driver, memory: Memory, kind: Kind = EVENTS, *, keep: bool = False) -> Iterator[Hybrid]:
    """neo4j-graphrag's retriever within the block. keep: leave its vectors and index, and use earlier ones."""
    embedder = memory._parts.embedder()
    mark = mark_of(kind, memory.group_id, embedder.model)
    try:
        _write(driver, kind, mark, model=embedder.model, group_id=memory.group_id)
        driver.execute_query(_with(mark, _INDEX), dim=embedder.dim)
        driver.execute_query("CALL db.awaitIndex($name, $seconds)", name=mark, seconds=_BUILT_S)
        yield Hybrid(driver, embedder, kind, mark)
    finally:
        if not keep:
            driver.execute_query(_with(mark, _DROP))
            with driver.session() as session:
                session.run(_with(mark, _UNMARK)).consume()


def mark_of(kind: Kind, group_id: str, model: str) -> str:
    """The name of the label, the property and the index for the vectors of a kind, a group and a model."""
    whole = "\0".join((kind.full_text, group_id, model))
    return f"benchmark_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


def _with(mark: str, statement: LiteralString) -> LiteralString:
    """The statement with the mark, of letters and digits alone, in it: an index takes no parameter for its label."""
    return cast("LiteralString", statement.replace("MARK", mark))


def _write(driver: neo4j.Driver, kind: Kind, mark: str, **of: str) -> None:
    """Write the vectors of a group onto the nodes that lack theirs; if any do, the index is built again."""

    def write(batch: list[neo4j.Record]) -> None:
        rows = [{"id": r["id"], "vector": np.frombuffer(r["data"], np.float32).tolist()} for r in batch]
        driver.execute_query(_with(mark, _SET), rows=rows)

    with driver.session() as session, ThreadPoolExecutor(_WRITERS) as pool:
        rows = iter(session.run(_with(mark, kind.unmarked), of))
        while some := list(islice(rows, _WRITERS * _BATCH)):
            driver.execute_query(_with(mark, _DROP))  # adding to it costs more than building it
            list(pool.map(write, (some[start : start + _BATCH] for start in range(0, len(some), _BATCH))))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text)).lower()
