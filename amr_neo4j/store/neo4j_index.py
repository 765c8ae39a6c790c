"""A dense index inside Neo4j: its own vector index, over nodes that are copied from the embeddings (decision 0093).

It needs no file and no process beside the database. Catching up writes to the database, so the first process that
searches after a commit does it for all others.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from math import ceil, inf, isnan, nan
from typing import Any

import numpy as np

from amr_neo4j.domain.ports import Kind, Notify, StoredVector, Vectors, VectorSource
from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.errors import StoreDenied, StoreError, StoreUnavailable
from amr_neo4j.store.database import Database, Row, in_parts

# The limit of vector-2.0, Neo4j 5's index provider. It leaves longer vectors out of the index without an error.
MOST_DIMENSIONS = 4096
_log = logging.getLogger(__name__)
# Embeddings per transaction of a catch-up, and vectors per transaction of a clearing.
_VECTORS_PER_COMMIT = 1000
_CLEARED_AT_ONCE = 5000
# In a group with at most this many vectors, all are compared one by one. That is exact, and takes no longer than the
# index.
_SMALL_GROUP = 2000
# The index is approximate. Asked for at least 200 and for 3 * k, it finds nearly all of the k nearest.
_FETCH_AT_LEAST, _FETCH_FACTOR = 200, 3
_FETCH_AT_MOST = 5000
_CANDIDATES = 50  # the least to ask for where the index filters by scope itself
_LABELS: Mapping[Kind, str] = {"event": "EventVector", "episode": "EpisodeVector", "fact": "FactVector"}
# Where the server filters inside its index, one label and one index serve all kinds.
_SCOPED_LABEL, _SCOPED_INDEX = "ScopedVector", "amr_scoped_vectors"
_MOVED_AT_ONCE = 1000
_PREFIX = "dense"


class Neo4jIndex:
    """The vectors of one kind and model. Thread-safe. Several processes may catch up at the same time.

    From Neo4j 2026.06 on, the vector index itself filters by scope. This class creates that index, because a
    migration with it would fail on earlier servers.
    On an earlier server the index knows no scope. A search asks for more vectors than needed and keeps those in the
    scope. If too few are left, it compares all vectors of the group one by one; in a small group it always does.
    So does every search while the vector index is missing or being built, and `notify` gets one line about it.
    """

    def __init__(
        self, database: Database, source: VectorSource, kind: Kind, model: str, *, notify: Notify = _log.warning
    ) -> None:
        """source: where the embeddings are read from.

        notify: gets a line when the vector index cannot be used.
        """
        self._database = database
        self._source = source
        self._about = {"kind": kind, "model": model}
        self._label = _LABELS[kind]
        self._index = f"amr_{kind}_vectors"
        self._name = counter_name(kind, model)
        self.model = model
        self._notify = notify
        # Groups that were found to have more than _SMALL_GROUP vectors.
        self._large: set[str] = set()
        # Whether the server filters inside its index; None until the first use, which tries it.
        self._filters: bool | None = None
        self.degraded = False

    def __len__(self) -> int:
        return self._read("count")[0]["vectors"]

    def catch_up(self) -> int:
        """Copy the embeddings that were committed since the last catch-up. Returns how many vectors changed."""
        changed = 0
        while True:
            [row] = self._database.read("dense/progress", name=self._name)
            page = self._source.vectors_from(self.model, row["next"], _VECTORS_PER_COMMIT)
            if not page:
                return changed
            # Each part begins at the seq after the last of the part before.
            firsts = [row["next"], *(vector.seq + 1 for vector in page)]
            take = partial(self._take, page, firsts)
            for _ in in_parts(range(len(page)), take):
                pass
            # Counted even if another process has taken the page: these vectors have changed for our caller too.
            changed += len(page)

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (node_id, cosine) of the k nearest in the scope, best first; of all if there are fewer.

        vector: shape (dim,), length 1.
        among: search only these node_ids.
        Raises ValueError: the scope names persons, but `among` does not give their events.
        """
        if scope.persons and among is None:
            raise ValueError("a scope with persons needs among: the index has no persons")
        if k < 1 or not np.isfinite(vector).all():
            return []
        bounds = {"vector": _comparable(vector), **_bounds(scope)}
        if among is not None:
            return _hits(self._read("exact_among", k=k, node_ids=list(set(among)), **bounds))
        # Neo4j's index cannot filter by several ranges.
        if bounds["vector"] is None or scope.ranges or self._is_small(scope.group_id):
            return _hits(self._read("exact", k=k, **bounds))
        found = self._by_index(k, bounds)
        return _hits(self._read("exact", k=k, **bounds)) if found is None else found

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return the cosines of some vectors to those of the node_ids, shape (len(vectors), len(node_ids)).

        vectors: shape (n, dim). The cosine is NaN for a node_id that has no vector.
        """
        rows = self._read("similarities", node_ids=list(set(node_ids)), vectors=[*map(_comparable, vectors)])
        # The statement returns a row of cosines for each node_id; the result has a row for each vector.
        found, unknown = {row["node_id"]: row["cosines"] for row in rows}, [nan] * len(vectors)
        by_id = np.array([found.get(node_id, unknown) for node_id in node_ids], np.float32)
        return np.transpose(np.reshape(by_id, (len(node_ids), len(vectors))))

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return {node_id: its vector, shape (dim,)}; node_ids without a vector are left out."""
        rows = self._read("vectors", node_ids=list(set(node_ids)))
        return {row["node_id"]: np.asarray(row["vector"], np.float32) for row in rows if row["vector"]}

    def rebuild(self) -> int:
        """Delete the vectors and copy all embeddings again. Returns their number. Calls no model."""
        self.clear()
        self.catch_up()
        return len(self)

    def clear(self) -> None:
        """Delete the vectors of this kind and model. The next `catch_up` copies all embeddings again."""
        by = {"name": self._name, "limit": _CLEARED_AT_ONCE, **self._about}
        while self._database.write("dense/clear", **by)[0]["deleted"]:
            pass
        self._large.clear()

    def drop(self) -> None:
        """Delete the vectors and the counter, so that `indexed_models` no longer lists this model."""
        self.clear()
        self._database.write("dense/drop_progress", name=self._name)

    def drop_gone(self) -> int:
        """Delete the vectors of forgotten items, without reading new ones. Returns the number of deleted vectors."""
        return self._database.write("dense/drop_gone", name=self._name, **self._about)[0]["deleted"]

    def save(self) -> None:
        """Does nothing: the database keeps the vectors."""

    def close(self) -> None:
        """Does nothing: this object holds no resources."""

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self._database.read(f"dense/{name}", **self._about, **params)

    def _take(self, page: Sequence[StoredVector], firsts: Sequence[int], part: Sequence[int]) -> None:
        """Copy a part of a page of embeddings.

        The statement does nothing if the counter is no longer at `first`, that of the first one.
        """
        some = [page[number] for number in part]
        # An embedding that changed twice is in the page twice. The later one counts; empty data means "deleted".
        latest = {vector.node_id: vector for vector in some}
        self._database.write(
            "dense/take",
            name=self._name,
            label=_SCOPED_LABEL if self._index_filters() else self._label,
            first=firsts[part[0]],
            next=some[-1].seq + 1,
            gone=[node_id for node_id, vector in latest.items() if not vector.data],
            rows=[_row(vector) for vector in latest.values() if vector.data],
            **self._about,
        )

    def _is_small(self, group_id: str) -> bool:
        """Whether the group has at most _SMALL_GROUP vectors. Groups grow, so a large one is not counted again."""
        if group_id in self._large:
            return False
        [row] = self._read("group_size", group_id=group_id, limit=_SMALL_GROUP + 1)
        if row["vectors"] > _SMALL_GROUP:
            self._large.add(group_id)
        return row["vectors"] <= _SMALL_GROUP

    def _index_filters(self) -> bool:
        """Return whether the server's vector index filters by scope. The first call creates that index if it can."""
        if self._filters is None:
            self._filters = self._has_scoped_index()
            while self._filters and self._moved():
                pass
        return self._filters

    def _has_scoped_index(self) -> bool:
        # Tried instead of reading the server's version: on a server without the feature these statements fail.
        nothing = {"vector": [1.0], **_bounds(Scope("nobody", ("nothing",)))}
        try:
            self._database.write("schema/scoped_vectors")
            self._database.write("schema/await_indexes")
            self._read("nearest_in_videos", fetch=1, k=1, **nothing)
        except StoreUnavailable:  # says nothing about what the server can do
            raise
        except StoreError as error:
            _log.debug("the server does not filter inside its vector index: %s", error)
            return False
        return True

    def _moved(self) -> int:
        """Move some vectors into the index that filters, from those that an earlier release of Neo4j had to use.

        Returns how many were moved.
        """
        [row] = self._database.write("dense/relabel", limit=_MOVED_AT_ONCE)
        return row["moved"]

    def _by_index(self, k: int, bounds: Mapping[str, Any]) -> list[tuple[int, float]] | None:
        """Return the k nearest by the vector index; None if it is unusable or finds too few in the scope."""
        if self._index_filters():
            name = "nearest_in_videos" if bounds["video_ids"] else "nearest_in_group"
            return self._indexed(name, _SCOPED_INDEX, fetch=max(_CANDIDATES, _FETCH_FACTOR * k), k=k, **bounds)
        fetch = max(_FETCH_AT_LEAST, _FETCH_FACTOR * k)
        while fetch <= _FETCH_AT_MOST:
            hits = self._indexed("nearest", self._index, fetch=fetch, index=self._index, **bounds)
            if hits is None or len(hits) >= k:
                return hits and hits[:k]
            # Assume the same share of hits further on: if 5 of 200 are in the scope, 50 take 2,000. Ask for half as
            # many again to be safe.
            fetch = max(2 * fetch, ceil(1.5 * k * fetch / len(hits))) if hits else _FETCH_AT_MOST + 1
        return None

    def _indexed(self, name: str, by: str, **params: Any) -> list[tuple[int, float]] | None:
        """Return the hits of a statement that uses the vector index `by`; None if the index cannot be used.

        `notify` gets one line about an outage of the index.
        """
        try:
            hits = _hits(self._read(name, **params))
        except (StoreUnavailable, StoreDenied):  # comparing one by one would fail too
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
    """Return the name of a counter. It holds the seq that the index of this kind and model reads next."""
    return f"{_PREFIX} {kind} {model}"


