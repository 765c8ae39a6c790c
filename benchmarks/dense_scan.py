"""How fast one core compares vectors, for `amr index plan` (amr_neo4j/vectors/capacity.yaml).

    python -m benchmarks.dense_scan [--vectors 20000] [--dim 1024]

Prints vectors per second of one core: float32, bfloat16 (cells) and product quantisation (a byte for 8 numbers); and
the share of the vectors that a search in cells visits for a recall@10 of 0.98. Vectors as in dense_backends.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import faiss
import numpy as np

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.vectors.cells import cells_for, share_to_visit, trained_centroids
from benchmarks.dense_backends import Drawn

_SEARCHES = 30


def rate(index: Any, rows: Vectors) -> float:
    """Vectors per second that an exhaustive search compares, one search at a time."""
    index.search(rows[:1], 10)
    spent: list[float] = []
    for row in rows[:_SEARCHES]:
        begin = time.perf_counter()
        index.search(row[np.newaxis], 10)
        spent.append(time.perf_counter() - begin)
    return len(rows) / min(spent)  # as timeit: what else runs only adds to it


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=1024)
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    rows = Drawn(options.vectors, options.dim).rows
    kinds = {
        "float32": faiss.IndexFlatIP(options.dim),
        "bfloat16": faiss.IndexScalarQuantizer(
            options.dim, faiss.ScalarQuantizer.QT_bf16, faiss.METRIC_INNER_PRODUCT
        ),
        "float16": faiss.IndexScalarQuantizer(options.dim, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT),
        "product": faiss.IndexPQ(options.dim, options.dim // 8, 8, faiss.METRIC_INNER_PRODUCT),
    }
    kinds["product"].pq.cp.niter = 4
    for name, index in kinds.items():
        index.train(rows[:4000])
        index.add(rows)
        print(f"{name}: {rate(index, rows):,.0f} vectors/s of {options.dim} d", flush=True)
    centroids = trained_centroids(rows, cells_for(len(rows)))
    share = share_to_visit(rows, centroids, np.random.default_rng(1))
    print(f"share visited: {share:.4f} of {len(rows):,} in {len(centroids)} cells")


if __name__ == "__main__":
    main()
