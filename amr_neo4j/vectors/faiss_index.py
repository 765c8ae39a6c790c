"""The dense index in process: FAISS over the vectors of the graph, flat while they are few, then an inverted file.

Derived data: a vector is acknowledged when Neo4j has it. The index loads its snapshot and catches up from there;
losing it costs a read of the graph, never a model call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from amr_neo4j.domain.ports import StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors import snapshot, training
from amr_neo4j.vectors.cells import Cells, Part
from amr_neo4j.vectors.row_metadata import Ids, RowMetadata

FLAT_UP_TO = 15_000
_PAGE = 5000
_WORTH_SAVING = 1000
_SCOPES_KEPT = 64
# A group of so many vectors is looked through whole, without a look at anybody else's: 2 ms.
_FEW = 5000


class FaissIndex:
    """Vectors of one kind and model. Not for use from several threads at once.

    Up to `flat_up_to` vectors every search is exact. Beyond, cells are learnt from a sample, and anew each time the
    vectors have become four times as many: recall@10 is 0.95 or better, and the catching up that meets the moment
    takes longer (training on at most 50,000 vectors, then all of them find their cells: about 15 s of one core at
    320,000).
    """

    def __init__(
        self, source: VectorSource, model: str, dim: int, path: Path, *, flat_up_to: int = FLAT_UP_TO
    ) -> None:
        """path: the snapshot's file, whether it is there or not."""
        self._source = source
        self._model = model
        self._dim = dim
        self._path = path
        self._flat_up_to = flat_up_to
        self._parts: dict[Scope, Part] = {}
        self._clear()
        self._load()

    def __len__(self) -> int:
        return len(self._roster)

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """(node_id, cosine) of the k nearest in the scope, best first; all where there are fewer.

        Of what was caught up with. vector: shape (dim,), length 1. among: no others than these node_ids.
        Raises ValueError: the scope names persons, and `among` does not say which events are theirs.
        """
        if scope.persons and among is None:
            raise ValueError("vectors do not know whom they are about: say among which events")
        if among is None and 0 < self._roster.count_of(scope.group_id) <= _FEW:
            return self._exact(vector, k, self._roster.rows_within(scope))
        part = self._part(scope) if among is None else self._cells.part(self._roster.within(scope, among))
        k = min(k, len(part))
        if k < 1:
            return []
        rows, cosines = self._cells.search(vector, k, part)
        return list(zip(self._roster.node_ids(rows).tolist(), cosines.tolist(), strict=True))

    def _exact(self, vector: Vectors, k: int, rows: Ids) -> list[tuple[int, float]]:
        """The k nearest of these rows, each looked at."""
        cosines = self._cells.cosines(vector, rows)
        best = np.argsort(-cosines, kind="stable")[: max(k, 0)]
        best = best[~np.isnan(cosines[best])]
        return list(zip(self._roster.node_ids(rows[best]).tolist(), cosines[best].tolist(), strict=True))

    def similarities(self, vector: Vectors, node_ids: Sequence[int]) -> Mapping[int, float]:
        """Cosine of each event that has a vector to `vector`, shape (dim,)."""
        ids = np.asarray(node_ids, np.int64)
        rows = self._roster.rows(ids)
        known = rows >= 0
        cosines = self._cells.cosines(vector, rows[known])
        return dict(zip(ids[known].tolist(), cosines.tolist(), strict=True))

    def catch_up(self) -> int:
        """Take in what the graph wrote since; returns how many vectors changed."""
        changed = 0
        while page := self._source.vectors_from(self._model, self._next_seq, _PAGE):
            self._take(page)
            changed += len(page)
        return changed

    def rebuild(self) -> int:
        """Begin again from the graph; returns the number of vectors. Calls no model.

        The snapshot goes first, also one that says it is newer: the graph may come from an older backup.
        """
        self._path.unlink(missing_ok=True)
        self._clear()
        self.catch_up()
        self.save()
        return len(self)

    def save(self) -> None:
        """Write the snapshot, whole or not at all; one that another process wrote meanwhile and is newer stays."""
        order, vectors = self._cells.arrays(self._roster.owned())
        snapshot.write(self._path, snapshot.Snapshot(self._next_seq, vectors | self._roster.arrays(order)))
        self._unsaved = 0

    def close(self) -> None:
        """Save where catching up again would take longer than saving does."""
        if self._unsaved >= max(_WORTH_SAVING, len(self) // 50):
            self.save()

    def _clear(self) -> None:
        self._cells = Cells.flat(self._dim)
        self._roster = RowMetadata()
        self._parts.clear()
        self._next_seq = 0
        self._unsaved = 0

    def _load(self) -> None:
        saved = snapshot.read(self._path)
        if saved is not None and saved.arrays["centroids"].shape[1] == self._dim:
            self._cells, self._roster = Cells.loaded(saved.arrays), RowMetadata.loaded(saved.arrays)
            self._next_seq = saved.next_seq

    def _take(self, page: Sequence[StoredVector]) -> None:
        self._parts.clear()
        latest = {vector.node_id: vector for vector in page}
        replaced = self._roster.rows(np.fromiter(latest, np.int64))
        self._roster.drop(replaced[replaced >= 0])
        if present := [vector for vector in latest.values() if vector.data]:
            data = np.frombuffer(b"".join(vector.data for vector in present), np.float32)
            rows = np.reshape(data, (len(present), self._dim))
            self._roster.append(present)
            self._cells.add(rows)
        self._next_seq = page[-1].seq + 1
        self._unsaved += len(page)
        if self._is_outgrown():
            self._arrange()

    def _is_outgrown(self) -> bool:
        """Whether there should be twice as many cells as there are."""
        return len(self._cells) > self._flat_up_to and training.cells_for(len(self._cells)) >= 2 * self._cells.count

    def _arrange(self) -> None:
        """Learn the cells anew, and let go of the vectors that were replaced."""
        rows = self._roster.owned()
        cells = self._learnt(rows) if len(rows) > self._flat_up_to else Cells.flat(self._dim)
        for begin in range(0, len(rows), _PAGE):
            cells.add(self._cells.vectors(rows[begin : begin + _PAGE]))
        self._cells, self._roster = cells, self._roster.kept(rows)

    def _learnt(self, rows: Ids) -> Cells:
        """Cells without a vector yet, of a size for these rows, learnt from some of them."""
        random = np.random.default_rng(len(rows))
        sample = self._cells.vectors(random.permutation(rows)[: training.SAMPLE])
        centroids = training.centroids(sample, training.cells_for(len(rows)))
        return Cells(centroids, training.share_to_see(sample, centroids, random))

    def _part(self, scope: Scope) -> Part:
        if scope not in self._parts:
            if len(self._parts) >= _SCOPES_KEPT:
                self._parts.clear()
            self._parts[scope] = self._cells.part(self._roster.within(scope))
        return self._parts[scope]
