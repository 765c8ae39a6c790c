"""Checks that a dense index holds the vectors that the graph holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from amr_neo4j.domain.ports import DenseIndex, StoredVector, VectorSource

_PLACES, _AT_EACH = 16, 16
_VECTORS_PER_READ = 5000
# A large index stores bfloat16, whose cosines are accurate to 0.001, so exact equality cannot be asked for.
_TOLERANCE = 0.01


def differing(index: DenseIndex, source: VectorSource, model: str, last_seq: int, *, every: bool = False) -> int:
    """Return how many vectors of the graph are missing or different in the index.

    Checks a sample of up to 256 vectors, at evenly spaced sequence numbers up to `last_seq`; with `every`, all.
    """
    vectors = _all(source, model) if every else _sample(source, model, last_seq)
    return len({v.node_id for v in vectors if v.data and not _is_held(index, v.node_id, v.data)})


def _sample(source: VectorSource, model: str, last_seq: int) -> Iterator[StoredVector]:
    step = max(_AT_EACH, last_seq // _PLACES + 1)
    for seq in range(0, last_seq + 1, step):
        yield from source.vectors_from(model, seq, _AT_EACH)


def _all(source: VectorSource, model: str) -> Iterator[StoredVector]:
    seq = 0
    while page := source.vectors_from(model, seq, _VECTORS_PER_READ):
        yield from page
        seq = page[-1].seq + 1


def _is_held(index: DenseIndex, node_id: int, data: bytes) -> bool:
    vector = np.frombuffer(data, np.float32)
    [[found]] = index.similarities(vector[np.newaxis], [node_id]).tolist()
    return abs(found - float(vector @ vector)) <= _TOLERANCE
