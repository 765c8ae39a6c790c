"""Counts of what replies in live conversations make of a user's memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from amr_neo4j.store.database import Database


def count_use(database: Database, group_id: str, user_id: str, counts: Mapping[str, int], now: datetime) -> None:
    """Add to the counts of a user; nothing for one without turns. counts: by name, all of turn_reader/metrics.USE."""
    database.write("facts/count_use", group_id=group_id, user_id=user_id, counts=dict(counts), now=now)
