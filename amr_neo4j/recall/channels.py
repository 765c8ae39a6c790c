"""How much each channel counts for each type of question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import Field, NonNegativeFloat

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.recall.tables import Table, load

UnitFloat = Annotated[float, Field(ge=0, le=1)]


class ChannelTable(Table):
    """channels.yaml, whose head says what its keys mean."""

    weights: dict[QuestionType, dict[Channel, NonNegativeFloat]]
    carries: dict[QuestionType, dict[Channel, UnitFloat]]


@cache
def _table() -> ChannelTable:
    return load("channels.yaml", ChannelTable)


def weights_for(question_type: QuestionType) -> Mapping[Channel, float]:
    """Channel -> weight, 0 to 1, of the channels that are walked for a question of this type."""
    return _table().weights[question_type]


def carried_by(question_type: QuestionType) -> Mapping[Channel, float]:
    """Channel -> share of an event's fit that its neighbour has, 0 to 1, for a question of this type."""
    return _table().carries[question_type]
