"""How much each channel counts for each type of question: channels.yaml, checked where it is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict, NonNegativeFloat

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    weights: dict[QuestionType, dict[Channel, NonNegativeFloat]]


@cache
def _table() -> _Table:
    return _Table.model_validate(yaml.safe_load(files("amr_neo4j.recall").joinpath("channels.yaml").read_text("utf-8")))


def weights_for(question_type: QuestionType) -> Mapping[Channel, float]:
    """Channel -> weight, 0 to 1, of the channels that are walked for a question of this type."""
    return _table().weights[question_type]
