"""Re-embeds a group with another model: vectors are added beside those in use, then the group is switched."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from amr_neo4j.domain.episode import spoken_text
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.store.database import Database, Row

_PAGE = 500


def reembed(
    database: Database,
    group_id: str,
    embedder: Embedder,
    text_of: Callable[[str, tuple[str, ...]], str],
    *,
    now: Callable[[], datetime],
    progress: Callable[[int], None],
) -> int:
    """Embed the events, episodes and facts that the model lacks, then switch the group to it; returns their number.

    text_of: (summary, dialogue) of an event -> the text to embed. progress: called after each page
    with the count so far. If interrupted, the group keeps its model, and another run continues.
    """
    target = {"group_id": group_id, "model": embedder.model, "dim": embedder.dim}
    done = 0
    while True:
        rows = database.read("vectors/without_embedding", group_id=group_id, model=embedder.model, limit=_PAGE)
        if rows:
            vectors = embedder.embed([_text(row, text_of) for row in rows])
            owners = [{"kind": row["kind"], "owner": row["owner"]} for row in rows]
            data = [owner | {"data": vector.tobytes()} for owner, vector in zip(owners, vectors, strict=True)]
            database.write("vectors/add_embeddings", rows=data, now=now(), **target)
            done += len(rows)
            progress(done)
        elif not any(row["missing"] for row in database.write("vectors/switch_model", now=now(), **target)):
            return done


def _text(row: Row, text_of: Callable[[str, tuple[str, ...]], str]) -> str:
    if row["kind"] == "fact":
        return row["text"]
    if row["kind"] == "episode":
        return spoken_text(row["actor"], row["text"], row["shown"] or "")
    return text_of(row["text"], tuple(row["lines"]))
