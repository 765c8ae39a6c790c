"""The dense indexes, of events, turns and facts, compared with the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amr_neo4j.domain.ports import KINDS, Kind
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.vectors.consistency import differing
from amr_neo4j.vectors.snapshot import is_damaged, snapshot_file

if TYPE_CHECKING:
    from amr_neo4j.domain.ports import VectorIndex
    from amr_neo4j.wiring.parts import Parts

_COUNTS = {"event": "vectors/count", "episode": "vectors/count_turns", "fact": "vectors/count_facts"}


def index_size(parts: Parts, kind: Kind) -> tuple[int, int]:
    """(vectors in the dense index once it has caught up, events, turns or facts that have a vector in the graph)."""
    index = _index(parts, kind)
    index.catch_up()
    [row] = parts.database.read(_COUNTS[kind], model=parts.embedder.model)
    return len(index), row["vectors"]


def index_differs(parts: Parts, kind: Kind, *, every: bool = False) -> int:
    """How many of a sample of the graph's vectors, or of all, the dense index lacks or holds otherwise."""
    model = parts.embedder.model
    [row] = parts.database.read(_COUNTS[kind], model=model)
    source = VectorSource(parts.database, kind)
    return differing(_index(parts, kind), source, model, row["last_seq"], every=every)


def index_is_damaged(parts: Parts, kind: Kind) -> bool:
    """Whether the snapshot exists and cannot be read."""
    return is_damaged(snapshot_file(parts.vectors_folder, kind, parts.embedder.model))


def rebuild_indexes(parts: Parts) -> int:
    """Make all indexes again from the graph; returns how many vectors that of events holds."""
    vectors, *_others = (rebuild(parts, kind) for kind in KINDS)
    return vectors


def rebuild(parts: Parts, kind: Kind) -> int:
    """Make an index again from the graph; returns how many vectors it holds."""
    return _index(parts, kind).rebuild()


def _index(parts: Parts, kind: Kind) -> VectorIndex:
    if kind == "fact":
        return parts.fact_index.index
    return parts.index if kind == "event" else parts.turn_index.index
