"""Holds what was read of a turn so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from amr_neo4j.domain.fact import StatedFact, Triple, Until, is_same_name
from amr_neo4j.turn_reader.lines import Line
from amr_neo4j.turn_reader.manner import Manner
from amr_neo4j.turn_reader.mentions import Mentions

SURE, HEDGE, GUESS, CORRECTION = 0.7, 0.2, 0.1, 0.3
"""SURE is the confidence of a plain statement. A hedge takes HEDGE from it, and a resolved pronoun or a lower-case
name takes GUESS. A correction adds CORRECTION.
"""


@dataclass(slots=True)
class Reading:
    """What was read so far.

    facts, retracted: what the turn states and takes back.
    earlier: the facts of the turns before.
    stated: the triples of the latest statement.
    question: one that was asked just before; a mere phrase may answer it.
    believed: facts that are believed of what the turn names.
    manner: how firmly the clause is said.
    latest: the facts of the turn just before.
    forgotten: phrases that name what memory shall forget.
    ended: when what is over ended, as far as the turn says so.
    forgets: the turn asks memory to forget something.
    unremembered: the turn asks memory to keep nothing of it.
    asks, corrects, reacts: whether the turn does so.
    answers: it comes after somebody's question.
    """

    mentions: Mentions = field(default_factory=Mentions)
    facts: list[StatedFact] = field(default_factory=list[StatedFact])
    retracted: list[Triple] = field(default_factory=list[Triple])
    earlier: list[Triple] = field(default_factory=list[Triple])
    stated: list[Triple] = field(default_factory=list[Triple])
    question: Line | None = None
    believed: Sequence[Triple] = ()
    manner: Manner = field(default_factory=Manner)
    latest: list[Triple] = field(default_factory=list[Triple])
    forgotten: list[str] = field(default_factory=list[str])
    ended: dict[Triple, Until] = field(default_factory=dict[Triple, Until])
    forgets: bool = False
    unremembered: bool = False
    answers: bool = False
    asks: bool = False
    corrects: bool = False
    reacts: bool = False

    def knows(self, triples: Sequence[Triple]) -> bool:
        """Return whether one of these was stated before or is believed; an empty object stands for every object."""
        known = (*self.earlier, *self.believed)
        return any(triple in known or not triple.object for triple in triples)

    def knows_other(self, triple: Triple) -> bool:
        """Return whether another value of this relation was stated before or is believed."""
        known = (*self.earlier, *self.believed)
        return any(each[:2] == triple[:2] and not is_same_name(each, triple) for each in known)

    def knows_as(self, triple: Triple) -> bool:
        """Return whether this was stated before or is believed, in these words or by a longer or shorter name."""
        known = (*self.earlier, *self.believed)
        return any(each[:2] == triple[:2] and is_same_name(each, triple) for each in known)
