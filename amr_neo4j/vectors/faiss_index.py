"""The in-process dense index: FAISS over the vectors of the graph, flat for few vectors, then an inverted file.

Derived data: a vector is acknowledged when Neo4j has it. The index loads its snapshot and catches up from there;
without a snapshot it reads the graph, and never calls a model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np

from amr_neo4j.domain.ports import Notify, Search, StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors import snapshot
from amr_neo4j.vectors.cells import SAMPLE, Cells, Part, cells_for, share_to_visit, trained_centroids
from amr_neo4j.vectors.gpu import GpuCopy
from amr_neo4j.vectors.row_metadata import Ids, RowMetadata

_log = logging.getLogger(__name__)

FLAT_UP_TO = 15_000
_PAGE = 5000
_MIN_UNSAVED = 1000
_MAX_SCOPES = 64
# Groups of up to so many vectors are searched exhaustively, apart from others: 2 ms.
_SMALL_GROUP = 5000


_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


def _one_at_a_time(
    method: Callable[Concatenate[FaissIndex, _Params], _Result],
) -> Callable[Concatenate[FaissIndex, _Params], _Result]:
    """Hold the index's lock during a call."""

    @wraps(method)
    def locked(self: FaissIndex, /, *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        with self.lock:
            return method(self, *args, **kwargs)

    return locked


class FaissIndex:
    """Vectors of one kind and model. Thread-safe: one call at a time.

    Up to `flat_up_to` vectors every search is exact. Beyond, cells are trained on a sample, and again whenever the
    number of vectors has quadrupled: recall@10 is at least 0.95. The `catch_up` that trains takes longer (training on
    at most 50,000 vectors and assigning all of them: about 15 s of one core at 320,000).
    """

    def __init__(
        self,
        source: VectorSource,
        model: str,
        dim: int,
        path: Path,
        *,
        flat_up_to: int = FLAT_UP_TO,
        small_group: int = _SMALL_GROUP,
        gpu: GpuCopy | None = None,
        notify: Notify = _log.warning,
    ) -> None:
        """path: the snapshot's file; need not exist. small_group: groups of up to so many vectors are
        searched exhaustively. gpu: searches what it can of the others; it is this index's alone.

        notify: called with a line where the snapshot cannot be written.
        """
        self.lock = RLock()
        self._notify = notify
        self._source = source
        self.model = model
        self._dim = dim
        self._path = path
        self._flat_up_to = flat_up_to
        self._small_group = small_group
        self._gpu = gpu
        self._parts: dict[Scope, Part] = {}
        self._clear()
        self._load()

    def __len__(self) -> int:
        return len(self._metadata)

    @property
    def on_gpu(self) -> int:
        """How many rows a GPU holds, with those that were replaced since."""
        return self._gpu.rows if self._gpu else 0

    @_one_at_a_time
    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Returns (node_id, cosine) of the k nearest in the scope, best first; all where there are fewer.

        As of the last `catch_up`. vector: shape (dim,), length 1. among: only these node_ids.
        Raises ValueError: the scope names persons, without `among` giving their events.
        """
        if scope.persons and among is None:
            raise ValueError("a scope with persons needs among: the index has no persons")
        if among is None:
            return self._within(vector[np.newaxis], k, scope)[0]
        return self._in_part(vector[np.newaxis], k, self._cells.part(self._metadata.within(scope, among)))[0]

    @_one_at_a_time
    def search_many(self, searches: Sequence[Search]) -> list[list[tuple[int, float]]]:
        """Returns the results of several searches, those of one scope in one pass. Raises ValueError as `search`."""
        found = {
            n: self.search(*each) for n, each in enumerate(searches) if each.among is not None or each.scope.persons
        }
        alike: dict[tuple[Scope, int], list[int]] = {}
        for n, each in enumerate(searches):
            if n not in found:
                alike.setdefault((each.scope, each.k), []).append(n)
        for (scope, k), places in alike.items():
            vectors = np.stack([searches[n].vector for n in places])
            found |= zip(places, self._within(vectors, k, scope), strict=True)
        return [found[n] for n in range(len(searches))]

    def _within(self, vectors: Vectors, k: int, scope: Scope) -> list[list[tuple[int, float]]]:
        """The k nearest in the scope to each of the vectors, (n, dim)."""
        if 0 < self._metadata.count_of(scope.group_id) <= self._small_group:
            return self._exact(vectors, k, self._metadata.rows_within(scope))
        return self._in_part(vectors, k, self._part(scope))

    def _in_part(self, vectors: Vectors, k: int, part: Part) -> list[list[tuple[int, float]]]:
        k = min(k, len(part))
        if k < 1:
            return [[] for _ in vectors]
        found = self._gpu.search(self._cells, vectors, k, part) if self._gpu else None
        return [self._hits(rows, cosines) for rows, cosines in found or self._cells.search(vectors, k, part)]

    def _exact(self, vectors: Vectors, k: int, rows: Ids) -> list[list[tuple[int, float]]]:
        """The k nearest of these rows to each of the vectors, by exhaustive search."""
        found: list[list[tuple[int, float]]] = []
        for cosines in self._cells.cosines(vectors, rows):
            best = np.argsort(-cosines, kind="stable")[: max(k, 0)]
            best = best[~np.isnan(cosines[best])]
            found.append(self._hits(rows[best], cosines[best]))
        return found

    def _hits(self, rows: Ids, cosines: Vectors) -> list[tuple[int, float]]:
        return list(zip(self._metadata.node_ids(rows).tolist(), cosines.tolist(), strict=True))

    @_one_at_a_time
    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Returns the cosine of each event to each of `vectors`, (n, dim): (n, node_ids); NaN: it has no vector."""
        rows = self._metadata.rows(np.asarray(node_ids, np.int64))
        known = rows >= 0
        found = np.full((len(vectors), len(rows)), np.nan, np.float32)
        found[:, known] = self._cells.cosines(vectors, rows[known])
        return found

    @_one_at_a_time
    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Returns the vector, shape (dim,), of each that has one. A large index has them to about 3 digits."""
        ids = np.asarray(node_ids, np.int64)
        rows = self._metadata.rows(ids)
        known = rows >= 0
        return dict(zip(ids[known].tolist(), self._cells.vectors(rows[known]), strict=True))

    @_one_at_a_time
    def catch_up(self) -> int:
        """Read what was written to the graph since; returns the number of changed vectors."""
        changed = 0
        while page := self._source.vectors_from(self.model, self._next_seq, _PAGE):
            self._take(page)
            changed += len(page)
        if self._gpu:
            self._gpu.follow(self._cells)
        return changed

    @_one_at_a_time
    def rebuild(self) -> int:
        """Rebuild from the graph; returns the number of vectors. Calls no model.

        The snapshot is deleted even if it is newer: the graph may be restored from an older backup.
        """
        with suppress(OSError):  # a disk that cannot be written to: the snapshot is then replaced in memory alone
            self._path.unlink(missing_ok=True)
        self._clear()
        self.catch_up()
        self.save()
        return len(self)

    @_one_at_a_time
    def save(self) -> None:
        """Write the snapshot atomically, unless another process has written a newer one.

        One that cannot be written is done without: it is derived, and its absence only costs time.
        """
        order, vectors = self._cells.arrays(self._metadata.owned())
        try:
            snapshot.write(self._path, snapshot.Snapshot(self._next_seq, vectors | self._metadata.arrays(order)))
        except OSError as error:
            self._notify(f"the index was not saved ({error.strerror}); it is read from the graph again next time")
        else:
            self._unsaved = 0

    def close(self) -> None:
        """Save if catching up again would take longer than saving."""
        if self._unsaved >= max(_MIN_UNSAVED, len(self) // 50):
            self.save()

    def _clear(self) -> None:
        self._cells = Cells.flat(self._dim)
        self._metadata = RowMetadata()
        self._parts.clear()
        self._next_seq = 0
        self._unsaved = 0

    def _load(self) -> None:
        saved = snapshot.read(self._path)
        if saved is not None and saved.arrays["centroids"].shape[1] == self._dim:
            self._cells, self._metadata = Cells.loaded(saved.arrays), RowMetadata.loaded(saved.arrays)
            self._next_seq = saved.next_seq

    def _take(self, page: Sequence[StoredVector]) -> None:
        self._parts.clear()
        latest = {vector.node_id: vector for vector in page}
        replaced = self._metadata.rows(np.fromiter(latest, np.int64))
        self._metadata.drop(replaced[replaced >= 0])
        if present := [vector for vector in latest.values() if vector.data]:
            data = np.frombuffer(b"".join(vector.data for vector in present), np.float32)
            rows = np.reshape(data, (len(present), self._dim))
            self._metadata.append(present)
            self._cells.add(rows)
        self._next_seq = page[-1].seq + 1
        self._unsaved += len(page)
        if self._is_outgrown():
            self._retrain()

    def _is_outgrown(self) -> bool:
        """Whether twice as many cells are needed."""
        return len(self._cells) > self._flat_up_to and cells_for(len(self._cells)) >= 2 * self._cells.count

    def _retrain(self) -> None:
        """Train the cells again, and drop replaced vectors."""
        rows = self._metadata.owned()
        cells = self._trained(rows) if len(rows) > self._flat_up_to else Cells.flat(self._dim)
        for begin in range(0, len(rows), _PAGE):
            cells.add(self._cells.vectors(rows[begin : begin + _PAGE]))
        self._cells, self._metadata = cells, self._metadata.kept(rows)

    def _trained(self, rows: Ids) -> Cells:
        """Empty cells for this number of rows, trained on a sample of them."""
        random = np.random.default_rng(len(rows))
        sample = self._cells.vectors(random.permutation(rows)[:SAMPLE])
        centroids = trained_centroids(sample, cells_for(len(rows)))
        return Cells(centroids, share_to_visit(sample, centroids, random))

    def _part(self, scope: Scope) -> Part:
        if scope not in self._parts:
            if len(self._parts) >= _MAX_SCOPES:
                self._parts.clear()
            self._parts[scope] = self._cells.part(self._metadata.within(scope))
        return self._parts[scope]
