# pyright: basic
"""The dense index in process: exact FAISS search, ids are node_ids.

Derived data: a vector is acknowledged when Neo4j has it. The index loads its snapshot and catches up from there;
losing it costs a read of the graph, never a model call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import faiss
import numpy as np

from amr_neo4j.domain.ports import StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors import snapshot
from amr_neo4j.vectors.roster import Ids, Roster

_PAGE = 5000
_WORTH_SAVING = 1000
_SCOPES_KEPT = 64


class FaissIndex:
    """Vectors of one kind and model. Not for use from several threads at once."""

    def __init__(self, source: VectorSource, model: str, dim: int, path: Path) -> None:
        """path: the snapshot's file, whether it is there or not."""
        self._source = source
        self._model = model
        self._dim = dim
        self._path = path
        self._scoped: dict[Scope, Ids] = {}
        self._clear()
        self._load()

    def __len__(self) -> int:
        return self._index.ntotal

    def search(self, vector: Vectors, k: int, scope: Scope) -> list[tuple[int, float]]:
        """(node_id, cosine), best first; vector has shape (dim,) and length 1. Catches up first."""
        self.catch_up()
        ids = self._within(scope)
        if not len(ids):
            return []
        everything = len(ids) == self._index.ntotal
        params = None if everything else faiss.SearchParameters(sel=faiss.IDSelectorBatch(ids))  # pyright: ignore[reportCallIssue]
        scores, found = self._index.search(vector[None, :], min(k, len(ids)), params=params)
        return [(int(i), float(s)) for i, s in zip(found[0], scores[0], strict=True) if i >= 0]

    def similarities(self, vector: Vectors, node_ids: Sequence[int]) -> Mapping[int, float]:
        """Cosine of each event that has a vector to `vector`, shape (dim,)."""
        known = [node_id for node_id in node_ids if node_id in self._roster]
        if not known:
            return {}
        rows = self._index.reconstruct_batch(np.asarray(known, np.int64))
        return dict(zip(known, (rows @ vector).tolist(), strict=True))

    def catch_up(self) -> int:
        """Take in what the graph wrote since; returns how many vectors changed."""
        changed = 0
        while page := self._source.vectors_from(self._model, self._next_seq, _PAGE):
            self._take(page)
            changed += len(page)
        self._unsaved += changed
        if changed:
            self._scoped.clear()
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
        ids, groups, videos = self._roster.rows()
        vectors = self._index.reconstruct_batch(ids) if len(ids) else np.empty((0, self._dim), np.float32)
        snapshot.write(self._path, snapshot.Snapshot(self._next_seq, ids, vectors, groups, videos))
        self._unsaved = 0

    def close(self) -> None:
        """Save where catching up again would take a while."""
        if self._unsaved >= _WORTH_SAVING:
            self.save()

    def _clear(self) -> None:
        self._index = faiss.IndexIDMap2(faiss.IndexFlatIP(self._dim))
        self._roster = Roster()
        self._next_seq = 0
        self._unsaved = 0
        self._scoped.clear()

    def _load(self) -> None:
        saved = snapshot.read(self._path)
        if saved is None or saved.vectors.shape[1] != self._dim:
            return
        self._index.add_with_ids(saved.vectors, saved.ids)
        self._roster.put(
            StoredVector(0, node_id, group, video, b"")
            for node_id, group, video in zip(saved.ids.tolist(), saved.groups, saved.videos, strict=True)
        )
        self._next_seq = saved.next_seq

    def _take(self, page: Sequence[StoredVector]) -> None:
        latest = {vector.node_id: vector for vector in page}
        replaced = [node_id for node_id in latest if node_id in self._roster]
        if replaced:
            self._index.remove_ids(faiss.IDSelectorBatch(np.asarray(replaced, np.int64)))
            self._roster.drop(replaced)
        present = [vector for vector in latest.values() if vector.data]
        if present:
            self._roster.put(present)
            rows = np.frombuffer(b"".join(vector.data for vector in present), np.float32).reshape(-1, self._dim)
            self._index.add_with_ids(rows, np.asarray([vector.node_id for vector in present], np.int64))
        self._next_seq = page[-1].seq + 1

    def _within(self, scope: Scope) -> Ids:
        if scope not in self._scoped:
            if len(self._scoped) >= _SCOPES_KEPT:
                self._scoped.clear()
            self._scoped[scope] = self._roster.within(scope)
        return self._scoped[scope]
