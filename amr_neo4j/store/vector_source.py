"""The graph as a dense index sees it."""

from __future__ import annotations

from math import nan

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.store.database import Database, Row

_TIMES = ("time_start", "time_end", "clock_start", "created_at")


class VectorSource:
    """Reads embeddings in the order they were committed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def identity(self) -> str:
        """What tells this database from every other, also from one that took its place."""
        return str(self._database.read("vectors/database_identity")[0]["id"])

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        """At most `limit` vectors of this model, from this sequence number on."""
        rows = self._database.read("vectors/vectors_from", model=model, seq=seq, limit=limit)
        return [_stored(row) for row in rows]


def _stored(row: Row) -> StoredVector:
    times = {name: nan if row[name] is None else row[name] for name in _TIMES}
    return StoredVector(
        row["seq"], row["node_id"], row["group_id"], row["video_id"] or "", row["data"] or b"", **times
    )
