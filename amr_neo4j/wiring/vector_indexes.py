"""Opens the dense indexes of one database: in this process, in a sidecar, or in Neo4j itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from copy import copy
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.ports import Embedder, Kind, Notify, VectorIndex
from amr_neo4j.errors import ConfigError
from amr_neo4j.extras import needs_faiss
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.vectors.snapshot import remove_snapshots, snapshot_file
from amr_neo4j.vectors.turn_index import TurnIndex

# Each backend is loaded only if it is chosen.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.store.neo4j_index import Neo4jIndex
    from amr_neo4j.vectors.faiss_index import FaissIndex
    from amr_neo4j.vectors.gpu import GpuCopy

_COUNTS = {"event": "vectors/count", "episode": "vectors/count_turns", "fact": "vectors/count_facts"}


class VectorIndexes:
    """The dense indexes, one for each kind and model, opened at their first use. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        embedder: Callable[[], Embedder],
        folder: Callable[[], Path],
        notify: Notify,
    ) -> None:
        """folder: returns the folder of this database's snapshots."""
        self._settings, self._database, self._embedder = settings, database, embedder
        self.folder, self._notify = folder, notify
        self._open: dict[tuple[Kind, str], VectorIndex] = {}
        self._opening = Lock()

    def of_embedder(self, embedder: Callable[[], Embedder]) -> VectorIndexes:
        """Return the indexes for another embedder. Those of one model are the same."""
        other = copy(self)
        other._embedder = embedder
        return other

    def close(self) -> None:
        """Close the indexes. Those that have changed enough are saved first. Safe to repeat."""
        with ExitStack() as closing:
            while self._open:
                _, index = self._open.popitem()
                closing.callback(index.close)

    @property
    def events(self) -> VectorIndex:
        """See domain.ports.Indexes."""
        return self.of("event")

    @property
    def turns(self) -> TurnIndex:
        """See domain.ports.Indexes."""
        # Recall gives turns negative node_ids, so that they share lists with events.
        return TurnIndex(self.of("episode"), said_id)

    @property
    def facts(self) -> TurnIndex:
        """See domain.ports.Indexes."""
        return TurnIndex(self.of("fact"), int)

    def of(self, kind: Kind) -> VectorIndex:
        """Return the index of a kind, with the vectors of the embedder's model."""
        embedder = self._embedder()
        # Held while an index is opened, so that no two threads load the same one.
        with self._opening:
            key = (kind, embedder.model)
            if key not in self._open:
                self._open[key] = self._new(kind, embedder)
            return self._open[key]

    def _new(self, kind: Kind, embedder: Embedder) -> VectorIndex:
        if self._settings.dense == "sidecar":
            return self._in_sidecar(kind, embedder)
        if self._settings.dense == "neo4j":
            return self._in_neo4j(kind, embedder.model, embedder.dim)
        return self.local(kind, embedder.model, embedder.dim)

    def local(self, kind: Kind, model: str, dim: int, *, gpu: GpuCopy | None = None) -> FaissIndex:
        """Open an index in this process. Raises ConfigError: FAISS is not installed."""
        with needs_faiss():
            from amr_neo4j.vectors.faiss_index import FaissIndex

        file = snapshot_file(self.folder(), kind, model)
        return FaissIndex(VectorSource(self._database, kind), model, dim, path=file, gpu=gpu, notify=self._notify)

    def _in_neo4j(self, kind: Kind, model: str, dim: int = 0) -> Neo4jIndex:
        """Open Neo4j's own vector index. Raises ConfigError if it cannot hold vectors of this dimension."""
        from amr_neo4j.store.neo4j_index import MOST_DIMENSIONS, Neo4jIndex

        if dim > MOST_DIMENSIONS:
            raise ConfigError(
                f"Neo4j indexes vectors of at most {MOST_DIMENSIONS} numbers, and {model} has {dim}",
                hint="set dense to faiss or sidecar, or choose another embedder",
            )
        return Neo4jIndex(self._database, VectorSource(self._database, kind), kind, model, notify=self._notify)

    def _in_sidecar(self, kind: Kind, embedder: Embedder) -> VectorIndex:
        """Connect to the sidecar. Raises ConfigError: no token is known."""
        from amr_neo4j.vectors.sidecar.client import SidecarIndex
        from amr_neo4j.wiring.sidecar import known_token

        return SidecarIndex(
            self._settings.sidecar_url,
            known_token(self._settings),
            kind=kind,
            model=embedder.model,
            dim=embedder.dim,
            certificates=self._settings.sidecar_certificates,
            notify=self._notify,
        )

    # --- compared with the graph, and what the graph no longer has

    def unread(self) -> dict[str, int]:
        """Return {kind: how many embeddings of the graph the open index in this process has not read yet}."""
        found: dict[str, int] = {}
        for (kind, model), index in [*self._open.items()]:
            if (seq := getattr(index, "next_seq", None)) is not None:
                [row] = self._database.read("vectors/unread", kind=kind, model=model, seq=seq)
                found[kind] = found.get(kind, 0) + row["unread"]
        return found

    def size(self, kind: Kind) -> tuple[int, int]:
        """See domain.ports.Indexes."""
        index = self.of(kind)
        # Else vectors that were written a moment ago would look like a difference from the graph.
        index.catch_up()
        [row] = self._database.read(_COUNTS[kind], model=index.model)
        return len(index), row["vectors"]

    def differing(self, kind: Kind, *, every: bool) -> int:
        """See domain.ports.Indexes."""
        from amr_neo4j.vectors.consistency import differing

        index, source = self.of(kind), VectorSource(self._database, kind)
        [row] = self._database.read(_COUNTS[kind], model=index.model)
        return differing(index, source, index.model, row["last_seq"], every=every)

    def is_damaged(self, kind: Kind) -> bool:
        """See domain.ports.Indexes."""
        from amr_neo4j.vectors.snapshot import is_damaged

        return is_damaged(snapshot_file(self.folder(), kind, self._embedder().model))

    def rebuild(self, kind: Kind) -> int:
        """See domain.ports.Indexes."""
        return self.of(kind).rebuild()

    def remove_snapshots(self, kind: Kind) -> None:
        """See domain.ports.Indexes."""
        remove_snapshots(self.folder(), kind)

    def remove_gone(self, *kinds: Kind) -> None:
        """See domain.ports.Indexes."""
        from amr_neo4j.store.neo4j_index import indexed_models

        for kind in kinds:
            self.remove_snapshots(kind)
            for (of, _), index in list(self._open.items()):  # a concurrent search may open another
                if of == kind:
                    # Catching up drops the vectors whose owners are gone, so the new snapshot lacks them.
                    index.catch_up()
                    index.save()
            # Also from Neo4j's own vector index, whatever the setting: another program may use it, or have used it.
            for model in indexed_models(self._database, kind):
                self._in_neo4j(kind, model).drop_gone()
