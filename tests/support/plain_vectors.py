"""Embeddings as the graph keeps them, in a list; and the search over them that needs no index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import nan

import numpy as np

from amr_neo4j.domain.ports import StoredVector, Vectors
from amr_neo4j.domain.recall import Moment, Scope


def unit(values: Sequence[float]) -> Vectors:
    vector = np.asarray(values, np.float32)
    return vector / np.linalg.norm(vector)


class PlainVectors:
    """A VectorSource: one row per event, each write at the end of the sequence."""

    def __init__(self) -> None:
        self._rows: dict[int, StoredVector] = {}
        self._next_seq = 0

    def __len__(self) -> int:
        return sum(bool(row.data) for row in self._rows.values())

    def write(
        self,
        node_id: int,
        group_id: str,
        video_id: str,
        vector: Vectors,
        *,
        times: tuple[float, float] = (0.0, 1.0),
        clock_start: float = nan,
        created_at: float = 0.0,
    ) -> None:
        when = (*times, clock_start, created_at)
        self._put(StoredVector(self._next_seq, node_id, group_id, video_id, vector.tobytes(), *when))

    def forget(self, node_id: int) -> None:
        if node_id in self._rows:
            self._put(StoredVector(self._next_seq, node_id, self._rows[node_id].group_id, "", b""))

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        rows = sorted((row for row in self._rows.values() if row.seq >= seq), key=lambda row: row.seq)
        return rows[:limit]

    def cosines(self, query: Vectors, scope: Scope | None = None) -> dict[int, float]:
        rows = [row for row in self._rows.values() if row.data and (scope is None or _within(row, scope))]
        return {row.node_id: float(np.frombuffer(row.data, np.float32) @ query) for row in rows}

    def nearest(
        self, query: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        hits = [hit for hit in self.cosines(query, scope).items() if among is None or hit[0] in among]
        return sorted(hits, key=lambda hit: -hit[1])[:k]

    def _put(self, row: StoredVector) -> None:
        self._rows[row.node_id] = row
        self._next_seq += 1


def _within(row: StoredVector, scope: Scope) -> bool:
    return (
        row.group_id == scope.group_id
        and (not scope.video_ids or row.video_id in scope.video_ids)
        and (scope.since is None or _end(row, scope.since) >= _seconds(scope.since))
        and (scope.until is None or _start(row, scope.until) <= _seconds(scope.until))
        and (scope.as_of is None or _end(row, scope.as_of) <= _seconds(scope.as_of))
        and (not scope.ranges or any(_meets(row, *each) for each in scope.ranges))
        and (scope.known_at is None or row.created_at <= scope.known_at.timestamp())
    )


def _meets(row: StoredVector, since: datetime, until: datetime) -> bool:
    return _start(row, until) <= _seconds(until) and _end(row, since) >= _seconds(since)


def _start(row: StoredVector, moment: Moment) -> float:
    return row.clock_start if isinstance(moment, datetime) else row.time_start


def _end(row: StoredVector, moment: Moment) -> float:
    return _start(row, moment) + row.time_end - row.time_start


def _seconds(moment: Moment) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else moment
