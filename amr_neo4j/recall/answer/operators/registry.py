"""What the chosen events say to a question, by what it aims at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.timestamps import lasting
from amr_neo4j.recall.answer.claim import Claim, happened
from amr_neo4j.recall.answer.operators import aggregates, moment, person, place
from amr_neo4j.recall.answer.select import Selection
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.timeline import chronological, seconds_between
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion

MOST = 5


def claims_of(parsed: ParsedQuestion, choice: Selection) -> list[Claim]:
    """What is claimed in answer, with the events that it is told from; empty for no event."""
    if not (choice.told_from and choice.until):
        return claims_for(parsed, choice.events)
    start, end = happened(choice.told_from), happened(choice.until)
    if parsed.answer_type is AnswerType.DURATION:
        passed = (seconds_between(start.rests_on.event, end.rests_on.event) or 0.0) - _length(choice.told_from.event)
        return [replace(start, text=f"{lasting(max(0.0, passed))} from the end of this: {start.text}"), _until(end)]
    inside = claims_for(parsed, choice.events)
    return [start, *inside, _until(end)] if inside else []


def _length(event: Event) -> float:
    return event.time_end - event.time_start


def _until(claim: Claim) -> Claim:
    return replace(claim, text=f"until, {claim.text}")


def claims_for(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> list[Claim]:
    """What is claimed in answer; empty for no event. chosen: the events the question may mean, likeliest first."""
    if parsed.asks_for_all:
        return _all(chosen)
    told = list(_TELLERS[parsed.answer_type](parsed, chosen)) if parsed.answer_type in _TELLERS else []
    if parsed.answer_type in (AnswerType.COUNT, AnswerType.DURATION):
        return told
    return told or [happened(candidate, parsed.main) for candidate in chosen[:1]]


def _all(chosen: Sequence[Candidate]) -> list[Claim]:
    """Every event; of many the first, and how many there are."""
    claims = [happened(candidate) for candidate in chosen[:MOST]]
    if len(chosen) > MOST:
        claims[0] = replace(claims[0], text=f"{len(chosen)} events, of which the first {MOST}: {claims[0].text}")
    return claims


def _sequence(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest events, told in their order."""
    for candidate in chronological(chosen[:MOST]):
        yield happened(candidate)


_TELLERS: Mapping[AnswerType, Callable[[ParsedQuestion, Sequence[Candidate]], Iterator[Claim]]] = {
    AnswerType.PLACE: place.place,
    AnswerType.STATE: place.state,
    AnswerType.HISTORY: place.history,
    AnswerType.CONTENTS: place.contents,
    AnswerType.ITINERARY: place.itinerary,
    AnswerType.SIGHTING: place.sighting,
    AnswerType.COUNT: aggregates.count,
    AnswerType.DURATION: aggregates.duration,
    AnswerType.MOMENT: moment.moment,
    AnswerType.PERSON: person.persons,
    AnswerType.SPEECH: person.speech,
    AnswerType.SEQUENCE: _sequence,
}
