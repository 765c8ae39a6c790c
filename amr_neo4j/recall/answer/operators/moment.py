"""When it was: by wall clock and calendar where a video knows them, and by the second of the video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from amr_neo4j.language.en.content import words_of
from amr_neo4j.recall.answer.claim import Claim, when
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion

_CALENDAR = {"day", "date", "weekday"}


def moment(parsed: ParsedQuestion, chosen: Sequence[Candidate]) -> Iterator[Claim]:
    """The likeliest event with its moment."""
    for candidate in chosen[:1]:
        yield Claim(f"{_moment(parsed, candidate)}: {candidate.event.summary_text.rstrip('. ')}", candidate)


def _moment(parsed: ParsedQuestion, candidate: Candidate) -> str:
    at = candidate.event.at
    if at and candidate.event.turn:
        return f"said on {at:%A} {at.day} {at:%B %Y}, {at:%H:%M:%S %Z}"
    if at:
        return f"{when(candidate)}, {at:%A} {at.day} {at:%B %Y}, {at:%H:%M:%S %Z}"
    unknown = " (its day is not known)" if _CALENDAR.intersection(words_of(parsed.question.text)) else ""
    return when(candidate) + unknown
