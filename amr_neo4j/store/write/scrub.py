"""Overwrites on disk what was deleted from the graph. Neo4j frees the place of deleted data and leaves the bytes."""

from __future__ import annotations

import time
from typing import Literal

from amr_neo4j.store import schema
from amr_neo4j.store.database import Database

# Lucene keeps deleted documents in their segments until it merges them.
_INDEXES = {
    "episode": ("episode_text", "plain_episode_text", "fact_text"),
    "event": ("event_text", "plain_text", "superseded_text", "plain_superseded_text"),
}
# Neo4j gives freed places out again after about a second.
_FREED_AFTER_S = 2.0
# 8 MB a round: more than one log of the local database (16 MB) in all, so that it begins another.
_ROUNDS, _NODES, _TEXT, _SHORT_TEXT = 3, 2000, "x" * 4000, "x" * 20


def scrub(database: Database, *kinds: Literal["episode", "event"]) -> None:
    """Make the full-text indexes of turns or events again and overwrite freed places in the store, with 24 MB.

    The transaction logs are the server's own: the local database removes a full one at its next checkpoint, at the
    latest when it stops.
    """
    for name in (name for kind in kinds for name in _INDEXES[kind]):
        database.write("schema/drop_index", name=name)
    schema.restore(database)
    for _ in range(_ROUNDS):
        time.sleep(_FREED_AFTER_S)
        [row] = database.write("scrub/fill", nodes=_NODES, text=_TEXT, short_text=_SHORT_TEXT)
        database.write("scrub/clear", ids=row["ids"])
