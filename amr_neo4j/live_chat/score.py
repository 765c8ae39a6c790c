"""The table of scores of hints."""

from __future__ import annotations

from math import log, log2
from typing import NamedTuple

from amr_neo4j import tables
from amr_neo4j.tables import Weight


class Quote(NamedTuple):
    """When a turn is quoted. score.yaml explains the numbers."""

    helps: float
    likeness: float
    relevant: float
    relevant_in_spite: float
    words: float
    kind: float
    least: float
    few: int
    per_doubling: float

    def is_like(self, likeness: float, relevance: float | None, turns: int) -> bool:
        """Return whether the best of this many turns is quoted. relevance: None if no network has judged it."""
        likeness -= self.per_doubling * max(0.0, log2(max(1, turns) / self.few))
        if relevance is None:
            return likeness >= self.least
        return relevance >= 1 or (
            relevance > 0 and log(relevance / (1 - relevance)) + self.likeness * likeness >= self.helps
        )


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
