"""The in-process dense index: FAISS over the vectors of the graph, flat at first, then an inverted file.

It is derived data: a vector is acknowledged once Neo4j has it. The index loads its snapshot and catches up from the
graph; without a snapshot it reads all vectors from there. It never calls a model.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock

import numpy as np

from amr_neo4j.domain.ports import Notify, Search, StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors import snapshot
from amr_neo4j.vectors.cells import SAMPLE, Cells, Subset, cells_for, share_to_visit, trained_centroids
from amr_neo4j.vectors.gpu import GpuCopy
from amr_neo4j.vectors.row_metadata import Ids, RowMetadata

_log = logging.getLogger(__name__)

# Up to this many vectors a search compares all of them. That is exact, but too slow for a million (decision 0048).
FLAT_UP_TO = 15_000
_VECTORS_PER_READ = 5000
_MIN_UNSAVED = 1000
# The rows of this many scopes are kept for later searches. Each takes one bit for every row of the index.
_MAX_SCOPES = 64
# Groups of up to this many vectors are searched exhaustively, whatever the size of the index. That takes 2 ms.
_SMALL_GROUP = 5000

Hits = list[tuple[int, float]]
"""(node_id, cosine), best first."""


class FaissIndex:
    """The vectors of one kind and model. Thread-safe: calls run one at a time.

    Up to `flat_up_to` vectors every search is exact. Beyond, cells are trained on a sample, and trained again
    whenever the number of vectors has quadrupled; recall@10 stays at 0.95 or better. The `catch_up` that trains takes
    longer: about 15 s of one core at 320,000 vectors, for training on at most 50,000 and assigning all of them.
    """

    def __init__(
        self,
        source: VectorSource,
        model: str,
        dim: int,
        *,
        path: Path,
        flat_up_to: int = FLAT_UP_TO,
        small_group: int = _SMALL_GROUP,
        gpu: GpuCopy | None = None,
        notify: Notify = _log.warning,
    ) -> None:
        """path: the file of the snapshot, which need not exist.
        small_group: groups of up to this size are searched exhaustively.
        gpu: searches the other groups if it can. It must not be shared with another index.
        notify: called with a line if the snapshot cannot be written.
        """
        # Reentrant, because `rebuild` calls `catch_up` and `save`.
        self.lock = RLock()
        self._notify = notify
        self._source = source
        self.model = model
        self._dim = dim
        self._path = path
        self._flat_up_to = flat_up_to
        self._small_group = small_group
        self._gpu = gpu
        self._subsets: dict[Scope, Subset] = {}
        self._clear()
        self._load()

    def __len__(self) -> int:
        return len(self._metadata)

    @property
    def on_gpu(self) -> int:
        """How many rows a GPU holds, including rows that were replaced since."""
        return self._gpu.rows if self._gpu else 0

    def search(self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None) -> Hits:
        """Return (node_id, cosine) of the k nearest in the scope, best first; all of them if there are fewer.

        The result is as of the last `catch_up`.
        vector: shape (dim,), of length 1.
        among: search only these node_ids.
        Raises ValueError: the scope names persons and `among` does not give their events.
        """
        return self.search_many([Search(vector, k, scope, among)])[0]

    def search_many(self, searches: Sequence[Search]) -> list[Hits]:
        """Return the hits of several searches; those with the same scope and k share a pass.

        Raises the errors of `search`.
        """
        found: dict[int, Hits] = {}
        alike: defaultdict[tuple[Scope, int], list[int]] = defaultdict(list)
        with self.lock:
            for n, each in enumerate(searches):
                if each.among is not None:
                    subset = self._cells.subset(self._metadata.within(each.scope, each.among))
                    [found[n]] = self._in_subset(each.vector[np.newaxis], each.k, subset)
                elif each.scope.persons:
                    raise ValueError("a scope with persons needs among: the index has no persons")
                else:
                    alike[each.scope, each.k].append(n)
            for (scope, k), places in alike.items():
                vectors = np.stack([searches[n].vector for n in places])
                found |= zip(places, self._in_scope(vectors, k, scope), strict=True)
        return [found[n] for n in range(len(searches))]

    def _in_scope(self, vectors: Vectors, k: int, scope: Scope) -> list[Hits]:
        """Return the k nearest in the scope to each of the vectors, shape (n, dim)."""
        if 0 < self._metadata.count_of(scope.group_id) <= self._small_group:
            return self._exact(vectors, k, self._metadata.rows_within(scope))
        return self._in_subset(vectors, k, self._subset(scope))

    def _in_subset(self, vectors: Vectors, k: int, subset: Subset) -> list[Hits]:
        k = min(k, len(subset))
        if k < 1:
            return [[] for _ in vectors]
        found = self._gpu.search(self._cells, vectors, k, subset=subset) if self._gpu else None
        return [self._hits(rows, cosines) for rows, cosines in found or self._cells.search(vectors, k, subset)]

    def _exact(self, vectors: Vectors, k: int, rows: Ids) -> list[Hits]:
        """Return the k nearest of these rows to each of the vectors, by exhaustive search."""
        found: list[Hits] = []
        for cosines in self._cells.cosines(vectors, rows):
            best = np.argsort(-cosines, kind="stable")[: max(k, 0)]
            best = best[~np.isnan(cosines[best])]
            found.append(self._hits(rows[best], cosines[best]))
        return found

    def _hits(self, rows: Ids, cosines: Vectors) -> Hits:
        return list(zip(self._metadata.node_ids(rows).tolist(), cosines.tolist(), strict=True))

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return cosines, shape (len(vectors), len(node_ids)); NaN for an id without a vector."""
        with self.lock:
            rows = self._metadata.rows(np.asarray(node_ids, np.int64))
            known = rows >= 0
            found = np.full((len(vectors), len(rows)), np.nan, np.float32)
            found[:, known] = self._cells.cosines(vectors, rows[known])
            return found

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return {node_id: its vector, shape (dim,)}. A large index keeps about 3 digits of each number."""
        with self.lock:
            ids = np.asarray(node_ids, np.int64)
            rows = self._metadata.rows(ids)
            known = rows >= 0
            return dict(zip(ids[known].tolist(), self._cells.vectors(rows[known]), strict=True))

    @property
    def next_seq(self) -> int:
        """The sequence number of the first embedding that it has not read."""
        return self._next_seq

    def catch_up(self) -> int:
        """Read what was written to the graph since the last call. Returns the number of changed vectors."""
        changed = 0
        with self.lock:
            while page := self._source.vectors_from(self.model, self._next_seq, _VECTORS_PER_READ):
                self._take(page)
                changed += len(page)
            if self._gpu:
                self._gpu.follow(self._cells)
        return changed

    def rebuild(self) -> int:
        """Rebuild from the graph, without calling a model. Returns the number of vectors.

        The snapshot is deleted even if it is newer than the graph, which may be restored from an older backup.
        """
        with self.lock:
            with suppress(OSError):  # a read-only disk: the index is then rebuilt in memory alone
                self._path.unlink(missing_ok=True)
            self._clear()
            self.catch_up()
            self.save()
            return len(self)

    def save(self) -> None:
        """Write the snapshot atomically, unless another process has written a newer one.

        If it cannot be written, the index goes on without: a missing snapshot only costs time at the next start.
        """
        with self.lock:
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
        self._subsets.clear()
        self._next_seq = 0
        self._unsaved = 0

    def _load(self) -> None:
        saved = snapshot.read(self._path)
        # A snapshot with vectors of another length is ignored, and all vectors are read from the graph.
        if saved is not None and saved.arrays["centroids"].shape[1] == self._dim:
            self._cells, self._metadata = Cells.loaded(saved.arrays), RowMetadata.loaded(saved.arrays)
            self._next_seq = saved.next_seq

    def _take(self, page: Sequence[StoredVector]) -> None:
        # The subsets know nothing of the rows that this page adds and replaces.
        self._subsets.clear()
        # A page may have several versions of a vector. Only the last one counts.
        latest = {vector.node_id: vector for vector in page}
        replaced = self._metadata.rows(np.fromiter(latest, np.int64))
        self._metadata.drop(replaced[replaced >= 0])
        if present := [vector for vector in latest.values() if vector.data]:
            data = np.frombuffer(b"".join(vector.data for vector in present), np.float32)
            rows = np.reshape(data, (len(present), self._dim))
            self._metadata.append(present)
            self._cells.add(rows)
        # The next catch_up begins after the last vector of the page.
        self._next_seq = page[-1].seq + 1
        self._unsaved += len(page)
        # Their number grows with the square root, so twice the cells are due at four times the vectors.
        if len(self._cells) > self._flat_up_to and cells_for(len(self._cells)) >= 2 * self._cells.count:
            self._retrain()

    def _retrain(self) -> None:
        """Train the cells again, and leave out replaced vectors."""
        rows = self._metadata.owned()
        cells = self._trained(rows) if len(rows) > self._flat_up_to else Cells.flat(self._dim)
        for begin in range(0, len(rows), _VECTORS_PER_READ):
            cells.add(self._cells.vectors(rows[begin : begin + _VECTORS_PER_READ]))
        self._cells, self._metadata = cells, self._metadata.kept(rows)

    def _trained(self, rows: Ids) -> Cells:
        """Return empty cells for this number of rows, trained on a sample of them."""
        # The seed makes the cells the same each time they are trained on the same vectors.
        random = np.random.default_rng(len(rows))
        sample = self._cells.vectors(random.permutation(rows)[:SAMPLE])
        centroids = trained_centroids(sample, cells_for(len(rows)))
        return Cells(centroids, share_to_visit(sample, centroids, random))

    def _subset(self, scope: Scope) -> Subset:
        if scope not in self._subsets:
            if len(self._subsets) >= _MAX_SCOPES:
                self._subsets.clear()
            self._subsets[scope] = self._cells.subset(self._metadata.within(scope))
        return self._subsets[scope]
