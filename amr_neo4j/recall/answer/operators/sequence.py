"""In which order things happened, and everything in a stretch of time."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.support import MAX_EVENTS
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.parsed import ParsedQuestion


def sequence(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The likeliest events, in their order."""
    claims = tuple(event_claim(candidate) for candidate in chronological(evidence.events[:MAX_EVENTS]))
    return Claims(claims) if claims else Unknown()


def all_events(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Every selected event; of many the first, and how many there are."""
    claims = [event_claim(candidate) for candidate in evidence.events[:MAX_EVENTS]]
    if not claims:
        return Unknown()
    if len(evidence.events) > MAX_EVENTS:
        first = parsed.language.grammar.first_of_many(len(evidence.events), MAX_EVENTS, claims[0].text)
        claims[0] = replace(claims[0], text=first)
    return Claims(tuple(claims))
