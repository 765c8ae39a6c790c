"""The limits of recall, and the chat models that it may use."""

from __future__ import annotations

from dataclasses import dataclass

from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.search_limits import SearchLimits
from amr_neo4j.recall.weights import CHANNELS, FUSION, ChannelTable, FusionTable


@dataclass(frozen=True)
class Models:
    """A chat model for each role of recall; None if rules do the work of that role."""

    text: ChatModel | None = None
    judge: ChatModel | None = None
    answer: ChatModel | None = None


@dataclass(frozen=True)
class RecallLimits(SearchLimits):
    """How far recall goes, and by which weights.

    anchors_sparse, anchors_dense: how many events each ranking returns: by words, by vector.
    anchors: how many events a walk starts from.
    max_visited: how many events it keeps at most, over all hops.
    convergence: it stops when the best score changes by less than this from one hop to the next.
    group_gap_sec, group_span_sec: the longest pause within a group of events, and the longest group.
    channels, fusion: the tables of weights.
    """

    anchors_sparse: int = 50
    anchors_dense: int = 50
    anchors: int = 8
    max_visited: int = 500
    convergence: float = 0.001
    group_gap_sec: float = 15.0
    group_span_sec: float = 60.0
    channels: ChannelTable = CHANNELS
    fusion: FusionTable = FUSION
