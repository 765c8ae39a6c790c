"""When it was: by wall clock and calendar where a video knows them, and by the second of the video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amr_neo4j.language.content import words_of
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.claim import Claim, when
from amr_neo4j.recall.reading import Reading

_CALENDAR = {"day", "date", "weekday"}


def moment(reading: Reading, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest event with its moment."""
    for candidate in chosen[:1]:
        yield Claim(f"{_moment(reading, candidate)}: {candidate.event.summary_text.rstrip('. ')}", candidate)


def _moment(reading: Reading, candidate: Candidate) -> str:
    at = candidate.event.at
    if at and candidate.event.turn:
        return f"said on {at:%A} {at.day} {at:%B %Y}, {at:%H:%M:%S %Z}"
    if at:
        return f"{when(candidate)}, {at:%A} {at.day} {at:%B %Y}, {at:%H:%M:%S %Z}"
    unknown = " (its day is not known)" if _CALENDAR.intersection(words_of(reading.question.text)) else ""
    return when(candidate) + unknown
