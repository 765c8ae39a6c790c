"""The limits of recall, and the chat models that it may use."""

from __future__ import annotations

from dataclasses import dataclass

from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.recall.weights import CHANNELS, FUSION, ChannelTable, FusionTable


@dataclass(frozen=True)
class Models:
    """A chat model for each role of recall; None if rules do the work of that role."""

    text: ChatModel | None = None
    judge: ChatModel | None = None
    answer: ChatModel | None = None


@dataclass(frozen=True)
class RecallLimits:
    """How far recall goes.

    sparse, dense: how many events each ranking returns: by words, by vector.
    anchors: how many events a walk starts from.
    width: how many events the walk keeps per hop.
    hops: how many hops it takes at most.
    visited: how many events it keeps at most, over all hops.
    convergence: it stops when the best score changes by less than this from one hop to the next.
    group_gap, group_span: the longest pause within a group of events, and the longest group, in seconds.
    judged: how many groups a model judges; 0 means all.
    groups: how many groups are kept.
    wrong_answer_cost: how much worse a wrong answer is than none, as a multiple of what a right one is worth.
    context_tokens: how many tokens of evidence a model is shown in one call.
    channels, fusion: the tables of weights.
    """

    sparse: int = 50
    dense: int = 50
    anchors: int = 8
    width: int = 20
    hops: int = 4
    visited: int = 500
    convergence: float = 0.001
    group_gap: float = 15.0
    group_span: float = 60.0
    groups: int = 4
    judged: int = 0
    context_tokens: int = 3000
    wrong_answer_cost: float = 1.0
    channels: ChannelTable = CHANNELS
    fusion: FusionTable = FUSION
