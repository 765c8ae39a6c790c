"""Holds dense indexes that follow the graph, answers searches, and counts them: the work of the sidecar."""

from __future__ import annotations

import logging
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import KINDS, Kind, Search, Vectors
from amr_neo4j.errors import AmrError
from amr_neo4j.vectors.faiss_index import FaissIndex, Hits
from amr_neo4j.vectors.sidecar.wire import Array, scope_from_json

_log = logging.getLogger(__name__)
_MOST_IN_BATCH = 64
_Answer = tuple[dict[str, Any], list[Array]]
"""(header, arrays) of a reply, as `encode` takes them."""


class TooMuch(ValueError):
    """The request needs more than this sidecar may hold."""


@dataclass
class _Followed:
    """An open index, and how far it has followed the graph.

    batches: runs its searches.
    caught_up: when it last held all vectors of the graph, by time.monotonic.
    changed: how many vectors were read since a client last asked.
    """

    index: FaissIndex
    batches: Batches
    caught_up: float = 0.0
    changed: int = 0


class IndexService:
    """Answers the operations of a VectorIndex, for every kind and model. Thread-safe.

    An index is opened when it is first asked for, and follows the graph from then on. A search is answered from what
    was read last; the operation `catch_up` reads at once.
    """

    def __init__(
        self,
        opened: Callable[[Kind, str, int], FaissIndex],
        *,
        most_bytes: int | None = None,
        most_indexes: int = 12,
        every_sec: float = 0.2,
    ) -> None:
        """opened: opens the index of a kind, model and dimension.
        most_bytes: once this process has this much memory, no more vectors are read.
        most_indexes: how many indexes may be open.
        every_sec: seconds between two looks at the graph.
        """
        self._most_indexes = most_indexes
        self._every_sec = every_sec
        self._open = opened
        self._most_bytes = most_bytes
        self._followed: dict[tuple[str, str, int], _Followed] = {}
        self._lock = Lock()
        self._ended = Event()
        self._operations = _OPERATIONS | {"catch_up": self._caught_up}
        self.counts: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._thread = Thread(target=self._follow, name="sidecar-follow", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop following, and save the indexes."""
        self._ended.set()
        self._thread.join(10)
        for followed in self._followed.values():
            followed.index.save()

    def answer(self, operation: str, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
        """Run an operation. Raises ValueError: the request is wrong; TooMuch; AmrError: the graph cannot be read."""
        begin = time.perf_counter()
        work = self._operations.get(operation)
        if work is None:
            raise ValueError(f"no operation {operation}")
        kind, model, dim = header.get("kind"), header.get("model"), header.get("dim")
        if kind not in KINDS or not isinstance(model, str) or not isinstance(dim, int) or not 0 < dim <= 65_536:
            raise ValueError("kind, model or dim is missing or wrong")
        followed = self._index(kind, model, dim)
        try:
            return work(followed, header, arrays)
        finally:
            self.counts[operation] += 1
            self.seconds[operation] += time.perf_counter() - begin

    def _caught_up(self, followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
        self._catch_up(followed)
        changed, followed.changed = followed.changed, 0
        return {"changed": changed}, []

    def lags(self) -> dict[str, float]:
        """Return {"kind model": seconds since that index held all vectors of the graph}."""
        now = time.monotonic()
        return {f"{kind} {model}": now - each.caught_up for (kind, model, _), each in self._followed.items()}

    def metrics(self) -> str:
        """Return the metrics in Prometheus' text format."""
        lines = [f"amr_sidecar_memory_bytes {_resident()}"]
        if self._most_bytes is not None:
            lines.append(f"amr_sidecar_memory_limit_bytes {self._most_bytes}")
        for (kind, model, dim), each in self._followed.items():
            labels = f'{{kind="{kind}",model="{_escaped(model)}",dim="{dim}"}}'
            lines.append(f"amr_sidecar_vectors{labels} {len(each.index)}")
            lines.append(f"amr_sidecar_gpu_vectors{labels} {each.index.on_gpu}")
            lines.append(f"amr_sidecar_batches_total{labels} {each.batches.count}")
            lines.append(f"amr_sidecar_lag_seconds{labels} {time.monotonic() - each.caught_up:.3f}")
        for operation, count in sorted(self.counts.items()):
            lines.append(f'amr_sidecar_requests_total{{operation="{_escaped(operation)}"}} {count}')
            seconds = self.seconds[operation]
            lines.append(f'amr_sidecar_request_seconds_total{{operation="{_escaped(operation)}"}} {seconds:.6f}')
        return "\n".join(lines) + "\n"

    def _index(self, kind: Kind, model: str, dim: int) -> _Followed:
        key = (kind, model, dim)
        with self._lock:
            if key not in self._followed:
                if len(self._followed) >= self._most_indexes:
                    raise TooMuch(f"{self._most_indexes} indexes are open: no more")
                # Opened while holding the lock, so that two first calls do not load the same index twice.
                index = self._open(kind, model, dim)
                followed = _Followed(index, Batches(index))
                self._catch_up(followed)
                self._followed[key] = followed
            return self._followed[key]

    def _catch_up(self, followed: _Followed) -> None:
        if self._most_bytes is not None and _resident() > self._most_bytes:
            raise TooMuch("the sidecar holds as much as it may (--max-gb): no more vectors are read")
        begin = time.monotonic()
        followed.changed += followed.index.catch_up()
        # The time before the read, because vectors that were written during the read may be missing.
        followed.caught_up = begin

    def _follow(self) -> None:
        away = False
        while not self._ended.wait(self._every_sec):
            with self._lock:
                # A copy, because a call may open another index in the meantime.
                known = list(self._followed.values())
            try:
                for followed in known:
                    self._catch_up(followed)
            except (AmrError, TooMuch) as error:
                if not away:
                    _log.warning("the sidecar is behind: %s", error)
                away = True
            else:
                away = False


def _search(followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
    vector, among = _vector(header, arrays), _ids(arrays[1]) if len(arrays) > 1 else None
    scope, k = scope_from_json(header["scope"]), header["k"]
    if not isinstance(k, int) or not 0 <= k < 2**31:
        raise ValueError("k is no number of results")
    if scope.persons and among is None:
        raise ValueError("a scope with persons needs among: the index has no persons")
    found = followed.batches.search(Search(vector, k, scope, among))
    ids = np.fromiter((node_id for node_id, _ in found), np.int64, len(found))
    return {}, [ids, np.fromiter((cosine for _, cosine in found), np.float32, len(found))]


def _similarities(followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
    *vectors, ids = arrays
    found = followed.index.similarities(np.stack([_vector(header, [each]) for each in vectors]), _ids(ids))
    return {}, [found]


def _vectors(followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
    found = followed.index.vectors(_ids(arrays[0]))
    rows = np.stack(list(found.values())) if found else np.empty((0, int(header["dim"])), np.float32)
    return {}, [np.fromiter(found, np.int64, len(found)), rows]


def _size(followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
    return {"vectors": len(followed.index)}, []


def _rebuild(followed: _Followed, header: Mapping[str, Any], arrays: Sequence[Array]) -> _Answer:
    return {"vectors": followed.index.rebuild()}, []


_Operation = Callable[[_Followed, Mapping[str, Any], Sequence[Array]], _Answer]
_OPERATIONS: dict[str, _Operation] = {
    "search": _search,
    "similarities": _similarities,
    "vectors": _vectors,
    "size": _size,
    "rebuild": _rebuild,
}


def _ids(array: Array) -> list[int]:
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ValueError("the ids are no list of whole numbers")
    return array.tolist()


def _vector(header: Mapping[str, Any], arrays: Sequence[Array]) -> Vectors:
    if not arrays or arrays[0].shape != (header["dim"],):
        raise ValueError("the vector has another dimension")
    if not np.isfinite(arrays[0]).all():
        raise ValueError("the vector is not finite")
    return arrays[0]


def _resident() -> int:
    """Return the bytes of memory that this process uses."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 (no file of a user)
            # The second number is the memory in use, in pages.
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: its peak memory instead of what it holds now
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", " ")


@dataclass
class _Waiting:
    search: Search
    hits: Hits = field(default_factory=Hits)
    error: Exception | None = None
    done: bool = False


class Batches:
    """Runs the searches of one index in batches, since several searches of one scope share a pass.

    The thread that finds the index free runs all searches that are waiting by then. It does not wait for a batch to
    fill, so a search on its own runs at once.
    """

    def __init__(self, index: FaissIndex) -> None:
        self._index = index
        self._queue: list[_Waiting] = []
        self._adding, self._running = Lock(), Lock()
        self.count = 0

    def search(self, search: Search) -> Hits:
        """Return (node_id, cosine), best first. Errors of the index's search are passed on."""
        mine = _Waiting(search)
        with self._adding:
            self._queue.append(mine)
        while not mine.done:
            with self._running:
                # Another thread may have run it while this one waited for the index.
                if not mine.done:
                    self._run()
        if mine.error:
            raise mine.error
        return mine.hits

    def _run(self) -> None:
        with self._adding:
            batch, self._queue = self._queue[:_MOST_IN_BATCH], self._queue[_MOST_IN_BATCH:]
        self.count += 1
        try:
            for waiting, hits in zip(batch, self._index.search_many([each.search for each in batch]), strict=True):
                waiting.hits = hits
        except Exception as error:  # noqa: BLE001 - each caller gets its own error
            self._run_apart(batch, error)
        finally:
            for waiting in batch:
                waiting.done = True

    def _run_apart(self, batch: Sequence[_Waiting], error: Exception) -> None:
        """Run each search of a batch on its own after one of them failed, so that the others get their hits."""
        if len(batch) == 1:
            batch[0].error = error
            return
        for waiting in batch:
            try:
                [waiting.hits] = self._index.search_many([waiting.search])
            except Exception as own:  # noqa: BLE001 - its caller gets it
                waiting.error = own
