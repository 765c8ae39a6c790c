"""How sure a fact is: evidence raises it, time lowers it (specification 002 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import exp

import numpy as np

from amr_neo4j.domain.belief import Belief, HeardTurn, Support
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import language

_DAY = timedelta(days=1)
# Rows compared at once: 16 MB.
_AT_ONCE = 4096


def raised(confidence: float, times: int, growth: float) -> float:
    """The confidence after so many supporting turns: each covers `growth` of the distance to 1."""
    # Without turns to the last bit: a second run on one day changes nothing.
    return 1 - (1 - confidence) * (1 - growth) ** times if times else confidence


def first_seen(belief: Belief, since: datetime) -> Belief:
    """The belief as its first run sees it; since: the time of the run before that.

    It decays from then on at the earliest: what an imported conversation said years ago is new here, and that this
    memory heard nothing of it meanwhile says nothing against it.
    """
    return replace(belief, decayed_at=belief.decayed_at or max(belief.last_updated, since))


def decayed(belief: Belief, now: datetime, per_day: float) -> Belief:
    """The belief after the whole days since its latest evidence that it has not decayed for yet.

    Days that are not over count in a later run, so that thirty nightly runs equal one after thirty days, and a
    second run on one day changes nothing.
    """
    since = max(belief.last_updated, belief.decayed_at or belief.last_updated)
    days = (now - since) // _DAY
    if belief.pinned or days <= 0:
        return belief
    return replace(belief, confidence=belief.confidence * exp(-per_day * days), decayed_at=since + days * _DAY)


def updated(belief: Belief, *, supporting: int, latest: datetime | None, now: datetime, rules: FactRules) -> Belief:
    """The belief with new evidence counted and time passed.

    supporting: turns that support it by meaning and were not counted before; latest: when the last of them was said.
    Turns that state it are in evidence_count and not yet in counted; what they say again is believed as much as if it
    were new. (Growth alone would give up what is said every month: decay takes 26% meanwhile.)
    """
    stated = max(0, belief.evidence_count - belief.counted)
    evidence = belief.evidence_count + supporting
    known = max(belief.confidence, rules.stated) if stated else belief.confidence
    confidence = raised(known, stated + supporting, rules.growth)
    last = max(belief.last_updated, latest or belief.last_updated)
    grown = replace(belief, confidence=confidence, evidence_count=evidence, counted=evidence, last_updated=last)
    return decayed(grown, now, rules.decay_per_day)


def supports(
    beliefs: Sequence[Belief],
    turns: Sequence[HeardTurn],
    rules: FactRules,
    *,
    vectors: Vectors,
    turn_vectors: Vectors,
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
