"""The dense index in Neo4j itself: its own vector index, over nodes that are derived from the embeddings.

Neither a file nor a process beside the database. Catching up writes to the database: whoever searches first after a
write does it for all.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import ceil, inf, isnan, nan
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import Kind, Notify, StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.errors import StoreDenied, StoreError, StoreUnavailable
from amr_neo4j.store.database import Database, Row

# Of vector-2.0, the provider of Neo4j 5. Longer vectors are left out of the index without an error.
MOST_DIMENSIONS = 4096
_log = logging.getLogger(__name__)
_PAGE = 1000
_CLEARED_AT_ONCE = 5000
# Groups of up to so many vectors are compared one by one: all are found, and it takes no longer than the index.
_SMALL_GROUP = 2000
# The index finds nearly all of the k nearest where it is asked for more.
_FETCH_AT_LEAST, _FETCH_FACTOR = 200, 3
_FETCH_AT_MOST = 5000
_CANDIDATES = 50  # where the index filters
_LABELS: Mapping[Kind, str] = {"event": "EventVector", "episode": "EpisodeVector", "fact": "FactVector"}
# Of all kinds, where the server filters inside its index.
_SCOPED_LABEL, _SCOPED_INDEX = "ScopedVector", "scoped_vectors"
_MOVED_AT_ONCE = 1000
_PREFIX = "dense"


class Neo4jIndex:
    """Vectors of one kind and model. Thread-safe; several processes may catch up at the same time.

    From Neo4j 2026.06 on the vector index filters by scope; it is made here, as earlier servers cannot. That of an
    earlier server knows no scope: more vectors are asked for than needed, and those in the scope kept. Where too few
    are left there, and in small groups, the vectors of the group are compared one by one. While the vector index is
    missing or being built, all searches do so, and say so once.
    """

    def __init__(
        self, database: Database, source: VectorSource, kind: Kind, model: str, *, notify: Notify = _log.warning
    ) -> None:
        """source: of the embeddings. notify: gets a line when the vector index cannot be used."""
        self._database = database
        self._source = source
        self._about = {"kind": kind, "model": model}
        self._label = _LABELS[kind]
        self._index = f"{kind}_vectors"
        self._name = counter_name(kind, model)
        self.model = model
        self._notify = notify
        self._large: set[str] = set()
        self._filters: bool | None = None
        self.degraded = False

    def __len__(self) -> int:
        return self._read("count")[0]["vectors"]

    def catch_up(self) -> int:
        """Take in what was written to the graph since; returns the number of changed vectors."""
        changed = 0
        while True:
            [row] = self._database.read("dense/progress", name=self._name)
            page = self._source.vectors_from(self.model, row["next"], _PAGE)
            if not page:
                return changed
            self._take(page, row["next"])
            changed += len(page)  # also where another process took the page: it changed since

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Returns (node_id, cosine) of the k nearest in the scope, best first; all where there are fewer.

        vector: shape (dim,), length 1. among: only these node_ids.
        Raises ValueError: the scope names persons, without `among` giving their events.
        """
        if scope.persons and among is None:
            raise ValueError("a scope with persons needs among: the index has no persons")
        if k < 1 or not np.isfinite(vector).all():
            return []
        bounds = {"vector": _comparable(vector), **_bounds(scope)}
        if among is not None:
            return _hits(self._read("exact_among", k=k, node_ids=list(set(among)), **bounds))
        if bounds["vector"] is None or self._is_small(scope.group_id):
            return _hits(self._read("exact", k=k, **bounds))
        found = self._by_index(k, bounds)
        return _hits(self._read("exact", k=k, **bounds)) if found is None else found

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Returns the cosine of each to each of `vectors`, (n, dim): (n, node_ids); NaN: it has no vector."""
        rows = self._read("similarities", node_ids=list(set(node_ids)), vectors=[*map(_comparable, vectors)])
        found, unknown = {row["node_id"]: row["cosines"] for row in rows}, [nan] * len(vectors)
        by_id = np.array([found.get(node_id, unknown) for node_id in node_ids], np.float32)
        return np.transpose(np.reshape(by_id, (len(node_ids), len(vectors))))

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Returns the vector, shape (dim,), of each that has one."""
        rows = self._read("vectors", node_ids=list(set(node_ids)))
        return {row["node_id"]: np.asarray(row["vector"], np.float32) for row in rows if row["vector"]}

    def rebuild(self) -> int:
        """Make it again from the embeddings; returns the number of vectors. Calls no model."""
        self.clear()
        self.catch_up()
        return len(self)

    def clear(self) -> None:
        """Delete its vectors. They are derived: the next `catch_up` reads all embeddings again."""
        while self._cleared():
            pass
        self._large.clear()

    def drop(self) -> None:
        """Delete its vectors, and that there were any."""
        self.clear()
        self._database.write("dense/drop_progress", name=self._name)

    def drop_gone(self) -> int:
        """Delete the vectors of what was forgotten, without catching up; returns how many."""
        return self._database.write("dense/drop_gone", name=self._name, **self._about)[0]["deleted"]

    def save(self) -> None:
        """Nothing: the database keeps it."""

    def close(self) -> None:
        """Nothing: it holds nothing."""

    def _cleared(self) -> int:
        """Delete some of its vectors; returns how many."""
        [row] = self._database.write("dense/clear", name=self._name, limit=_CLEARED_AT_ONCE, **self._about)
        return row["deleted"]

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self._database.read(f"dense/{name}", **self._about, **params)

    def _take(self, page: Sequence[StoredVector], first: int) -> None:
        latest = {vector.node_id: vector for vector in page}
        self._database.write(
            "dense/take",
            name=self._name,
            label=_SCOPED_LABEL if self._index_filters() else self._label,
            first=first,
            next=page[-1].seq + 1,
            gone=[node_id for node_id, vector in latest.items() if not vector.data],
            rows=[_row(vector) for vector in latest.values() if vector.data],
            **self._about,
        )

    def _is_small(self, group_id: str) -> bool:
        """Whether the group has few vectors. Groups grow: one that was large is not counted again."""
        if group_id in self._large:
            return False
        [row] = self._read("group_size", group_id=group_id, limit=_SMALL_GROUP + 1)
        if row["vectors"] > _SMALL_GROUP:
            self._large.add(group_id)
        return row["vectors"] <= _SMALL_GROUP

    def _index_filters(self) -> bool:
        """Whether the server has a vector index that filters by scope; it is made the first time."""
        if self._filters is None:
            self._filters = self._has_scoped_index()
            while self._filters and self._moved():
                pass
        return self._filters

    def _has_scoped_index(self) -> bool:
        nothing = {"vector": [1.0], **_bounds(Scope("nobody", ("nothing",)))}
        try:
            self._database.write("schema/scoped_vectors")
            self._database.write("schema/await_indexes")
            self._read("nearest_in_videos", fetch=1, k=1, **nothing)
        except StoreUnavailable:
            raise
        except StoreError as error:
            _log.debug("the server does not filter inside its vector index: %s", error)
            return False
        return True

    def _moved(self) -> int:
        """Have some of the vectors that an earlier release of the server indexed in the index that filters."""
        [row] = self._database.write("dense/relabel", limit=_MOVED_AT_ONCE)
        return row["moved"]

    def _by_index(self, k: int, bounds: Mapping[str, Any]) -> list[tuple[int, float]] | None:
        """The k nearest by the vector index; None where it cannot tell: too few of what it finds are in the scope."""
        if self._index_filters():
            name = "nearest_in_videos" if bounds["video_ids"] else "nearest_in_group"
            return self._indexed(name, _SCOPED_INDEX, fetch=max(_CANDIDATES, _FETCH_FACTOR * k), k=k, **bounds)
        fetch = max(_FETCH_AT_LEAST, _FETCH_FACTOR * k)
        while fetch <= _FETCH_AT_MOST:
            hits = self._indexed("nearest", self._index, fetch=fetch, index=self._index, **bounds)
            if hits is None or len(hits) >= k:
                return hits and hits[:k]
            # as many as it takes where the same share of the next ones is in the scope
            fetch = max(2 * fetch, ceil(1.5 * k * fetch / len(hits))) if hits else _FETCH_AT_MOST + 1
        return None

    def _indexed(self, name: str, by: str, **params: Any) -> list[tuple[int, float]] | None:
        """What a statement finds by a vector index; None where that cannot be used, which is said once."""
        try:
            hits = _hits(self._read(name, **params))
        except (StoreUnavailable, StoreDenied):
            raise
        except StoreError as error:
            if not self.degraded:
                self._notify(
                    f"Neo4j's vector index {by} cannot be used ({error.message}): "
                    "vectors are compared one by one; amr doctor tells more"
                )
            self.degraded = True
            return None
        self.degraded = False
        return hits


