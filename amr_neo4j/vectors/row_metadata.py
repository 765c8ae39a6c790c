"""Whose vectors these are and of when, row by row, so that a search stays within its scope."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.domain.recall import Moment, Scope

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]

_COLUMNS = {
    "node_id": np.int64,
    "group": np.int32,
    "video": np.int32,
    "time_start": np.float64,
    "time_end": np.float64,
    "clock_start": np.float64,
    "clock_end": np.float64,
    "created_at": np.float64,
    "superseded_at": np.float64,
}
_NOBODY = -1


class RowMetadata:
    """A row for each vector, 0, 1, 2 ... as they were written; one that was dropped stays, in nobody's group.

    node_ids come from one counter, so that an array finds the row of each: 4 bytes for every id up to the highest.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._columns: dict[str, Column] = {name: np.empty(0, kind) for name, kind in _COLUMNS.items()}
        self._row_of = np.empty(0, np.int32)
        self._groups: dict[str, int] = {}
        # The rows of each group, also those that were dropped: who asks for few need not look through all.
        self._rows_of: defaultdict[int, array[int]] = defaultdict(lambda: array("q"))
        self._videos: dict[str, int] = {}

    def __len__(self) -> int:
        """Rows that are somebody's."""
        return int(np.count_nonzero(self._column("group") != _NOBODY))

    def append(self, vectors: Sequence[StoredVector]) -> None:
        """A row for each, none of which may be there."""
        columns = {
            "node_id": [vector.node_id for vector in vectors],
            "group": [self._groups.setdefault(vector.group_id, len(self._groups)) for vector in vectors],
            "video": [self._videos.setdefault(vector.video_id, len(self._videos)) for vector in vectors],
            "time_start": [vector.time_start for vector in vectors],
            "time_end": [vector.time_end for vector in vectors],
            "clock_start": [vector.clock_start for vector in vectors],
            "clock_end": [vector.clock_start + vector.time_end - vector.time_start for vector in vectors],
            "created_at": [vector.created_at for vector in vectors],
            "superseded_at": [vector.superseded_at for vector in vectors],
        }
        self._extend({name: np.asarray(columns[name], kind) for name, kind in _COLUMNS.items()})

    def drop(self, rows: Ids) -> None:
        """Forget whose they are."""
        self._row_of[self._column("node_id")[rows]] = _NOBODY
        self._column("group")[rows] = _NOBODY

    def rows(self, node_ids: Ids) -> Ids:
        """The row of each, -1 where there is none."""
        known = (node_ids >= 0) & (node_ids < len(self._row_of))
        rows = np.full(len(node_ids), _NOBODY, np.int64)
        rows[known] = self._row_of[node_ids[known]]
        return rows

    def count_of(self, group_id: str) -> int:
        """How many rows a group has, and had."""
        return len(self._rows_of[self._groups[group_id]]) if group_id in self._groups else 0

    def rows_within(self, scope: Scope) -> Ids:
        """The rows of a scope, ascending: for a group with few rows far quicker than `within`."""
        rows = np.array(self._rows_of[self._groups[scope.group_id]], np.int64)
        return rows[self._inside(scope, rows)]

    def node_ids(self, rows: Ids) -> Ids:
        """The other way round."""
        return self._column("node_id")[rows]

    def owned(self) -> Ids:
        """The rows that are somebody's, ascending."""
        return np.flatnonzero(self._column("group") != _NOBODY)

    def within(self, scope: Scope, among: Sequence[int] | None = None) -> Mask:
        """Which rows are in a scope. among: node_ids; no others than these."""
        if among is None:
            return self._inside(scope, slice(None))
        rows = self.rows(np.asarray(among, np.int64))
        rows = rows[rows >= 0]
        within = np.zeros(self._rows, np.bool_)
        within[rows] = self._inside(scope, rows)
        return within

    def kept(self, rows: Ids) -> RowMetadata:
        """A roster of these rows alone, in their order."""
        return RowMetadata.loaded(self.arrays(rows))

    def arrays(self, rows: Ids) -> dict[str, Column]:
        """These rows as arrays by name."""
        names = {"groups": _as_bytes(self._groups), "videos": _as_bytes(self._videos)}
        return {name: self._column(name)[rows] for name in _COLUMNS} | names

    @classmethod
    def loaded(cls, arrays: Mapping[str, Column]) -> RowMetadata:
        """What `arrays` gave."""
        roster = cls()
        roster._groups, roster._videos = _as_names(arrays["groups"]), _as_names(arrays["videos"])
        roster._extend({name: arrays[name] for name in _COLUMNS})
        return roster

    def _inside(self, scope: Scope, rows: slice | Ids) -> Mask:
        group = self._groups.get(scope.group_id, len(self._groups))
        inside = self._column("group")[rows] == group
        if scope.video_ids:
            videos = [self._videos[video] for video in scope.video_ids if video in self._videos]
            inside &= np.isin(self._column("video")[rows], np.asarray(videos, np.int32))
        if scope.since is not None:
            inside &= self._moments("end", scope.since)[rows] >= _seconds(scope.since)
        if scope.until is not None:
            inside &= self._moments("start", scope.until)[rows] <= _seconds(scope.until)
        if scope.as_of is not None:
            inside &= self._moments("end", scope.as_of)[rows] <= _seconds(scope.as_of)
        known_at = scope.known_at.timestamp() if scope.known_at else None
        if known_at is not None:
            inside &= self._column("created_at")[rows] <= known_at
        superseded_at = self._column("superseded_at")[rows]
        return inside & (superseded_at == inf if known_at is None else superseded_at > known_at)

    def _moments(self, of: str, like: Moment) -> Column:
        """Starts or ends by wall clock or by the video; nan, which is on no side of anything, where unknown."""
        return self._column(f"clock_{of}" if isinstance(like, datetime) else f"time_{of}")

    def _column(self, name: str) -> Column:
        return self._columns[name][: self._rows]

    def _extend(self, columns: Mapping[str, Column]) -> None:
        first, self._rows = self._rows, self._rows + len(columns["node_id"])
        for name, values in columns.items():
            self._columns[name] = _room(self._columns[name], self._rows)
            self._columns[name][first : self._rows] = values
        in_turn = np.argsort(columns["group"], kind="stable")
        groups, begins = np.unique(columns["group"][in_turn], return_index=True)
        for group, rows in zip(groups.tolist(), np.split(first + in_turn, begins[1:]), strict=False):
            self._rows_of[group].extend(rows.tolist())
        self._row_of = _room(self._row_of, 1 + int(columns["node_id"].max(initial=-1)))
        self._row_of[columns["node_id"]] = np.arange(first, self._rows)


def _room(column: Column, size: int) -> Column:
    """The column with room for so many; it doubles, so that appending costs the same however long it is."""
    if size <= len(column):
        return column
    wider = np.full(max(size, 2 * len(column)), _NOBODY, column.dtype)
    wider[: len(column)] = column
    return wider


def _seconds(moment: Moment) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else moment


def _as_bytes(names: Mapping[str, int]) -> Column:
    """Names in the order of their numbers. Numpy's own strings are as wide as the longest, and lose a last NUL."""
    return np.frombuffer(json.dumps(list(names)).encode(), np.uint8)


def _as_names(names: Column) -> dict[str, int]:
    return {name: number for number, name in enumerate(json.loads(names.tobytes()))}
