"""A canonical digest of a group: equal graphs have equal digests, whatever the order of writes and the node ids."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class _Involved(NamedTuple):
    """An INVOLVES as digest/events lists it."""

    scope: str
    person_id: str
    role: str
    key: str | None
    position: str
    stated_scope: str
    stated_id: str
    seen: str | None
    heard: str | None
    evidence: str | None
    confidence: str | None


_KEY_OF_USE, _KEY_OF_EDGE = 11, 1


def _without_group(row: Row, group_id: str) -> Row:
    """The row of an event with nothing that depends on the name of its group."""
    prefix = chain_key(group_id, "")
    involves = [_Involved(*part) for part in row["involves"]]
    people = {(part.scope, part.person_id) for part in involves}
    expected = scope_text(Video(group_id, row["video_id"], place=row["place"]), people)
    return row | {
        "scope_text": row["scope_text"] == expected,
        "involves": [_local_part(part, prefix) for part in involves],
        "uses": [_with_local(use, _KEY_OF_USE, prefix) for use in row["uses"]],
        "edges": [_with_local(edge, _KEY_OF_EDGE, prefix) for edge in row["edges"]],
    }


def _local_part(part: _Involved, prefix: str) -> _Involved:
    """With keys that do not name the group; `seen` and `heard` begin with the key of the chain."""
    key, seen, heard = (_local(text, part.key, prefix) for text in (part.key, part.seen, part.heard))
    return part._replace(key=key, seen=seen, heard=heard)


def _with_local(part: list[Any], place: int, prefix: str) -> list[Any]:
    return [*part[:place], _local(part[place], part[place], prefix), *part[place + 1 :]]


def _local(text: str | None, key: str | None, prefix: str) -> str | None:
    """What follows the group in a text that begins with the key of a chain.

    A long key ends in a hash of the group too, so only its presence counts.
    """
    if text is None:
        return None
    return "#" if "#" in (key or "") else text.removeprefix(prefix)


def _canonical(row: Row) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"
