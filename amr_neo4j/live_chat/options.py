"""What can be set of the hot path (specification 001 5), and its table of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from amr_neo4j import tables
from amr_neo4j.tables import Weight


class Weights(NamedTuple):
    """Of the parts of a score."""

    priority: float = 0.4
    recency: float = 0.2
    overlap: float = 0.3
    weight: float = 0.1


class ScoreTable(tables.Table):
    """score.yaml."""

    priorities: Mapping[str, Weight]
    other_priority: Weight
    weights: Weights
    same_session_boost: Weight
    same_hour_boost: Weight
    few: int
    baseline: Weight
    quantile: Weight
    second_margin: Weight
    reinforcement: Weight
    decay_per_day: Weight


@cache
def score_table() -> ScoreTable:
    """The shipped table."""
    return tables.load(__package__ or "", "score.yaml", ScoreTable)


@dataclass(frozen=True)
class HotOptions:
    """Settings of a live conversation; defaults are the specification's.

    languages: codes, the first one where nothing else tells. window: turns whose hints stay in the prompt.
    most_bullets: in the whole prompt. novelty_turns: for so many turns a bullet is not injected again. recency_days:
    scale of the decay of recency. full_text_boost: added to the score of a fact with the turn's rarest word.
    ttl_days: relation -> days after which a fact that was not repeated is left out.
    stream_header: line before the episodes that are recalled in passing. redact: no e-mail addresses,
    phone and card numbers in logs.
    """

    languages: tuple[str, ...] = ("en", "es", "fr", "de", "it")
    role: str = "system"
    header: str = "Use the following factual context if helpful:"
    window: int = 10
    most_bullets: int = 5
    novelty_turns: int = 3
    recency_days: float = 3.0
    weights: Weights = field(default_factory=Weights)
    full_text_boost: float = 0.0
    ttl_days: Mapping[str, float] = field(default_factory=dict[str, float])
    per_turn_messages: bool = False
    injects: bool = True
    extracts: bool = True
    redact: bool = True
    stream_header: str = "Earlier, if it helps:"
