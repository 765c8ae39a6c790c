"""The dense index of events compared with the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amr_neo4j.store.read.vector_source import VectorSource
from amr_neo4j.vectors.consistency import differing

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def index_size(parts: Parts) -> tuple[int, int]:
    """(vectors in the dense index once it has caught up, events that have a vector in the graph)."""
    parts.index.catch_up()
    [row] = parts.database.read("vectors/count", model=parts.embedder.model)
    return len(parts.index), row["vectors"]


def index_differs(parts: Parts) -> int:
    """How many of a sample of the graph's vectors the dense index lacks or holds otherwise."""
    model = parts.embedder.model
    [row] = parts.database.read("vectors/count", model=model)
    return differing(parts.index, VectorSource(parts.database), model, row["last_seq"])
