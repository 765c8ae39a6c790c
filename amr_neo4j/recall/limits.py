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

    context_tokens: how many tokens of evidence a model is shown in one call.
    channels, fusion: the tables of weights.
    """

    context_tokens: int = 3000
    channels: ChannelTable = CHANNELS
    fusion: FusionTable = FUSION
