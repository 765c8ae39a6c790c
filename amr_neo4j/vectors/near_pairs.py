# pyright: basic, reportCallIssue=false, reportAttributeAccessIssue=false
"""Pairs of vectors that are near, by FAISS; not by comparing each with each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import faiss
import numpy as np

from amr_neo4j.domain.ports import Vectors

# A block up to this size is compared exactly; 20,000 vectors of 384 numbers take 6 s on two cores.
_EXACT = 20_000
_NEIGHBOURS = 32
# Blocks up to this size are multiplied: FAISS takes longer to start its threads.
_FEW = 300
_PROBES = 24


def near_pairs(vectors: Vectors, blocks: Sequence[Sequence[int]], over: float) -> list[tuple[int, int, float]]:
    """(row, row, cosine) of pairs within a block whose cosine is over a threshold; rows in ascending order.

    vectors: (rows, dim), of length 1. blocks: rows to compare with one another. Of each row the 32 nearest; in
    blocks of more than 20,000 rows, the nearest that an inverted file finds.
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


def _search(vectors: Vectors, k: int) -> tuple[Any, Any]:
    rows, dim = vectors.shape
    if rows <= _FEW:
        cosines = vectors @ vectors.T
        return cosines, np.broadcast_to(np.arange(rows), cosines.shape)
    flat = faiss.IndexFlatIP(dim)
    if rows <= _EXACT:
        flat.add(vectors)
        return flat.search(vectors, k)
    cells = int(2 * np.sqrt(rows))
    index = faiss.IndexIVFFlat(flat, dim, cells, faiss.METRIC_INNER_PRODUCT)
    index.cp.niter, index.cp.seed = 8, 1
    index.train(vectors[:: max(1, rows // (cells * 40))])
    index.add(vectors)
    index.nprobe = _PROBES
    return index.search(vectors, k)