def indexed_models(database: Database, kind: Kind) -> list[str]:
    """Return the models whose vectors of this kind were copied to Neo4j's own vector index."""
    prefix = counter_name(kind, "")
    names = [row["name"] for row in database.read("dense/indexed")]
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def _row(vector: StoredVector) -> Row:
    """Return a vector as a row of dense/take. An unknown time becomes infinite, so that it satisfies no bound."""
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
    """Return a vector as a list; None if its length is 0 or not finite, because Neo4j's index refuses it."""
    length = float(np.linalg.norm(vector))
    return vector.tolist() if 0 < length < inf else None


def _bounds(scope: Scope) -> dict[str, Any]:
    """Return the parameters of dense/within. Bounds are numbers, and infinite where the scope has none.

    The suffix _s is for seconds of the video, _at for seconds since 1970.
    """
    known_at = scope.known_at.timestamp() if scope.known_at else None
    return {
        "group_id": scope.group_id,
        "video_ids": list(scope.video_ids),
        **_span(scope, "s", lambda moment: None if isinstance(moment, datetime) else moment),
        **_span(scope, "at", lambda moment: moment.timestamp() if isinstance(moment, datetime) else None),
        "ranges": scope.epoch_ranges,
        "known_at": inf if known_at is None else known_at,
        # Vectors with a later `superseded` are found. It is inf for an event that was never superseded, so without a
        # known_at the largest finite number leaves out all that were.
        "superseded_after": sys.float_info.max if known_at is None else known_at,
    }


def _span(scope: Scope, unit: str, number: Callable[[Moment | None], float | None]) -> dict[str, float]:
    """Return the time bounds in one unit. number: returns a moment in this unit, or None if it is in the other one.

    as_of bounds the end of an event and therefore its start too. Bounding the start as well excludes vectors without
    a time: their end is -inf and would pass, but their start is inf.
    """
    since, until, as_of = number(scope.since), number(scope.until), number(scope.as_of)
    after, ended = -inf if since is None else since, inf if as_of is None else as_of
    return {
        f"after_{unit}": after,
        f"before_{unit}": ended if until is None else min(until, ended),
        f"ended_{unit}": ended,
    }


def _hits(rows: Sequence[Row]) -> list[tuple[int, float]]:
    return [(row["node_id"], row["cosine"]) for row in rows]
