"""The dense index of turns or of facts, of one user at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from amr_neo4j.domain.ports import VectorIndex, Vectors
from amr_neo4j.domain.recall import Scope, owner


@dataclass(frozen=True)
class TurnIndex:
    """A DenseIndex over an index of vector_ids, whose groups are users and whose videos are sessions.

    id_of: the id outside of a vector_id, and its own inverse: said_id for turns.
    """

    index: VectorIndex
    id_of: Callable[[int], int]

    def catch_up(self) -> int:
        """Read what was written to the graph since; returns the number of changed vectors."""
        return self.index.catch_up()

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Returns (node_id, cosine) of the nearest of the scope's user, best first."""
        ids = None if among is None else [self.id_of(node_id) for node_id in among]
        inside = replace(
            scope, group_id=owner(scope.group_id, scope.user_id), video_ids=scope.session_ids, session_ids=()
        )
        return [(self.id_of(vector_id), cosine) for vector_id, cosine in self.index.search(vector, k, inside, ids)]

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Returns the cosine of each to each of `vectors`, (n, dim): (n, node_ids); NaN: it has no vector."""
        return self.index.similarities(vectors, [self.id_of(node_id) for node_id in node_ids])

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Returns the vector, shape (dim,), of each that has one."""
        found = self.index.vectors([self.id_of(node_id) for node_id in node_ids])
        return {self.id_of(vector_id): vector for vector_id, vector in found.items()}
