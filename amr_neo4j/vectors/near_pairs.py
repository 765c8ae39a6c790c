"""Finds pairs of near vectors by FAISS, without comparing every vector with every other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.vectors.cells import faiss

# Blocks up to this size are searched exactly; 20,000 vectors of 384 numbers take 6 s on two cores.
_EXACT = 20_000
_NEIGHBOURS = 32
# Blocks up to this size are multiplied: starting the threads of FAISS would take longer.
_FEW = 300
_PROBES = 24


def near_pairs(vectors: Vectors, blocks: Sequence[Sequence[int]], over: float) -> list[tuple[int, int, float]]:
    """Return (row, row, cosine) of the pairs within a block whose cosine is above `over`, in ascending order.

    Each row is paired with at most its 32 nearest. In a block of more than 20,000 rows these are found approximately,
    by an inverted file.

    vectors: shape (rows, dim), of length 1.
    blocks: lists of rows. Only the rows of a block are compared with one another.
    """
    found: dict[tuple[int, int], float] = {}
    for block in blocks:
        rows = np.asarray(block, np.int64)
        if len(rows) < 2:
            continue
        cosines, places = _search(np.ascontiguousarray(vectors[rows]), min(_NEIGHBOURS, len(rows)))
        mine, nth = np.nonzero((cosines > over) & (places >= 0))
        for row, other, cosine in zip(rows[mine], rows[places[mine, nth]], cosines[mine, nth], strict=True):
            if row != other:
                found[min(int(row), int(other)), max(int(row), int(other))] = float(cosine)
    return [(one, other, cosine) for (one, other), cosine in sorted(found.items())]


def _search(vectors: Any, k: int) -> tuple[Any, Any]:
    shape: tuple[int, int] = vectors.shape
    rows, dim = shape
    if rows <= _FEW:
        places: Any = np.broadcast_to(np.arange(rows), (rows, rows))
        return vectors @ vectors.T, places
    flat = faiss.IndexFlatIP(dim)
    if rows <= _EXACT:
        flat.add(vectors)
        return flat.search(vectors, k)
    cells = int(2 * np.sqrt(rows))
    index = faiss.IndexIVFFlat(flat, dim, cells, faiss.METRIC_INNER_PRODUCT)
    index.cp.niter, index.cp.seed = 8, 1
    # FAISS wants at least 39 vectors per cell to train on. More would only take longer.
    index.train(vectors[:: max(1, rows // (cells * 40))])
    index.add(vectors)
    index.nprobe = _PROBES
    return index.search(vectors, k)
