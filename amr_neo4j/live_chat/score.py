"""The table of scores of hints."""

from __future__ import annotations

from math import log2
from typing import NamedTuple

from amr_neo4j import tables
from amr_neo4j.tables import Weight


class Quote(NamedTuple):
    """When a turn of similar meaning is quoted. score.yaml explains the numbers.

    per_doubling: by how much `least` is more, each time there are twice as many turns as `few`.
    """

    relevant: float
    relevant_in_spite: float

    words: float
    kind: float
    least: float
    few: int
    per_doubling: float

    def least_of(self, turns: int) -> float:
        """Return the least score that the best of this many turns must have."""
        return self.least + self.per_doubling * max(0.0, log2(max(1, turns) / self.few))


class ScoreTable(tables.Table):
    """score.yaml."""

    same_session_boost: Weight
    same_hour_boost: Weight
    few: int
    baseline: Weight
    quantile: Weight
    second_margin: Weight
    reinforcement: Weight
    quote: Quote


score_table = tables.shipped("amr_neo4j.live_chat", "score.yaml", ScoreTable)
"""Returns the shipped table, read once."""
