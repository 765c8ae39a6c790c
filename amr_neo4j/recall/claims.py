"""What the chosen events say to a question, by what it aims at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.timestamps import lasting
from amr_neo4j.recall import moments, people, reckoning, things
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import Choice
from amr_neo4j.recall.chronology import chronological, seconds_between
from amr_neo4j.recall.claim import Claim, happened
from amr_neo4j.recall.reading import Aim, Reading

MOST = 5


def claims_of(reading: Reading, choice: Choice) -> list[Claim]:
    """What is claimed in answer, with the events that it is told from; empty for no event."""
    if not (choice.told_from and choice.until):
        return claims_for(reading, choice.events)
    start, end = happened(choice.told_from), happened(choice.until)
    if reading.aim is Aim.DURATION:
        passed = (seconds_between(start.rests_on.event, end.rests_on.event) or 0.0) - _length(choice.told_from.event)
        return [replace(start, text=f"{lasting(max(0.0, passed))} from the end of this: {start.text}"), _until(end)]
    inside = claims_for(reading, choice.events)
    return [start, *inside, _until(end)] if inside else []


def _length(event: Event) -> float:
    return event.time_end - event.time_start


def _until(claim: Claim) -> Claim:
    return replace(claim, text=f"until, {claim.text}")


def claims_for(reading: Reading, chosen: Sequence[Candidate]) -> list[Claim]:
    """What is claimed in answer; empty for no event. chosen: the events the question may mean, likeliest first."""
    if reading.asks_for_all:
        return _all(chosen)
    told = list(_TELLERS[reading.aim](reading, chosen)) if reading.aim in _TELLERS else []
    if reading.aim in (Aim.COUNT, Aim.DURATION):
        return told
    return told or [happened(candidate, reading.main) for candidate in chosen[:1]]


def _all(chosen: Sequence[Candidate]) -> list[Claim]:
    """Every event; of many the first, and how many there are."""
    claims = [happened(candidate) for candidate in chosen[:MOST]]
    if len(chosen) > MOST:
        claims[0] = replace(claims[0], text=f"{len(chosen)} events, of which the first {MOST}: {claims[0].text}")
    return claims


def _sequence(reading: Reading, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest events, told in their order."""
    for candidate in chronological(chosen[:MOST]):
        yield happened(candidate)


_TELLERS: Mapping[Aim, Callable[[Reading, Sequence[Candidate]], Iterator[Claim]]] = {
    Aim.PLACE: things.place,
    Aim.STATE: things.state,
    Aim.HISTORY: things.history,
    Aim.CONTENTS: things.contents,
    Aim.ITINERARY: things.itinerary,
    Aim.SIGHTING: things.sighting,
    Aim.COUNT: reckoning.count,
    Aim.DURATION: reckoning.duration,
    Aim.MOMENT: moments.moment,
    Aim.PERSON: people.persons,
    Aim.SPEECH: people.speech,
    Aim.SEQUENCE: _sequence,
}