def counter_name(kind: Kind, model: str) -> str:
    """The name of the counter that says how far the index of a kind and model has read."""
    return f"{_PREFIX} {kind} {model}"


def indexed_models(database: Database, kind: Kind) -> list[str]:
    """Returns the models that Neo4j's own vector index has vectors of this kind by."""
    prefix = counter_name(kind, "")
    names = [row["name"] for row in database.read("dense/indexed")]
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def _row(vector: StoredVector) -> Row:
    """As `dense/take` writes it. A moment that is not known is beyond all bounds."""
    data = np.frombuffer(vector.data, np.float32)
    clock_end = vector.clock_start + vector.time_end - vector.time_start
    about: Row = {
        "group_id": vector.group_id,
        "video_id": vector.video_id,
        "time_start": _known(vector.time_start, inf),
        "time_end": _known(vector.time_end, -inf),
        "clock_start": _known(vector.clock_start, inf),
        "clock_end": _known(clock_end, -inf),
        "learnt": _known(vector.created_at, inf),
        "superseded": vector.superseded_at,
    }
    return {"node_id": vector.node_id, "about": about, "vector": _comparable(data)}


def _known(second: float, otherwise: float) -> float:
    return otherwise if isnan(second) else second


def _comparable(vector: Vectors) -> list[float] | None:
    """The numbers of a vector that has a direction; None for another, which Neo4j refuses."""
    length = float(np.linalg.norm(vector))
    return vector.tolist() if 0 < length < inf else None


