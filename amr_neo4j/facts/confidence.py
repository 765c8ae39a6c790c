"""How sure a fact is: evidence raises it, time lowers it (specification 002 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from amr_neo4j.domain.belief import Belief, HeardTurn, Support
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.relations import share_kept
from amr_neo4j.facts.evidence import agrees, said_again
from amr_neo4j.facts.rules import FactRules

_DAY = timedelta(days=1)
ASKED_KEEPS = timedelta(days=30)
"""How long a fact does not decay after it was asked for. Its confidence does not rise: a question is not evidence."""
# This many facts are compared with the turns at once, to bound the memory that the cosines take.
_FACTS_COMPARED_AT_ONCE = 4096


def raised(confidence: float, times: int, growth: float) -> float:
    """Return the confidence after `times` supporting turns: each covers the part `growth` of the distance to 1.

    confidence = 1 - (1 - confidence) * (1 - growth) ** times
    """
    # Without turns return the number itself: the formula may change its last bit, and a second run on one day must
    # change nothing.
    return 1 - (1 - confidence) * (1 - growth) ** times if times else confidence


def first_seen(belief: Belief, since: datetime) -> Belief:
    """Return the belief with the start of its decay set, if no run has seen it yet. since: time of the previous run.

    A new fact decays from `since` on at the earliest. An imported conversation may have stated it years ago; that
    this memory has heard nothing of it in the meantime is no evidence against it.
    """
    return replace(belief, decayed_at=belief.decayed_at or max(belief.last_updated, since))


def decayed(belief: Belief, now: datetime) -> Belief:
    """Return the belief with its confidence lowered for each whole day without new evidence.

    The days since the latest evidence or the last decay count, by the half-life of the relation (relations.yaml). A
    pinned belief does not decay, and none does in the days after it was asked for (ASKED_KEEPS). Only whole days
    count; the rest is left to a later run. So thirty nightly runs give the same as one run after thirty days, and a
    second run on one day changes nothing.
    """
    if belief.asked_at and belief.asked_at < now:
        asked = belief.asked_at
        belief = _decayed_to(belief, asked)
        belief = replace(belief, decayed_at=max(belief.decayed_at or asked, asked + ASKED_KEEPS))
    return _decayed_to(belief, now)


def _decayed_to(belief: Belief, moment: datetime) -> Belief:
    since = max(belief.last_updated, belief.decayed_at or belief.last_updated)
    days = (moment - since) // _DAY
    if belief.pinned or days <= 0:
        return belief
    kept = belief.confidence * share_kept(belief.triple.relation, days)
    return replace(belief, confidence=kept, decayed_at=since + days * _DAY)


def updated(belief: Belief, *, supporting: int, latest: datetime | None, now: datetime, rules: FactRules) -> Belief:
    """Return the belief with new evidence counted and then decayed to `now`.

    supporting: number of turns that support it by meaning and were not counted before.
    latest: when the last of them was said.

    Turns that state the fact again are in evidence_count and not yet in counted. They raise its confidence at least
    to that of a new fact (rules.stated): growth alone would give up a fact that is stated once a month, because decay
    takes 26% in that time.
    """
    stated = max(0, belief.evidence_count - belief.counted)
    evidence = belief.evidence_count + supporting
    known = max(belief.confidence, rules.stated) if stated else belief.confidence
    confidence = raised(known, stated + supporting, rules.growth)
    last = max(belief.last_updated, latest or belief.last_updated)
    grown = replace(belief, confidence=confidence, evidence_count=evidence, counted=evidence, last_updated=last)
    return decayed(grown, now)


def supports(
    beliefs: Sequence[Belief],
    turns: Sequence[HeardTurn],
    rules: FactRules,
    *,
    vectors: Vectors,
    turn_vectors: Vectors,
    unrelated: float,
) -> Iterator[Support]:
    """Yield the turns that support a fact by their meaning, if they were said since its last update.

    These are turns whose cosine to the fact is over rules.support, and turns that say the fact again in other words.
    The latter need only a cosine over `unrelated`: sentences of few words are rarely close to each other.
    vectors: shape (facts, dim).
    turn_vectors: shape (turns, dim); all of length 1.
    turns: of the user, without questions and without turns that state facts, which count as statements instead. A
        turn that denies where the fact does not, or the other way round, supports nothing.
    """
    if not len(turns):
        return
    again = said_again(
        [fact.triple for fact in beliefs], [fact.language for fact in beliefs], [t.text for t in turns]
    )
    for start in range(0, len(beliefs), _FACTS_COMPARED_AT_ONCE):
        cosines: Vectors = np.inner(vectors[start : start + _FACTS_COMPARED_AT_ONCE], turn_vectors)
        near = {(int(row), int(column)) for row, column in np.argwhere(cosines > rules.support)}
        near |= {
            (row - start, column)
            for row, column in again
            if start <= row < start + _FACTS_COMPARED_AT_ONCE and cosines[row - start, column] > unrelated
        }
        for row, column in sorted(near):
            fact, turn = beliefs[start + row], turns[column]
            if turn.at >= fact.last_updated and agrees(fact.triple, turn.text, fact.language):
                yield Support(fact.fact_id, turn.episode_id, turn.at, round(float(cosines[row, column]), 4))
