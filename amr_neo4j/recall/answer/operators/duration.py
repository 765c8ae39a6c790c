"""How long something was so, or took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amr_neo4j.language.grammar import Grammar
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown
from amr_neo4j.recall.answer.operators.count import listed_claims, no_occurrence
from amr_neo4j.recall.answer.phrases import change_claim, event_claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.occurrences import MAX_LISTED, events_of, listed, occurrences
from amr_neo4j.recall.evidence.state_intervals import (
    StateInterval,
    intervals_asked_for,
    known_lengths,
    listed_intervals,
)
from amr_neo4j.recall.evidence.timeline import is_within, seconds_of
from amr_neo4j.recall.evidence.visits import Visit, asks_for_visits, visits_asked_for
from amr_neo4j.recall.evidence.watched import is_watched, of_films
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion


def duration(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """How long a thing was in a state, from the change that began it; how long the events last in which it was done.

    Events that tell of a state last as long as the deed of changing it, so they are no answer for the state. People
    before a camera are in view from their coming to their going.
    """
    if is_watched(of_films(evidence.found)) and asks_for_visits(parsed):
        visits = visits_asked_for(parsed, evidence.found)
        if parsed.order in (Order.FIRST, Order.LAST):
            visits = visits[:1] if parsed.order is Order.FIRST else visits[-1:]
        if visits:
            return Claims(tuple(_of_visits(visits, parsed.language.grammar)))
    intervals = intervals_asked_for(parsed, evidence.events)
    if intervals:
        return Claims(_of_intervals(intervals, parsed.language.grammar))
    events = [c for c in events_of(occurrences(parsed.main, evidence.events)) if is_within(c.event, parsed.within)]
    if events and parsed.language.asking.of_state.search(parsed.whole.text):
        return Unknown(Reason.IN_DOUBT, tuple(event_claim(candidate) for candidate in listed(events)))
    return Claims(_of_events(events, parsed.language.grammar)) if events else no_occurrence(parsed, evidence)


def _of_visits(visits: Sequence[Visit], grammar: Grammar) -> Iterator[Claim]:
    """The first ones with their lengths; of a single one its end too."""
    for visit in visits[:MAX_LISTED]:
        begun = event_claim(visit.events[0])
        yield replace(begun, text=grammar.in_view_for(visit.seconds, begun.text, has_ended=visit.has_ended))
    if len(visits) == 1 and len(visits[0].events) > 1:
        yield event_claim(visits[0].events[-1])


def _of_events(events: Sequence[Candidate], grammar: Grammar) -> tuple[Claim, ...]:
    [claim, *claims] = listed_claims([event_claim(candidate) for candidate in events], grammar)
    seconds = seconds_of(candidate.event for candidate in events)
    return (replace(claim, text=grammar.total_duration(seconds, len(events), claim.text)), *claims)


def _of_intervals(intervals: Sequence[StateInterval], grammar: Grammar) -> tuple[Claim, ...]:
    shown, lengths = listed_intervals(intervals), known_lengths(intervals)
    [claim, *claims] = [claim for interval in shown for claim in _interval_claims(interval, grammar)]
    if len(shown) > 1:
        claim = replace(claim, text=grammar.intervals(lengths, claim.text, len(intervals) - len(lengths)))
    return (claim, *claims)


def _interval_claims(interval: StateInterval, grammar: Grammar) -> Iterator[Claim]:
    """The change that began it, with its length, and the one that ended it."""
    begun = change_claim(interval.begun)
    if interval.ended is None:
        yield replace(begun, text=grammar.unended_interval(begun.text))
    else:
        yield replace(begun, text=grammar.interval(interval.seconds, begun.text))
        yield change_claim(interval.ended)
