"""Whether a dense index holds the vectors that the graph holds."""

from __future__ import annotations

import numpy as np

from amr_neo4j.domain.ports import DenseIndex, VectorSource

_PLACES, _AT_EACH = 16, 16
# A large index stores bfloat16: cosines are within 0.001.
_TOLERANCE = 0.01


def differing(index: DenseIndex, source: VectorSource, model: str, last_seq: int) -> int:
    """Returns how many of a sample of the graph's vectors are missing or different in the index.

    The sample: up to 256 vectors, at evenly spaced sequence numbers up to `last_seq`.
    """
    step = max(_AT_EACH, last_seq // _PLACES + 1)
    sample = (vector for seq in range(0, last_seq + 1, step) for vector in source.vectors_from(model, seq, _AT_EACH))
    return sum(not _is_held(index, vector.node_id, vector.data) for vector in sample if vector.data)


def _is_held(index: DenseIndex, node_id: int, data: bytes) -> bool:
    vector = np.frombuffer(data, np.float32)
    found = index.similarities(vector, [node_id])
    return node_id in found and abs(found[node_id] - float(vector @ vector)) <= _TOLERANCE
