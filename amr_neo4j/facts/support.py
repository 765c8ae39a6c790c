"""Turns that support facts by meaning though they do not state them (specification 002 3.b)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from amr_neo4j.domain.belief import Belief, HeardTurn, Support
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import language

# Rows compared at once: 16 MB.
_AT_ONCE = 4096


def supports(
    beliefs: Sequence[Belief],
    vectors: Vectors,
    turns: Sequence[HeardTurn],
    turn_vectors: Vectors,
    rules: FactRules,
) -> Iterator[Support]:
    """The turns over rules.support for each fact, said since its last update.

    vectors, turn_vectors: (facts, dim), (turns, dim), of length 1. turns: of the user, neither questions nor
    statements of facts: those count by what they state. A turn that denies where the fact does not, or the other
    way round, supports nothing.
    """
    if not len(turns):
        return
    for start in range(0, len(beliefs), _AT_ONCE):
        cosines: Vectors = np.inner(vectors[start : start + _AT_ONCE], turn_vectors)
        for row, column in zip(*np.nonzero(cosines > rules.support), strict=True):
            fact, turn = beliefs[start + int(row)], turns[int(column)]
            if turn.at >= fact.last_updated and _agree(fact, turn):
                yield Support(fact.fact_id, turn.episode_id, turn.at, round(float(cosines[row, column]), 4))


def _agree(fact: Belief, turn: HeardTurn) -> bool:
    table = language(fact.language).opposites
    if table.denies(turn.text) != (fact.triple.relation == "dislikes") != table.denies(fact.triple.object):
        return False
    return not table.exclude(table.words(fact.triple.object), table.words(turn.text))
