"""The weights of ranking, from three tables in rank/: channels.yaml, fusion.yaml and scoring.yaml.

Users may replace the first two by their own (settings channels_file and fusion_file).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType
from amr_neo4j.tables import Share, Table, Weight, every, load

Measure = Literal[
    "rank",
    "words",
    "related_words",
    "meaning",
    "meaning_asked",
    "words_near",
    "words_around",
    "meaning_around",
    "words_scenes",
    "meaning_scenes",
    "person",
    "beside",
    "said_by_person",
]
Weights = Mapping[Measure, float]


class ChannelTable(Table):
    """channels.yaml. Its header documents the keys.

    weights: {question type: {channel: weight}}, for the channels that a walk follows.
    carries: {question type: {channel: share from 0 to 1}}, the share of an event's score that its neighbour over that
        channel receives.
    """

    weights: Annotated[dict[QuestionType, dict[Channel, Weight]], every(QuestionType)]
    carries: Annotated[dict[QuestionType, dict[Channel, Share]], every(QuestionType)]


def _not_all_zero(weights: Weights) -> Weights:
    if not any(weights.values()):
        raise ValueError("weighs nothing")
    return weights


class FusionTable(Table):
    """fusion.yaml. Its header documents the keys."""

    weights: Annotated[dict[Measure, Weight], AfterValidator(_not_all_zero)]


class ScoringTable(Table):
    """scoring.yaml. The comments in the file explain each weight."""

    fused: Weight
    reach: Weight
    action: Weight
    effect: Weight
    date: Weight
    vague_word: Weight
    action_word: Weight
    days_before: int
    days_after: int
    date_decay_days: float
    bm25_saturation: Weight
    bm25_length: Weight
    nearest_of_segment: int
    scene_levels: Mapping[int, Weight]
    scenes: Mapping[float, Weight]
    least_scenes: int
    apart_sec: float
    apart_share: Share
    same_session: Share
    recency: Weight
    recent_sec: float
    past_sec: float
    beside_decay_sec: float
    repeated: Weight
    repeated_decay_sec: float
    repeated_farthest_sec: float
    near_best: Share
    words_held: Weight
    words_missing: Weight
    names_missing: Weight
    doubt: Weight
    of_best: Share
    best_results: int
    restates: Share
    replaces: Share


# The tables that the package ships.
CHANNELS = load("amr_neo4j.recall.rank", "channels.yaml", ChannelTable)
FUSION = load("amr_neo4j.recall.rank", "fusion.yaml", FusionTable)
SCORING = load("amr_neo4j.recall.rank", "scoring.yaml", ScoringTable)
