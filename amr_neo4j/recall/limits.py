"""How far recall goes, and which chat models it may use."""

from __future__ import annotations

from dataclasses import dataclass

from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.recall import Fusion
from amr_neo4j.recall.weights import CHANNELS, FUSION, ChannelTable, FusionTable


@dataclass(frozen=True)
class Models:
    """A chat model for each role of recall; None where rules take its place."""

    text: ChatModel | None = None
    judge: ChatModel | None = None
    answer: ChatModel | None = None


@dataclass(frozen=True)
class RecallLimits:
    """sparse, dense, named: events per ranking. fusion: how they are fused. anchors: events that a walk starts at.

    near: the neighbours in time of this many best events by words and by meaning become candidates too.
    width, hops, visited, convergence: bound the walk.

    group_gap, group_span: the longest pause within a group and its longest span, in seconds; groups: how many are
    kept, of the `judged` that a model is asked about (0: all); context_tokens: how much a model is shown at once.
    channels, fusions: weights.
    """

    sparse: int = 50
    dense: int = 50
    named: int = 100
    near: int = 30
    fusion: Fusion = "auto"
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
    channels: ChannelTable = CHANNELS
    fusions: FusionTable = FUSION
