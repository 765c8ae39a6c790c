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
    """A sha256 over a group's clips, events and facts, with people, objects, edges and merges.

    These are left out: the name of the group, node ids, times of writing, and what only Neo4j Browser displays
    (Event.title, Person.name, Object.words). Only the model and the length of an embedding count, because its numbers
    depend on the batch it was computed in. Embeddings by former models of the group do not count. Scenes are left out
    too: they follow from the events, and where one is cut may depend on the last bits of those numbers.
    """

    sha256: str
    clips: int
    events: int
    facts: int = 0


def digest(database: Database, group_id: str) -> Digest:
    """Return the digest of a group, read as a stream: memory does not grow with the group."""
    total = hashlib.sha256()
    counts: dict[str, int] = {}
    # Each statement returns its rows in an order that depends neither on ids nor on the order of writes.
    for name in ("clips", "events", "superseded", "facts"):
        counts[name] = 0
        for row in database.stream(f"digest/{name}", group_id=group_id):
            total.update(_canonical(_without_group(row, group_id) if name == "events" else row))
            counts[name] += 1
    return Digest(total.hexdigest(), counts["clips"], counts["events"], counts["facts"])


class _Involved(NamedTuple):
    """The columns of an INVOLVES relationship in digest/events, in their order."""

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


# Index of the chain key in the lists that digest/events returns for a USES and for an edge between events.
_KEY_OF_USE, _KEY_OF_EDGE = 11, 1


def _without_group(row: Row, group_id: str) -> Row:
    """Return an event's row without anything that depends on the name of its group.

    scope_text holds hashes of that name, so only whether it is as expected goes into the digest.
    """
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
    """Remove the group from the keys of a part. `seen` and `heard` begin with the key of the chain."""
    key, seen, heard = (_local(text, part.key, prefix) for text in (part.key, part.seen, part.heard))
    return part._replace(key=key, seen=seen, heard=heard)


def _with_local(part: list[Any], place: int, prefix: str) -> list[Any]:
    return [*part[:place], _local(part[place], part[place], prefix), *part[place + 1 :]]


def _local(text: str | None, key: str | None, prefix: str) -> str | None:
    """Return a text that begins with a chain key, without the group at its start.

    A long key is cut and ends in "#" and a hash, in which the group cannot be separated. "#" stands for all of these.
    """
    if text is None:
        return None
    return "#" if "#" in (key or "") else text.removeprefix(prefix)


def _canonical(row: Row) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False).encode() + b"\n"
