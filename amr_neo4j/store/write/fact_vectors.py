"""The facts that wait for an embedding: a queue that is the graph itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from amr_neo4j.domain.fact import EmbeddingState, WaitingFact
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.errors import EmbedderMismatch
from amr_neo4j.store.database import Database

_SHOWN = 20


class FactQueue:
    """The queue of one group. Moments are seconds since 1970."""

    def __init__(self, database: Database, group_id: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._group_id = group_id
        self._now = now

    def due(self, now: float, limit: int) -> list[WaitingFact]:
        """At most `limit` facts that may be tried by now, those that wait longest first."""
        rows = self._database.read("facts/embed_due", group_id=self._group_id, now=now, limit=limit)
        return [WaitingFact(row["user_id"], row["fact_id"], row["text"], row["attempts"]) for row in rows]

    def next_at(self) -> float | None:
        """When the next fact may be tried; None where none waits."""
        [row] = self._database.read("facts/embed_next", group_id=self._group_id)
        return row["at"]

    def state(self) -> EmbeddingState:
        """How many wait and how many were given up, with some reasons."""
        [row] = self._database.read("facts/embed_state", group_id=self._group_id, limit=_SHOWN)
        reasons = tuple((user, text, why) for user, text, why in row["reasons"])
        return EmbeddingState(row["waiting"], row["failed"], reasons)

    def commit(self, facts: Sequence[WaitingFact], vectors: Vectors, model: str) -> None:
        """Write their embeddings, shape (len(facts), dim). Raises EmbedderMismatch."""
        rows = [_row(fact) | {"data": vector.tobytes()} for fact, vector in zip(facts, vectors, strict=True)]
        dim = int(vectors.shape[1])
        whose = {"group_id": self._group_id, "model": model, "dim": dim}
        [row] = self._database.write("facts/embed_commit", **whose, rows=rows, now=self._now())
        if not row["fits"]:
            raise EmbedderMismatch(
                f"group {self._group_id} is embedded by {row['model']} ({row['dim']} dimensions), "
                f"the settings ask for {model} ({dim})",
                hint="set embedder back, or run: amr index reembed",
            )

    def postpone(self, facts: Sequence[WaitingFact], attempts: int, after: float | None, error: str) -> None:
        """Have them tried again from `after` on, or give them up where that is None."""
        self._database.write(
            "facts/embed_postpone",
            group_id=self._group_id,
            rows=[_row(fact) for fact in facts],
            attempts=attempts,
            after=after,
            error=error if after is None else None,
        )

    def queue_missing(self) -> int:
        """Queue facts that have no embedding and do not wait; returns their number."""
        return self._database.write("facts/embed_missing", group_id=self._group_id)[0]["facts"]

    def retry(self) -> int:
        """Queue facts again that were given up; returns their number."""
        return self._database.write("facts/embed_again", group_id=self._group_id)[0]["facts"]


def _row(fact: WaitingFact) -> dict[str, object]:
    return {"user_id": fact.user_id, "fact_id": fact.fact_id, "text": fact.text}
