"""What the chosen events say to a question, by what it aims at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from amr_neo4j.recall import people, things
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.choose import chronological
from amr_neo4j.recall.claim import Claim, happened
from amr_neo4j.recall.reading import Aim, Reading

MOST = 5


def claims_for(reading: Reading, chosen: Sequence[Candidate]) -> list[Claim]:
    """What is claimed in answer; empty for no event. chosen: the events the question may mean, likeliest first."""
    told = list(_TELLERS[reading.aim](reading, chosen)) if reading.aim in _TELLERS else []
    return told or [happened(candidate, reading.main) for candidate in chosen[:1]]


def _sequence(reading: Reading, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest events, told in their order."""
    for candidate in chronological(chosen[:MOST]):
        yield happened(candidate)


_TELLERS: Mapping[Aim, Callable[[Reading, Sequence[Candidate]], Iterator[Claim]]] = {
    Aim.PLACE: things.place,
    Aim.STATE: things.state,
    Aim.HISTORY: things.history,
    Aim.CONTENTS: things.contents,
    Aim.PERSON: people.persons,
    Aim.SPEECH: people.speech,
    Aim.SEQUENCE: _sequence,
}
