"""Reads stored embeddings in order, for dense indexes, and makes them again with another model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from math import inf, nan
from typing import Literal

from amr_neo4j.domain.episode import embedded_text
from amr_neo4j.domain.ports import Embedder, StoredVector
from amr_neo4j.domain.recall import owner
from amr_neo4j.store.database import Database, Row, in_parts

_TIMES = ("time_start", "time_end", "clock_start", "created_at")


class VectorSource:
    """Reads embeddings in the order of their commits, so that a dense index can catch up."""

    def __init__(self, database: Database, kind: Literal["event", "episode", "fact"] = "event") -> None:
        """kind: which vectors to read.

        Vectors of episodes and facts belong to a user. They carry the user's key (`owner`) as group_id and the
        session as video_id, so that an index filters them like vectors of events.
        """
        self._database = database
        self._kind = kind

    def identity(self) -> str:
        """Return the id of the database. By it, the snapshot of another database is recognised."""
        return str(self._database.read("vectors/database_identity")[0]["id"])

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        """Return at most `limit` vectors of the model, in order, from this sequence number on."""
        if self._kind == "event":
            rows = self._database.read("vectors/event_vectors", model=model, seq=seq, limit=limit)
            return [_stored(row) for row in rows]
        name = "vectors/turn_vectors" if self._kind == "episode" else "vectors/fact_vectors"
        rows = self._database.read(name, model=model, seq=seq, limit=limit)
        return [_stored_turn(row) for row in rows]


def _stored_turn(row: Row) -> StoredVector:
    """Return the vector of a turn or fact. It has no duration and no seconds of a video, and is never superseded."""
    user = owner(_name(row["group_id"]), _name(row["user_id"]))
    return _stored(row | {"group_id": user, "time_start": 0.0, "time_end": 0.0, "superseded_at": None})


def _stored(row: Row) -> StoredVector:
    times = {name: _seconds(row[name]) for name in _TIMES}
    # An event that was never superseded gets inf, which is later than any known_at.
    superseded_at = inf if row["superseded_at"] is None else row["superseded_at"]
    return StoredVector(
        row["seq"],
        row["node_id"],
        _name(row["group_id"]),
        _name(row["video_id"]),
        row["data"] or b"",
        **times,
        superseded_at=superseded_at,
    )


def _seconds(value: object) -> float:
    """Return a time; nan if there is none, or if it has another type, set by hand."""
    return float(value) if isinstance(value, int | float) else nan


def _name(value: object) -> str:
    """Return a name. A value of another type, set by hand, becomes "", which no scope has, until it is repaired."""
    return value if isinstance(value, str) else ""


# Texts that are embedded and written at once.
_TEXTS_PER_COMMIT = 500


def reembed(
    database: Database,
    group_id: str,
    embedder: Embedder,
    text_of: Callable[[str, tuple[str, ...]], str],
    *,
    now: Callable[[], datetime],
    progress: Callable[[int], None],
    most: int | None = None,
) -> int:
    """Embed everything in a group with another model, then switch the group to it. Returns how many were embedded.

    most: stop after this many; the next run continues.

    Only events, episodes and facts without an embedding of this model are embedded. So if this is interrupted, the
    group keeps its old model, and the next run continues.
    text_of: (summary, dialogue) of an event -> the text to embed.
    progress: called after each page with the count so far.
    """
    target = {"group_id": group_id, "model": embedder.model, "dim": embedder.dim}
    done = 0
    while True:
        limit = _TEXTS_PER_COMMIT if most is None else min(_TEXTS_PER_COMMIT, most - done)
        if not limit:
            return done
        rows = database.read("vectors/without_embedding", group_id=group_id, model=embedder.model, limit=limit)
        if rows:
            vectors = embedder.embed([_text(row, text_of) for row in rows])
            owners = [{"kind": row["kind"], "owner": row["owner"]} for row in rows]
            data = [owner | {"data": vector.tobytes()} for owner, vector in zip(owners, vectors, strict=True)]
            add = partial(database.write, "vectors/add_embeddings", now=now(), **target)
            for _ in in_parts(data, lambda part, add=add: add(rows=part)):
                pass
            done += len(rows)
            progress(done)
        # switch_model refuses while anything lacks an embedding: something may have been written since the last read.
        elif not any(row["missing"] for row in database.write("vectors/switch_model", now=now(), **target)):
            return done


def without_embedding(database: Database, group_id: str, model: str) -> int:
    """Return how many texts of a group `reembed` would embed with another model."""
    [row] = database.read("vectors/count_without_embedding", group_id=group_id, model=model)
    return row["missing"]


def first_texts(database: Database, group_id: str, user_id: str, limit: int) -> list[str]:
    """Return the first turns of a user; of an empty user_id, the texts of the first events of the group."""
    if user_id:
        rows = database.read("vectors/first_turns", group_id=group_id, user_id=user_id, limit=limit)
    else:
        rows = database.read("vectors/first_events", group_id=group_id, limit=limit)
    return [row["text"] for row in rows]


def _text(row: Row, text_of: Callable[[str, tuple[str, ...]], str]) -> str:
    if row["kind"] == "fact":
        return row["text"]
    if row["kind"] == "episode":
        return embedded_text(row["actor"], row["text"], row["shown"] or "")
    return text_of(row["text"], tuple(row["lines"]))
