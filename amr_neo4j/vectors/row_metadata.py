"""Keeps the group, video and times of each vector, to limit a search to a scope."""

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
_NONE = -1


class RowMetadata:
    """One row per vector, numbered 0, 1, 2 ... in the order of writing. A dropped row stays, but has no group."""

    def __init__(self) -> None:
        self._rows = 0
        self._columns: dict[str, Column] = {name: np.empty(0, kind) for name, kind in _COLUMNS.items()}
        self._row_of = RowsById()
        self._groups: dict[str, int] = {}
        # The rows of each group, including dropped ones, so that a small group needs no full scan.
        self._rows_of: defaultdict[int, array[int]] = defaultdict(lambda: array("q"))
        self._videos: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of rows that are not dropped."""
        return int(np.count_nonzero(self._column("group") != _NONE))

    def append(self, vectors: Sequence[StoredVector]) -> None:
        """Append a row per vector. Their node_ids must be new, or those of dropped rows."""
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
        """Mark rows as dropped."""
        self._row_of.set(self._column("node_id")[rows], NO_ROW)
        self._column("group")[rows] = _NONE

    def rows(self, node_ids: Ids) -> Ids:
        """Return the row of each node_id; -1 for one without a row."""
        return self._row_of.get(node_ids)

    def count_of(self, group_id: str) -> int:
        """Return the number of rows of a group, including dropped ones."""
        return len(self._rows_of[self._groups[group_id]]) if group_id in self._groups else 0

    def rows_within(self, scope: Scope) -> Ids:
        """Return the rows of a scope, ascending. Much faster than `within` for a small group."""
        rows = np.array(self._rows_of[self._groups[scope.group_id]], np.int64)
        return rows[self._inside(scope, rows)]

    def node_ids(self, rows: Ids) -> Ids:
        """Return the node_id of each row."""
        return self._column("node_id")[rows]

    def owned(self) -> Ids:
        """Return the rows that are not dropped, ascending."""
        return np.flatnonzero(self._column("group") != _NONE)

    def within(self, scope: Scope, among: Sequence[int] | None = None) -> Mask:
        """Return a mask of the rows in a scope. among: only rows of these node_ids."""
        if among is None:
            return self._inside(scope, slice(None))
        rows = self.rows(np.asarray(among, np.int64))
        rows = rows[rows >= 0]
        within = np.zeros(self._rows, np.bool_)
        within[rows] = self._inside(scope, rows)
        return within

    def kept(self, rows: Ids) -> RowMetadata:
        """Return the metadata of only these rows, in the given order."""
        return RowMetadata.loaded(self.arrays(rows))

    def arrays(self, rows: Ids) -> dict[str, Column]:
        """Return these rows as named arrays for `loaded`."""
        names = {"groups": _as_bytes(self._groups), "videos": _as_bytes(self._videos)}
        return {name: self._column(name)[rows] for name in _COLUMNS} | names

    @classmethod
    def loaded(cls, arrays: Mapping[str, Column]) -> RowMetadata:
        """Return metadata made of what `arrays` returned."""
        metadata = cls()
        metadata._groups, metadata._videos = _as_names(arrays["groups"]), _as_names(arrays["videos"])
        metadata._extend({name: arrays[name] for name in _COLUMNS})
        return metadata

    def _inside(self, scope: Scope, rows: slice | Ids) -> Mask:
        # An unknown group gets a number that no row has.
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
        if scope.ranges:
            starts, ends = np.transpose(scope.epoch_ranges)
            # The first range that has not ended when an event begins. An event without a clock is NaN, which no
            # range holds.
            place = np.minimum(np.searchsorted(ends, self._column("clock_start")[rows]), len(ends) - 1)
            inside &= (self._column("clock_start")[rows] <= ends[place]) & (
                self._column("clock_end")[rows] >= starts[place]
            )
        known_at = scope.known_at.timestamp() if scope.known_at else None
        if known_at is not None:
            inside &= self._column("created_at")[rows] <= known_at
        superseded_at = self._column("superseded_at")[rows]
        # Today's events are those that nothing superseded. At an earlier time, those that were not superseded yet.
        return inside & (superseded_at == inf if known_at is None else superseded_at > known_at)

    def _moments(self, which: str, like: Moment) -> Column:
        """Return all starts, or all ends, on the clock of `like`: the wall clock, or seconds of the video.

        An unknown moment is NaN, which lies within no time range.
        """
        return self._column(f"clock_{which}" if isinstance(like, datetime) else f"time_{which}")

    def _column(self, name: str) -> Column:
        return self._columns[name][: self._rows]

    def _extend(self, columns: Mapping[str, Column]) -> None:
        first, self._rows = self._rows, self._rows + len(columns["node_id"])
        for name, values in columns.items():
            self._columns[name] = _grown(self._columns[name], self._rows)
            self._columns[name][first : self._rows] = values
        by_group = np.argsort(columns["group"], kind="stable")
        groups, begins = np.unique(columns["group"][by_group], return_index=True)
        for group, rows in zip(groups.tolist(), np.split(first + by_group, begins[1:]), strict=False):
            self._rows_of[group].extend(rows.tolist())
        self._row_of.set(columns["node_id"], np.arange(first, self._rows))


def _grown(column: Column, size: int) -> Column:
    """Return the column with room for `size` values. It at least doubles, so that many small appends stay cheap."""
    if size <= len(column):
        return column
    wider = np.full(max(size, 2 * len(column)), _NONE, column.dtype)
    wider[: len(column)] = column
    return wider


def _seconds(moment: Moment) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else moment


def _as_bytes(names: Mapping[str, int]) -> Column:
    """Return the names as JSON, in the order of their numbers. Numpy's own strings would lose a trailing NUL."""
    return np.frombuffer(json.dumps(list(names)).encode(), np.uint8)


def _as_names(names: Column) -> dict[str, int]:
    return {name: number for number, name in enumerate(json.loads(names.tobytes()))}


Ids = npt.NDArray[np.int64]

NO_ROW = -1
# Consecutive ids share a page. An id on its own costs a page of 1 KiB, less than its vector.
_BITS = 8
_SIZE = 1 << _BITS


class RowsById:
    """{id: row}, kept in pages of 256 ids. Memory grows with the number of ids, not with the highest one."""

    def __init__(self) -> None:
        self._page_of: dict[int, int] = {}
        self._pages = np.empty((0, _SIZE), np.int32)

    def get(self, ids: Ids) -> Ids:
        """Return the row of each id; -1 for one without a row."""
        rows = np.full(len(ids), NO_ROW, np.int64)
        pages = self._pages_of(ids)
        known = pages >= 0
        rows[known] = self._pages[pages[known], ids[known] & (_SIZE - 1)]
        return rows

    def set(self, ids: Ids, rows: Ids | int) -> None:
        """Set the row of each id."""
        for number in np.unique(ids >> _BITS).tolist():
            self._page_of.setdefault(number, len(self._page_of))
        if (needed := len(self._page_of)) > len(self._pages):
            wider = np.full((max(needed, 2 * len(self._pages)), _SIZE), NO_ROW, np.int32)
            wider[: len(self._pages)] = self._pages
            self._pages = wider
        self._pages[self._pages_of(ids), ids & (_SIZE - 1)] = rows

    def _pages_of(self, ids: Ids) -> Ids:
        """Return the index of each id's page; -1 for one without a page."""
        # One look-up in Python per page instead of one per id.
        numbers, which = np.unique(ids >> _BITS, return_inverse=True)
        places = [self._page_of.get(number, NO_ROW) for number in numbers.tolist()]
        return np.asarray(places, np.int64)[which]
