"""One row per answer type: how its claims are made, and which events they rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.counts import count, days, headcount
from amr_neo4j.recall.answer.operators.duration import duration
from amr_neo4j.recall.answer.operators.events import event, moment, sequence
from amr_neo4j.recall.answer.operators.film import clothing, overview, presence
from amr_neo4j.recall.answer.operators.habits import habit
from amr_neo4j.recall.answer.operators.objects import contents, history, itinerary, place, sighting, state
from amr_neo4j.recall.answer.operators.people import person, speech
from amr_neo4j.recall.evidence import changes
from amr_neo4j.recall.evidence.actors import actors_asked_for
from amr_neo4j.recall.evidence.dialogue import line_asked_for
from amr_neo4j.recall.evidence.occurrences import events_of, listed, occurrences
from amr_neo4j.recall.evidence.spatial import described_places, located
from amr_neo4j.recall.evidence.state_intervals import intervals_asked_for, listed_intervals
from amr_neo4j.recall.evidence.support import MAX_EVENTS, listed_of_all, occurrences_listed, seen_with
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence, best_match, select
from amr_neo4j.recall.retrieve.candidate import Candidate


def selected_events(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the events that an answer by rules rests on, each once.

    If no event qualifies, a count, a duration or an nth occurrence rests on the closest events, and any other
    question on none.

    candidates: at least one.
    """
    selection = select(parsed, candidates)
    ends = [event for event in (selection.reference, selection.until) if event]
    inside = supporting_events(parsed, selection.events)
    if parsed.answer_type is AnswerType.DURATION and len(ends) == 2:
        found = ends
    else:
        found = [*ends, *inside] if inside else _nearest(parsed, candidates)
    return list({candidate.node_id: candidate for candidate in found}.values())


def _nearest(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the closest events: the existing occurrences if the nth is missing, the best match for a count of 0."""
    if parsed.nth:
        return occurrences_listed(parsed.main, candidates)
    return [best_match(parsed.main, candidates)] if Trait.OVER_ALL in parsed.traits else []


def supporting_events(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the selected events that an answer of this type rests on, else the likeliest event.

    events: those that the question means, the likeliest first. Returns an empty list if there are none, and for a
        count or duration of something that never happened.
    """
    if parsed.asks_for_all:
        return listed_of_all(parsed, events)
    found = list(BY_TYPE[parsed.answer_type].rests_on(parsed, events))
    # "Never" is a complete answer to a count or a duration, so it needs no likeliest event.
    return found if Trait.OVER_ALL in parsed.traits else found or list(events[:1])


def _places(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    placed = changes.placements(parsed, events)
    described = described_places(parsed, events, placed)
    yield from (each.candidate for each in described)
    seen_since = {each.thing for each in described}
    for placement in placed:
        stated = None if placement.change.thing in seen_since else placement.stated
        yield from (change.candidate for change in (placement.change, stated) if change)


def _contents(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    described = located(parsed, events)
    put = changes.contents(parsed, events, besides={each.thing for each in described})
    return [*(each.candidate for each in described), *(change.candidate for change in put)]


def _sightings(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    seen = seen_with(parsed.main.objects, events)
    if not seen:
        return []
    return [seen, *(placement.change.candidate for placement in changes.placements(parsed, events)[:1])]


def _durations(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    intervals = listed_intervals(intervals_asked_for(parsed, events))
    if not intervals:
        return listed(events_of(occurrences(parsed.main, events)))
    ends = [change for found in intervals for change in (found.begun, found.ended)]
    return [change.candidate for change in ends if change]


def _lines(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    found = line_asked_for(parsed.main, events)
    return [found[0]] if found else []


def _moves(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    return [change.candidate for change in changes.moves(parsed, events)[: changes.MAX_MOVES]]


def _states(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    told = changes.told_state(parsed, events)
    changed = (change.candidate for change in changes.state_changes(parsed, events))
    return [*([told.candidate] if told else []), *changed]


def _likeliest(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    return events[:1]


@dataclass(frozen=True)
class Row:
    """How answers of one type are made.

    claims: makes the claims of the answer from the question and the evidence.
    rests_on: returns those of the selected events that the answer rests on.
    """

    claims: Callable[[ParsedQuestion, Evidence], Claims | Unknown]
    rests_on: Callable[[ParsedQuestion, Sequence[Candidate]], Iterable[Candidate]]


BY_TYPE: Mapping[AnswerType, Row] = {
    AnswerType.PLACE: Row(place, _places),
    AnswerType.CONTENTS: Row(contents, _contents),
    AnswerType.STATE: Row(state, _states),
    AnswerType.HISTORY: Row(history, changes.history),
    AnswerType.ITINERARY: Row(itinerary, _moves),
    AnswerType.SIGHTING: Row(sighting, _sightings),
    AnswerType.COUNT: Row(count, lambda parsed, events: occurrences_listed(parsed.main, events)),
    AnswerType.DAYS: Row(days, lambda parsed, events: occurrences_listed(parsed.main, events)),
    AnswerType.HABIT: Row(habit, lambda parsed, events: occurrences_listed(parsed.anybody, events)),
    AnswerType.DURATION: Row(duration, _durations),
    AnswerType.PERSON: Row(
        person, lambda parsed, events: [found for found, _ in actors_asked_for(parsed.main, events)]
    ),
    AnswerType.COMPANY: Row(person, _likeliest),
    AnswerType.MOMENT: Row(moment, _likeliest),
    AnswerType.SPEECH: Row(speech, _lines),
    AnswerType.SEQUENCE: Row(sequence, lambda parsed, events: events[:MAX_EVENTS]),
    AnswerType.PRESENCE: Row(presence, _likeliest),
    AnswerType.HEADCOUNT: Row(headcount, _likeliest),
    AnswerType.CLOTHING: Row(clothing, _likeliest),
    AnswerType.OVERVIEW: Row(overview, _likeliest),
    AnswerType.EVENT: Row(event, _likeliest),
}
