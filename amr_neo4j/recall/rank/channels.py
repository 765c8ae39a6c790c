"""Weights of the channels by question type."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.tables import Table, Weight, every, load

UnitFloat = Annotated[float, Field(ge=0, le=1)]


class ChannelTable(Table):
    """channels.yaml; its header documents the keys.

    weights: question type -> channel -> weight of the channels that are walked. carries: question type -> channel ->
    share of an event's score that its neighbour receives, 0 to 1.
    """

    weights: Annotated[dict[QuestionType, dict[Channel, Weight]], every(QuestionType)]
    carries: Annotated[dict[QuestionType, dict[Channel, UnitFloat]], every(QuestionType)]


@cache
def channel_table() -> ChannelTable:
    """The table that the package ships."""
    return load("amr_neo4j.recall.rank", "channels.yaml", ChannelTable)
