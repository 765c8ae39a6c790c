"""A canonical digest of a group: equal graphs have equal digests, whatever the order of writes and the node ids."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from amr_neo4j.store.database import Database


@dataclass(frozen=True)
class Digest:
    """sha256 over a group's clips and events with their people, objects, edges and merges.

    Left out: node ids, clocks, what only Neo4j Browser displays (Event.title, Person.name, Object.words), and the
    numbers of an embedding, which depend on the batch it was computed in (its model and length count).
    """

    sha256: str
    clips: int
    events: int


def digest(database: Database, group_id: str) -> Digest:
    """Returns the digest of a group, read as a stream: memory does not grow with the group."""
    total = hashlib.sha256()
    counts: dict[str, int] = {}
    for name in ("clips", "events", "superseded"):
        counts[name] = 0
        for row in database.stream(f"digest/{name}", group_id=group_id):
            total.update(_canonical(row))
            counts[name] += 1
    return Digest(total.hexdigest(), counts["clips"], counts["events"])


def _canonical(row: dict[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"
