"""Adapts dense indexes to turns and facts, which are searched for one user at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from amr_neo4j.domain.ports import VectorIndex, Vectors
from amr_neo4j.domain.recall import Scope, owner


@dataclass(frozen=True)
class TurnIndex:
    """A DenseIndex over an index of vector_ids. In that index each user is a group, and each session a video.

    id_of: turns a vector_id into the id that callers use, and back, such as `said_id` for turns.
    """

    index: VectorIndex
    id_of: Callable[[int], int]

    def catch_up(self) -> int:
        """Read what was written to the graph since the last call. Returns the number of changed vectors."""
        return self.index.catch_up()

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (node_id, cosine) of the nearest vectors of the scope's user, best first."""
        ids = None if among is None else [self.id_of(node_id) for node_id in among]
        # The index knows only groups and videos, which here stand for users and sessions. So no user ever finds the
        # turns of another one (decision 0053).
        inside = replace(
            scope, group_id=owner(scope.group_id, scope.user_id), video_ids=scope.session_ids, session_ids=()
        )
        return [(self.id_of(vector_id), cosine) for vector_id, cosine in self.index.search(vector, k, inside, ids)]

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return cosines, shape (len(vectors), len(node_ids)); NaN for an id without a vector."""
        return self.index.similarities(vectors, [self.id_of(node_id) for node_id in node_ids])

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return {node_id: its vector, shape (dim,)} for the ids that have one."""
        found = self.index.vectors([self.id_of(node_id) for node_id in node_ids])
        return {self.id_of(vector_id): vector for vector_id, vector in found.items()}
