"""The sidecar beside the index in process: the same vectors, the same searches, one after the other in one run.

    python -m benchmarks.sidecar [--vectors 100000] [--dims 384 1024] [--callers 1 16] [--searches 300]

Vectors are drawn around 2,000 centres, which makes neighbours; recall@10 is against all cosines. The sidecar is
a process of its own on loopback. No database: the vectors stand in for the graph's.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from amr_neo4j.domain.ports import StoredVector, VectorIndex, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.sidecar.client import SidecarIndex
from amr_neo4j.vectors.sidecar.server import http_server
from amr_neo4j.vectors.sidecar.service import Service

TOKEN, SCOPE = "bench", Scope("g")


class Drawn:
    """A VectorSource of drawn vectors."""

    def __init__(self, number: int, dim: int) -> None:
        random = np.random.default_rng(dim)
        centres = random.normal(size=(2000, dim)).astype(np.float32)
        rows = centres[random.integers(0, 2000, number)] + 0.6 * random.normal(size=(number, dim)).astype(np.float32)
        self.rows: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        """A page."""
        page = range(seq, min(seq + limit, len(self.rows)))
        return [StoredVector(n, n, "g", "v", self.rows[n].tobytes(), 0.0, 1.0, superseded_at=inf) for n in page]


def serve(number: int, dim: int, folder: str, ready: Connection) -> None:
    """A sidecar in this process."""
    source = Drawn(number, dim)
    service = Service(lambda kind, model, size: FaissIndex(source, model, size, Path(folder) / "sidecar.npz"))
    server = http_server(service, "127.0.0.1", 0, TOKEN)
    ready.send(server.bind_addr[1])
    server.serve()


def timed(index: VectorIndex, queries: Vectors, callers: int) -> tuple[float, float, float]:
    """(p50, p95) in milliseconds and searches per second."""

    def one(query: Vectors) -> float:
        begin = time.perf_counter()
        index.search(query, 10, SCOPE)
        return 1000 * (time.perf_counter() - begin)

    begin = time.perf_counter()
    with ThreadPoolExecutor(callers) as threads:
        spent = sorted(threads.map(one, queries))
    return spent[len(spent) // 2], spent[int(0.95 * len(spent))], len(spent) / (time.perf_counter() - begin)


def recall(index: VectorIndex, source: Drawn, queries: Vectors) -> float:
    """recall@10 against all cosines."""
    hits = 0
    for query in queries[:100]:
        best = set(np.argsort(-(source.rows @ query))[:10].tolist())
        hits += len(best & {node for node, _ in index.search(query, 10, SCOPE)})
    return hits / (10 * min(100, len(queries)))


def measure(number: int, dim: int, callers: list[int], searches: int, row: Callable[[str], None]) -> None:
    """Rows for one dimension."""
    source = Drawn(number, dim)
    queries = source.rows[np.random.default_rng(1).integers(0, number, searches)]
    with tempfile.TemporaryDirectory() as folder:
        here = FaissIndex(source, "m", dim, Path(folder) / "here.npz")
        begin = time.perf_counter()
        here.catch_up()
        row(f"{dim} d, {number} vectors: {number / (time.perf_counter() - begin):.0f} adds/s in process")
        mine, theirs = multiprocessing.get_context("spawn").Pipe()
        arguments = (number, dim, folder, theirs)
        process = multiprocessing.get_context("spawn").Process(target=serve, args=arguments, daemon=True)
        process.start()
        there = SidecarIndex(f"http://127.0.0.1:{mine.recv()}", TOKEN, "event", "m", dim, timeout_sec=600)
        there.catch_up()
        for name, index in (("in process", here), ("sidecar", there)):
            row(f"  {name:<11} recall@10 {recall(index, source, queries):.3f}")
            for each in callers:
                p50, p95, rate = timed(index, queries, each)
                row(f"  {name:<11} {each:>2} callers: p50 {p50:6.2f}  p95 {p95:6.2f} ms, {rate:6.0f} searches/s")
        process.terminate()
        process.join()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--dims", type=int, nargs="+", default=[384, 1024])
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--searches", type=int, default=300)
    options = parser.parse_args()
    for dim in options.dims:
        measure(options.vectors, dim, options.callers, options.searches, print)


if __name__ == "__main__":
    main()
