"""The options of live conversations (specification 001 5), and the table of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import log2
from typing import NamedTuple

from amr_neo4j import tables
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.tables import Weight


class Weights(NamedTuple):
    """The weights of the parts of a hint's score."""

    priority: float = 0.4
    recency: float = 0.2
    overlap: float = 0.3
    weight: float = 0.1


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


@cache
def score_table() -> ScoreTable:
    """Return the shipped table, read once."""
    return tables.load(__package__ or "", "score.yaml", ScoreTable)


@dataclass(frozen=True)
class HotOptions:
    """Settings of a live conversation. The defaults are those of specification 001.

    languages: codes; the first one is used until a turn shows another.
    role, header: the role and the first line of the added message.
    stream_header: the line before the episodes that are recalled in passing.
    window: the hints of this many turns stay in the prompt.
    most_bullets: how many hints the whole prompt may have.
    novelty_turns: a hint is not injected again for this many turns.
    recency_days: a fact's recency is exp(-age / recency_days).
    weights: the weights of the parts of a hint's score.
    full_text_boost: added to the score of a fact in proportion to the rarity of the turn's rarest word in it.
    ttl_days: {relation: days after which a fact that was not repeated is left out}.
    per_turn_messages: add a message for each turn, instead of replacing one.
    injects, extracts: whether hints are chosen, and whether turns are read for facts.
    redact: keep e-mail addresses and phone or card numbers out of logs.
    masks: mask secrets in turns before anything is stored.
    speakers: tells the user, other people and programs apart.
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
    masks: bool = False
    stream_header: str = "Earlier, if it helps:"
    speakers: Speakers = field(default_factory=Speakers)
