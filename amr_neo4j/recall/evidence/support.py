"""Finds the events that an answer of each type rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from amr_neo4j.recall.evidence.occurrences import events_of, listed, occurrences
from amr_neo4j.recall.evidence.timeline import seconds_between
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate

# An answer that lists events lists at most this many.
MAX_EVENTS = 5


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


def most_telling(events: Iterable[Candidate]) -> Candidate:
    """Return the event that tells most, the first of equal ones. events: at least one."""
    return max(events, key=_tells)


def _tells(candidate: Candidate) -> tuple[bool, int]:
    """Return the sort key for how much an event tells: sure before doubtful, then more people, things and actions.

    A caption lists few of them, so its words are counted instead.
    """
    event, doubted = candidate.event, candidate.language.grammar.is_in_doubt(candidate.summary)
    listed = len(candidate.people) + len(candidate.objects) + len(event.actions)
    return not doubted, listed if event.lists_actions else len(candidate.features.word_counts)


def seen_with(things: Sequence[str], events: Sequence[Candidate]) -> Candidate | None:
    """Return the first event that lists one of the things; None if none does."""
    return next((candidate for candidate in events if not candidate.objects.isdisjoint(things)), None)


def occurrences_listed(clause: Clause, events: Sequence[Candidate]) -> list[Candidate]:
    """Return the events of the occurrences that an answer lists."""
    return events_of(listed(occurrences(clause, events)))
