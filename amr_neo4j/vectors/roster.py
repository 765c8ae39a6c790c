"""Who owns which vector: node ids with their group and video, so that a search stays within its scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.domain.recall import Scope

Ids = npt.NDArray[np.int64]


class Roster:
    """Node ids by group and video."""

    def __init__(self) -> None:
        self._owner: dict[int, tuple[str, str]] = {}
        self._by_video: dict[tuple[str, str], set[int]] = {}

    def __len__(self) -> int:
        return len(self._owner)

    def __contains__(self, node_id: int) -> bool:
        return node_id in self._owner

    def put(self, vectors: Iterable[StoredVector]) -> None:
        """Remember whose they are."""
        for vector in vectors:
            key = (vector.group_id, vector.video_id)
            self._owner[vector.node_id] = key
            self._by_video.setdefault(key, set()).add(vector.node_id)

    def drop(self, node_ids: Iterable[int]) -> None:
        """Forget vectors that are there."""
        for node_id in node_ids:
            self._by_video[self._owner.pop(node_id)].discard(node_id)

    def within(self, scope: Scope) -> Ids:
        """The node ids of a scope, ascending."""
        wanted = set(scope.video_ids)
        found = [
            ids
            for (group, video), ids in self._by_video.items()
            if group == scope.group_id and (not wanted or video in wanted)
        ]
        return np.fromiter(sorted(set[int]().union(*found)), dtype=np.int64)

    def rows(self) -> tuple[Ids, Sequence[str], Sequence[str]]:
        """(ids, groups, videos), aligned; what a snapshot keeps."""
        ids = sorted(self._owner)
        return np.asarray(ids, np.int64), [self._owner[i][0] for i in ids], [self._owner[i][1] for i in ids]
