"""A canonical digest of a group: equal graphs have equal digests, whatever order and ids they were written in."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from amr_neo4j.store.database import Database


@dataclass(frozen=True)
class Digest:
    """sha256 over clips and events with all that hangs on them, and what was merged into which.

    Left out: node ids and clocks, and the numbers of an embedding, which depend on what else a model was given
    with the text (that there is one, of which model and length, counts).
    """

    sha256: str
    clips: int
    events: int


def digest(database: Database, group_id: str) -> Digest:
    """The digest of a group, read as a stream: memory does not grow with the group."""
    whole = hashlib.sha256()
    counts: dict[str, int] = {}
    for name in ("clips", "events", "superseded"):
        counts[name] = 0
        for row in database.stream(f"digest/{name}", group_id=group_id):
            whole.update(_canonical(row))
            counts[name] += 1
    return Digest(whole.hexdigest(), counts["clips"], counts["events"])


def _canonical(row: dict[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"
