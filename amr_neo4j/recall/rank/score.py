"""Scores candidates by words and vectors, without a chat model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from math import exp, log

import numpy as np

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import WHOLE, ParsedQuestion
from amr_neo4j.recall.question.time_ranges import named_dates
from amr_neo4j.recall.rank.fusion import FusedScores
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.features import EventFeatures
from amr_neo4j.recall.retrieve.pool import Pool, Values
from amr_neo4j.recall.weights import SCORING


def word_weights(parsed: ParsedQuestion, pool: Pool) -> dict[str, float]:
    """Return {word of the question: its weight}. The fewer candidates have a word, the higher."""
    words = {word.word: word for clause in parsed.clauses for word in clause.words}
    total = len(pool)

    def weight(word: ContentWord, counts: Values) -> float:
        holding = int((counts > 0).sum())
        # From near 0 (every candidate has the word) to 1 (at most one has it).
        rarity = log(1 + total / max(1, holding)) / log(2 + total)
        if word.vague:
            return rarity * SCORING.vague_word
        return rarity * (SCORING.action_word if word.acts else 1.0)

    counts = pool.term_counts([word.forms for word in words.values()])
    return {word: weight(words[word], held) for word, held in zip(words, counts, strict=True)}


def relevance(candidate: Candidate, clause: Clause) -> float:
    """Return how well a candidate matches a clause, by its fused score, its path and its actions."""
    return (
        SCORING.fused * candidate.fused[clause.text]
        + SCORING.reach * candidate.reach
        + _action_score(candidate.features, clause)
    )


def _action_score(features: EventFeatures, clause: Clause) -> float:
    pairs, effects = clause.actors_on_objects, clause.effects
    acted = bool(pairs) and not pairs.isdisjoint(features.actors_on_objects)
    return SCORING.action * acted + SCORING.effect * (bool(effects) and not effects.isdisjoint(features.effects))


def score_candidates(
    parsed: ParsedQuestion,
    pool: Pool,
    fused: FusedScores,
    *,
    weights: Mapping[str, float],
    shares: Mapping[Channel, float],
) -> list[Candidate]:
    """Return the candidates of the pool with their fused scores, reach, score (from 0 to 1) and word weights.

    shares: {channel: the share of an event's score that its neighbour over that channel receives}.
    """
    reach = _reach(pool, fused[WHOLE])
    by_question = (
        SCORING.fused * fused[WHOLE]
        + SCORING.reach * reach
        + SCORING.date * _date_scores(parsed, pool)
        + _acted(parsed, pool)
    )
    # The parts add up to 1, and the date comes on top: divide, so that the score stays in 0..1.
    by_question = by_question / (1 + SCORING.date * bool(parsed.span))
    # Lists of Python floats: indexing a numpy array item by item is far slower.
    own = dict(zip(pool.events, by_question.tolist(), strict=True))
    scores = with_recency(propagate(own, pool.edges, shares), pool.events, parsed.asked_at)
    fused_of = [dict(zip(fused, row, strict=True)) for row in np.transpose(list(fused.values())).tolist()]
    found = zip(range(len(pool)), reach.tolist(), fused_of, scores.values(), strict=True)
    return [
        pool.candidate(place, reach=far, fused=matched, score=score, weights=weights, path_events=pool.events)
        for place, far, matched, score in found
    ]


def with_recency(
    scores: Mapping[int, float], events: Mapping[int, Event], asked_at: datetime | None
) -> Mapping[int, float]:
    """Return {node_id: score}, higher for events of films that ended shortly before the question.

    asked_at: the moment of the question. If it is None, or all events are old, no score changes.
    """
    gains = {node_id: _recency(events[node_id], asked_at) for node_id in scores}
    if not any(gains.values()):
        return scores
    # Divide, so that the score stays in 0..1.
    whole = 1 + SCORING.recency
    return {node_id: (score + SCORING.recency * gains[node_id]) / whole for node_id, score in scores.items()}


def _recency(event: Event, asked_at: datetime | None) -> float:
    """Return 1 for an event that ended recently, and less for an older one, down to 0.

    0 also for turns, for events without a wall clock, and for events that may still be going on.
    """
    if asked_at is None or event.at is None or event.turn:
        return 0.0
    age = (asked_at - event.at).total_seconds() - (event.time_end - event.time_start)
    if not SCORING.recent_sec <= age < SCORING.past_sec:
        return 0.0
    return 1 - log(age / SCORING.recent_sec) / log(SCORING.past_sec / SCORING.recent_sec)


def _acted(parsed: ParsedQuestion, pool: Pool) -> Values:
    """Return for each candidate its best action score over the clauses."""
    acting = [clause for clause in parsed.clauses if clause.actors_on_objects or clause.effects]
    if not acting:
        return np.zeros(len(pool))
    return np.array([max(_action_score(features, clause) for clause in acting) for features in pool.features])


def unscored(parsed: ParsedQuestion, pool: Pool, weights: Mapping[str, float]) -> list[Candidate]:
    """Return the candidates of a pool that no ranking found, with fused scores of 0 and the word weights."""
    zero = dict.fromkeys((WHOLE, *(clause.text for clause in parsed.clauses)), 0.0)
    return [pool.candidate(place, fused=zero, weights=weights) for place in range(len(pool))]


def _reach(pool: Pool, best: Values) -> Values:
    """Return for each candidate the fused score of its path's anchor times the score of the path.

    A candidate that no walk reached has its own fused score. The scores are scaled so that the best is 1.
    """
    scaled = dict(zip(pool.events, (best / (best.max(initial=0.0) or 1.0)).tolist(), strict=True))
    walked = {node_id: scaled.get(path.node_ids[0], 0.0) * path.score for node_id, path in pool.paths.items()}
    return np.array([walked.get(node_id, own) for node_id, own in scaled.items()])


def _date_scores(parsed: ParsedQuestion, pool: Pool) -> Values:
    """Return how near each turn is to the date in the question; 0 for video events, which are filtered by date."""
    if not parsed.span:
        return np.zeros(len(pool))
    days = [event.at.date() if event.turn and event.at else None for event in pool.events.values()]
    return np.array([date_proximity(parsed.span, day) if day else 0.0 for day in days])


def date_proximity(span: NamedTime, day: date) -> float:
    """Return how near a day is to the date that a span names, from 0 to 1.

    0 if the span names no date or only a weekday.
    """
    gaps = [
        max((first - day).days - SCORING.days_before, (day - last).days - SCORING.days_after, 0)
        for first, last in named_dates(span, day)
    ]
    return exp(-min(gaps) / SCORING.date_decay_days) if gaps else 0.0


def propagate(
    scores: Mapping[int, float], edges: Iterable[Edge], shares: Mapping[Channel, float]
) -> dict[int, float]:
    """Return {node_id: score}, each raised to its share of a neighbour's score if that is higher.

    Only the original scores are shared, so a score travels over one edge at most.

    shares: {channel: share}.
    """
    raised = dict(scores)
    for edge in edges:  # both ways: an edge has a direction in time, but relevance has none
        share = shares.get(edge.channel, 0.0)
        if share and edge.src in scores and edge.dst in scores:
            raised[edge.src] = max(raised[edge.src], share * scores[edge.dst])
            raised[edge.dst] = max(raised[edge.dst], share * scores[edge.src])
    return raised
