"""How long something was so, or took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.language.base import Grammar
from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.count import listed_claims, no_occurrence
from amr_neo4j.recall.answer.phrases import change_claim, event_claim
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.occurrences import events_of, occurrences
from amr_neo4j.recall.evidence.state_intervals import (
    StateInterval,
    intervals_asked_for,
    known_lengths,
    listed_intervals,
)
from amr_neo4j.recall.evidence.timeline import seconds_of
from amr_neo4j.recall.question.parsed import ParsedQuestion


def duration(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """How long a thing was in a state; else how long the events last in which it was done."""
    intervals = intervals_asked_for(parsed, evidence.events)
    claims = _of_intervals(intervals, parsed.language.grammar) if intervals else _of_events(parsed, evidence)
    return Claims(claims) if claims else no_occurrence(parsed, evidence)


def _of_events(parsed: ParsedQuestion, evidence: Evidence) -> tuple[Claim, ...]:
    events = events_of(occurrences(parsed.main, evidence.events))
    if not events:
        return ()
    grammar = parsed.language.grammar
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in events], grammar)
    seconds = seconds_of(candidate.event for candidate in events)
    return (replace(claim, text=grammar.total_duration(seconds, len(events), claim.text)), *claims)


def _of_intervals(intervals: Sequence[StateInterval], grammar: Grammar) -> tuple[Claim, ...]:
    listed = listed_intervals(intervals)
    [claim, *claims] = [claim for interval in listed for claim in _interval_claims(interval, grammar)]
    if len(listed) > 1:
        claim = replace(claim, text=grammar.intervals(known_lengths(intervals), claim.text))
    return (claim, *claims)


def _interval_claims(interval: StateInterval, grammar: Grammar) -> Iterator[Claim]:
    """The change that began it, with its length, and the one that ended it."""
    begun = change_claim(interval.begun)
    if interval.ended is None:
        yield replace(begun, text=grammar.unended_interval(begun.text))
    else:
        yield replace(begun, text=grammar.interval(interval.seconds, begun.text))
        yield change_claim(interval.ended)
