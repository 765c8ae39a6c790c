"""A canonical digest of a group: equal graphs have equal digests, whatever the order of writes and the node ids."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import chain_key


@dataclass(frozen=True)
class Digest:
    """sha256 over a group's clips and events with their people, objects, edges and merges, and over its facts.

    Left out: the group's name, node ids, clocks, what only Neo4j Browser displays (Event.title, Person.name,
    Object.words), and the numbers of an embedding, which depend on the batch it was computed in (its model and length
    count).
    """

    sha256: str
    clips: int
    events: int
    facts: int = 0


def digest(database: Database, group_id: str) -> Digest:
    """Returns the digest of a group, read as a stream: memory does not grow with the group."""
    total = hashlib.sha256()
    counts: dict[str, int] = {}
    for name in ("clips", "events", "superseded", "facts"):
        counts[name] = 0
        for row in database.stream(f"digest/{name}", group_id=group_id):
            total.update(_canonical(_without_group(row, group_id) if name == "events" else row))
            counts[name] += 1
    return Digest(total.hexdigest(), counts["clips"], counts["events"], counts["facts"])


def _without_group(row: Row, group_id: str) -> Row:
    """The row of an event with nothing that depends on the name of its group."""
    prefix = chain_key(group_id, "")
    involves, uses, edges = row["involves"], row["uses"], row["edges"]
    people = {(scope, person_id) for scope, person_id, *_ in involves}
    expected = scope_text(Video(group_id, row["video_id"], place=row["place"]), people)
    return row | {
        "scope_text": row["scope_text"] == expected,
        "involves": [_local(part, prefix, 3, 7, 8) for part in involves],
        "uses": [_local(part, prefix, 11) for part in uses],
        "edges": [_local(part, prefix, 1) for part in edges],
    }


def _local(part: list[Any], prefix: str, key: int, *others: int) -> list[Any]:
    """The part with keys of chains cut to what follows the group. Others begin with the key.

    A long key ends in a hash of the group too, so only its presence counts.
    """
    is_hashed = "#" in (part[key] or "")
    cut = {at: "#" if is_hashed else part[at].removeprefix(prefix) for at in (key, *others) if part[at] is not None}
    return [cut.get(at, value) for at, value in enumerate(part)]


def _canonical(row: Row) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"
