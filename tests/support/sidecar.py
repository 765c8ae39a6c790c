"""A sidecar on a real socket, in a thread, over the vectors of a test."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from queue import Queue
from threading import Thread

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.sidecar.client import SidecarIndex
from amr_neo4j.vectors.sidecar.server import http_server
from amr_neo4j.vectors.sidecar.service import IndexService
from tests.support.plain_vectors import PlainVectors

TOKEN = "secret"
DIM = 4
_sources: dict[str, PlainVectors] = {}


class _Current:
    """The vectors that a test opened last in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        return _sources[self.folder].vectors_from(model, seq, limit)


@cache
def sidecar_url() -> str:
    """Starts one for the whole run. The name of a model is the folder of its snapshot."""
    opened = lambda kind, model, dim: FaissIndex(_Current(model), model, dim, path=Path(model) / "event.npz")  # noqa: E731
    ports: Queue[int] = Queue()

    def serve() -> None:
        server = http_server(IndexService(opened, most_indexes=1_000_000, every_sec=1e6), "127.0.0.1", 0, token=TOKEN)
        ports.put(server.bind_addr[1])
        server.serve()

    # Its worker threads are daemons where the thread that starts them is one: else the run would never end.
    Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{ports.get(timeout=60)}"


def sidecar_index(source: PlainVectors, folder: Path) -> SidecarIndex:
    _sources[str(folder)] = source
    return SidecarIndex(sidecar_url(), TOKEN, kind="event", model=str(folder), dim=DIM)