def _bounds(scope: Scope) -> dict[str, Any]:
    """What vectors in the scope have, as `dense/within` takes it: numbers, infinite where nothing is asked."""
    known_at = scope.known_at.timestamp() if scope.known_at else None
    return {
        "group_id": scope.group_id,
        "video_ids": list(scope.video_ids),
        **_span(scope, "s", lambda moment: None if isinstance(moment, datetime) else moment),
        **_span(scope, "at", lambda moment: moment.timestamp() if isinstance(moment, datetime) else None),
        "known_at": inf if known_at is None else known_at,
        # what was superseded is in a scope as of before only; inf: never
        "superseded_after": sys.float_info.max if known_at is None else known_at,
    }


def _span(scope: Scope, unit: str, number: Callable[[Moment | None], float | None]) -> dict[str, float]:
    """The bounds in one unit. What ended by a moment began by then too; a vector without a time did not begin."""
    since, until, as_of = number(scope.since), number(scope.until), number(scope.as_of)
    after, ended = -inf if since is None else since, inf if as_of is None else as_of
    return {
        f"after_{unit}": after,
        f"before_{unit}": ended if until is None else min(until, ended),
        f"ended_{unit}": ended,
    }


def _hits(rows: Sequence[Row]) -> list[tuple[int, float]]:
    return [(row["node_id"], row["cosine"]) for row in rows]
