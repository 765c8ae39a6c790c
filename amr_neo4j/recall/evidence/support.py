"""Finds the events that an answer of each type rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from amr_neo4j.recall.evidence.actors import actors_asked_for
from amr_neo4j.recall.evidence.changes import MAX_MOVES, contents, history, moves, placements, state_changes
from amr_neo4j.recall.evidence.dialogue import line_asked_for
from amr_neo4j.recall.evidence.occurrences import events_of, listed, occurrences
from amr_neo4j.recall.evidence.spatial import described_places, located
from amr_neo4j.recall.evidence.state_intervals import intervals_asked_for, listed_intervals
from amr_neo4j.recall.evidence.timeline import seconds_between
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import OVER_ALL, AnswerType, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# An answer that lists events lists at most this many.
MAX_EVENTS = 5
Find = Callable[[ParsedQuestion, Sequence[Candidate]], Iterable[Candidate]]


def supporting_events(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the selected events that an answer of this type rests on, else the likeliest event.

    events: those that the question means, the likeliest first. Returns an empty list if there are none, and for a
        count or duration of something that never happened.
    """
    if parsed.asks_for_all:
        return listed_of_all(parsed, events)
    find = _FIND.get(parsed.answer_type)
    found = list(find(parsed, events)) if find else []
    # "Never" is a complete answer to a count or a duration, so it needs no likeliest event.
    return found if parsed.answer_type in OVER_ALL else found or list(events[:1])


def listed_of_all(parsed: ParsedQuestion, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the events to list if a question asks for all: the first ones, or captions of each part of the time.

    "What did I do this morning?" is not answered by the captions of the first minute, so captions are spread.
    """
    are_captions = not any(each.event.turn or each.event.lists_actions for each in events)
    is_of_all = are_captions and len(events) > MAX_EVENTS and not (parsed.main.is_specific or parsed.asks_for_videos)
    return of_each_part(events) if is_of_all else list(events[:MAX_EVENTS])


def of_each_part(events: Sequence[Candidate]) -> list[Candidate]:
    """Divide the time of the events into MAX_EVENTS equal parts, and return the most telling event of each part.

    events: chronological, at least one. A part may have none.
    """
    begun = [seconds_between(events[0].event, each.event) or 0.0 for each in events]
    parts: dict[int, Candidate] = {}
    for seconds, each in sorted(zip(begun, events, strict=True), key=lambda one: _tells(one[1]), reverse=True):
        share = seconds / begun[-1] if begun[-1] > 0 else 0.0
        parts.setdefault(min(int(share * MAX_EVENTS), MAX_EVENTS - 1), each)
    return [each for each in events if each in parts.values()]


def _tells(candidate: Candidate) -> tuple[bool, int]:
    """Return the sort key for how much an event tells: sure before doubtful, then more people, things and actions.

    A caption lists few of them, so its words are counted instead.
    """
    event, doubted = candidate.event, candidate.language.grammar.is_in_doubt(candidate.event.summary_text)
    listed = len(candidate.people) + len(candidate.objects) + len(event.actions)
    return not doubted, listed if event.lists_actions else len(candidate.features.word_counts)


def seen_with(things: Sequence[str], events: Sequence[Candidate]) -> Candidate | None:
    """Return the first event that lists one of the things; None if none does."""
    return next((candidate for candidate in events if not candidate.objects.isdisjoint(things)), None)


def occurrences_listed(clause: Clause, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the events of the occurrences that an answer lists."""
    return events_of(listed(occurrences(clause, events)))


def _places(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    placed = placements(parsed, events)
    described = described_places(parsed, events, placed)
    yield from (each.candidate for each in described)
    seen_since = {each.thing for each in described}
    for placement in placed:
        stated = None if placement.change.thing in seen_since else placement.stated
        yield from (change.candidate for change in (placement.change, stated) if change)


def _contents(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    described = located(parsed, events)
    put = contents(parsed, events, besides={each.thing for each in described})
    return [*(each.candidate for each in described), *(change.candidate for change in put)]


def _sightings(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    seen = seen_with(parsed.main.objects, events)
    return [seen, *(placement.change.candidate for placement in placements(parsed, events)[:1])] if seen else []


def _durations(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    intervals = listed_intervals(intervals_asked_for(parsed, events))
    if not intervals:
        return listed(events_of(occurrences(parsed.main, events)))
    changes = [change for found in intervals for change in (found.begun, found.ended)]
    return [change.candidate for change in changes if change]


def _lines(parsed: ParsedQuestion, events: Sequence[Candidate]) -> Iterable[Candidate]:
    found = line_asked_for(parsed.main, events)
    return [found[0]] if found else []


_FIND: Mapping[AnswerType, Find] = {
    AnswerType.PLACE: _places,
    AnswerType.STATE: lambda parsed, events: [change.candidate for change in state_changes(parsed, events)],
    AnswerType.HISTORY: history,
    AnswerType.CONTENTS: _contents,
    AnswerType.ITINERARY: lambda parsed, events: [change.candidate for change in moves(parsed, events)[:MAX_MOVES]],
    AnswerType.SIGHTING: _sightings,
    AnswerType.COUNT: lambda parsed, events: occurrences_listed(parsed.main, events),
    AnswerType.HABIT: lambda parsed, events: occurrences_listed(parsed.anybody, events),
    AnswerType.DURATION: _durations,
    AnswerType.PERSON: lambda parsed, events: [event for event, _ in actors_asked_for(parsed.main, events)],
    AnswerType.SPEECH: _lines,
    AnswerType.SEQUENCE: lambda parsed, events: events[:MAX_EVENTS],
}
