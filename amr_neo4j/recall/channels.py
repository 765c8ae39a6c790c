"""How much each channel counts for each type of question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic import NonNegativeFloat

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.recall.tables import Table, load


class ChannelTable(Table):
    """channels.yaml, whose head says what its keys mean."""

    weights: dict[QuestionType, dict[Channel, NonNegativeFloat]]


@cache
def _table() -> ChannelTable:
    return load("channels.yaml", ChannelTable)


def weights_for(question_type: QuestionType) -> Mapping[Channel, float]:
    """Channel -> weight, 0 to 1, of the channels that are walked for a question of this type."""
    return _table().weights[question_type]
