"""The table of recall.yaml."""

from __future__ import annotations

from functools import cache

from amr_neo4j import tables
from amr_neo4j.tables import Weight


class RecallTable(tables.Table):
    """recall.yaml, which explains its keys."""

    similarity: Weight
    confidence: Weight
    recency: Weight
    decay_per_day: Weight
    candidates: int
    active_confidence: Weight
    passive_confidence: Weight
    episode_confidence: Weight
    cluster: Weight
    falls_off: Weight
    by_words: Weight
    worded: Weight
    beside_complete: Weight
    brief_words: int
    least: int
    most: int


@cache
def recall_table() -> RecallTable:
    """The shipped table."""
    return tables.load(__package__ or "", "recall.yaml", RecallTable)
