"""The dense backends in one run: the same vectors and searches in process, in a sidecar and in Neo4j.

    python -m benchmarks.dense_backends [--vectors 30000] [--dims 384 1024] [--callers 1 16] [--searches 300]
                                        [--without-neo4j] [--gpu-gb 8 ...]

Vectors are drawn around 2,000 centres, which makes neighbours; recall@10 is against all cosines. One vector in a
hundred is of another video: the narrow scope, asked for by one caller. The sidecar is a process on loopback.
Neo4j is the one of the settings. Its vectors get a kind and model of their own, and are deleted afterwards. If its
index filters, `neo4j without filter` searches without that. Each `--gpu-gb` adds a sidecar that keeps a copy of its
index on the first GPU within so many GiB; a limit below two bytes a number shows the copy with 8 bits. Memory is what
the process grew by (in process) or holds (sidecar).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from amr_neo4j import localdb
from amr_neo4j.domain.ports import StoredVector, VectorIndex, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.settings import load
from amr_neo4j.store.database import Database
from amr_neo4j.store.neo4j_index import Neo4jIndex
from amr_neo4j.store.schema import migrate
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.gpu import GpuCopy, first_gpu
from amr_neo4j.vectors.sidecar.client import SidecarIndex
from amr_neo4j.vectors.sidecar.server import http_server, switch_threads_soon
from amr_neo4j.vectors.sidecar.service import IndexService

TOKEN, SCOPE, NARROW = "bench", Scope("g"), Scope("g", ("rare",))
EVERY = 100  # of so many vectors one is in the narrow scope


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
        return [
            StoredVector(n, n, "g", "v" if n % EVERY else "rare", self.rows[n].tobytes(), 0.0, 1.0, 0.0, 0.0, inf)
            for n in page
        ]


def serve(number: int, dim: int, folder: str, ready: Connection, gpu_gb: float | None) -> None:
    """A sidecar in this process. gpu_gb: the limit on the copy on a GPU, or None without a GPU."""
    switch_threads_soon()
    source = Drawn(number, dim)
    gpu = None if gpu_gb is None else GpuCopy(first_gpu(), int(gpu_gb * 2**30), notify=print)
    path = Path(folder) / "sidecar.npz"
    service = IndexService(lambda kind, model, size: FaissIndex(source, model, size, path=path, gpu=gpu))
    server = http_server(service, "127.0.0.1", 0, token=TOKEN)
    ready.send(server.bind_addr[1])
    server.serve()


@contextmanager
def in_process(source: Drawn) -> Iterator[tuple[VectorIndex, Callable[[], int]]]:
    """The index, and a function that returns its memory in bytes."""
    before = _resident("self")
    with tempfile.TemporaryDirectory() as folder:
        index = FaissIndex(source, "m", source.rows.shape[1], path=Path(folder) / "here.npz")
        yield index, lambda: _resident("self") - before


@contextmanager
def in_sidecar(source: Drawn, gpu_gb: float | None = None) -> Iterator[tuple[VectorIndex, Callable[[], int]]]:
    """The same in a process of its own, whose memory includes the drawn vectors: they are subtracted."""
    spawn, (number, dim) = multiprocessing.get_context("spawn"), source.rows.shape
    with tempfile.TemporaryDirectory() as folder:
        mine, theirs = spawn.Pipe()
        process = spawn.Process(target=serve, args=(number, dim, folder, theirs, gpu_gb), daemon=True)
        process.start()
        port = mine.recv()
        try:
            yield (
                SidecarIndex(f"http://127.0.0.1:{port}", TOKEN, kind="event", model="m", dim=dim, timeout_sec=600),
                lambda: _resident(str(process.pid)) - source.rows.nbytes,
            )
        finally:
            process.terminate()
            process.join()


@contextmanager
def in_neo4j(source: Drawn, *, filters: bool = True) -> Iterator[tuple[VectorIndex, None]]:
    """In the database of the settings. filters: inside the index, where the server can."""
    there = localdb.ensure(load())
    with Database(there.uri, there.username, there.password, there.database) as database:
        migrate(database)
        index = Neo4jIndex(database, source, "event", f"benchmark {source.rows.shape[1]}")
        index.clear()
        if not filters:
            index._filters = False
        try:
            yield index, None
        finally:
            index.drop()


def timed(index: VectorIndex, queries: Vectors, callers: int, scope: Scope = SCOPE) -> tuple[float, float, float]:
    """(p50, p95) in milliseconds and searches per second."""

    def one(query: Vectors) -> float:
        begin = time.perf_counter()
        index.search(query, 10, scope)
        return 1000 * (time.perf_counter() - begin)

    with ThreadPoolExecutor(callers) as threads:
        list(threads.map(one, queries[: 2 * callers]))
        begin = time.perf_counter()
        spent = sorted(threads.map(one, queries))
        rate = len(spent) / (time.perf_counter() - begin)
    return spent[len(spent) // 2], spent[int(0.95 * len(spent))], rate


def recall(index: VectorIndex, source: Drawn, queries: Vectors, scope: Scope = SCOPE) -> float:
    """recall@10 against all cosines."""
    hits, step = 0, EVERY if scope == NARROW else 1
    for query in queries[:100]:
        best = set((step * np.argsort(-(source.rows[::step] @ query))[:10]).tolist())
        hits += len(best & {node for node, _ in index.search(query, 10, scope)})
    return hits / (10 * min(100, len(queries)))


def measure(
    number: int, dim: int, callers: list[int], searches: int, *, with_neo4j: bool, gpu_gb: list[float]
) -> None:
    """Print the rows for one dimension."""
    source = Drawn(number, dim)
    random = np.random.default_rng(1)
    about = source.rows[random.integers(0, number, (3, searches))].sum(axis=0)
    queries = (about / np.linalg.norm(about, axis=1, keepdims=True)).astype(np.float32)
    backends = {"in process": in_process, "sidecar": in_sidecar}
    backends |= {f"sidecar, {gb:g} GiB of a GPU": partial(in_sidecar, gpu_gb=gb) for gb in gpu_gb}
    if with_neo4j:
        backends |= {"neo4j": in_neo4j, "neo4j without filter": partial(in_neo4j, filters=False)}
    for name, opened in backends.items():
        with opened(source) as (index, memory):
            begin = time.perf_counter()
            index.catch_up()
            adds = number / (time.perf_counter() - begin)
            row = f"| {dim} | {name} | {adds:,.0f} | {recall(index, source, queries):.3f} |"
            for each in callers:
                p50, p95, rate = timed(index, queries, each)
                row += f" {p50:.2f} / {p95:.2f} | {rate:,.0f} |"
            p50, p95, _ = timed(index, queries[:100], 1, NARROW)
            row += f" {recall(index, source, queries, NARROW):.3f} | {p50:.2f} / {p95:.2f} |"
            print(row + f" {memory() / 2**20:,.0f} MB |" if memory else row + " |", flush=True)


def _resident(process: str) -> int:
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=30_000)
    parser.add_argument("--dims", type=int, nargs="+", default=[384, 1024])
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--without-neo4j", action="store_true")
    parser.add_argument("--gpu-gb", type=float, nargs="*", default=[])
    options = parser.parse_args()
    head = "".join(f" p50 / p95 ms, {n} callers | searches/s |" for n in options.callers)
    print(f"{options.vectors:,} vectors, {os.cpu_count()} cores")
    print(f"| d | backend | adds/s | recall@10 |{head} narrow: recall@10 | p50 / p95 ms | memory |")
    for dim in options.dims:
        measure(
            options.vectors,
            dim,
            options.callers,
            options.searches,
            with_neo4j=not options.without_neo4j,
            gpu_gb=options.gpu_gb,
        )


if __name__ == "__main__":
    main()
