"""What was read of a turn so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from amr_neo4j.domain.fact import StatedFact, Triple
from amr_neo4j.turn_reader.lines import Line
from amr_neo4j.turn_reader.mentions import Mentions

SURE, HEDGE, GUESS, CORRECTION = 0.7, 0.2, 0.1, 0.3
"""Confidence of a plain statement; what a hedge and a resolved pronoun or lower-case name take from it; what a
correction adds.
"""


@dataclass(slots=True)
class Reading:
    """What was read so far. earlier: facts of the turns before. stated: what the latest statement says.

    topic: a noun phrase that stood alone just before. question: asked just before, so that a phrase may answer it.
    """

    mentions: Mentions = field(default_factory=Mentions)
    facts: list[StatedFact] = field(default_factory=list[StatedFact])
    retracted: list[Triple] = field(default_factory=list[Triple])
    earlier: list[Triple] = field(default_factory=list[Triple])
    stated: list[Triple] = field(default_factory=list[Triple])
    topic: Line | None = None
    question: Line | None = None
    asks: bool = False
    corrects: bool = False
    reacts: bool = False
