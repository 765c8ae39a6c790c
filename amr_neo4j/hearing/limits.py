"""The thresholds of hearing.yaml, whose comments explain them."""

from __future__ import annotations

from amr_neo4j.tables import Table, shipped

RATE = 16_000
"""Samples per second that all models take."""


class HearingTable(Table):
    """hearing.yaml."""

    speech_from: float
    speech_until: float
    pause: float
    padding: float
    shortest: float
    longest: float
    tokens_per_second: float
    least_certainty: float
    clear: float
    unclear: float
    segments_before: int
    unsure: float
    repeated: int
    replies: int
    numbers: frozenset[str]
    titles: frozenset[str]
    articles: frozenset[str]
    same_voice: float
    distinct: float
    two_voices: float
    own_voice: float
    known_voice: float


limits = shipped("amr_neo4j.hearing", "hearing.yaml", HearingTable)
"""Returns the thresholds."""
