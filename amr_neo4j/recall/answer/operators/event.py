"""What happened: the likeliest event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def event(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The likeliest event."""
    claims = tuple(event_claim(candidate, parsed.main) for candidate in evidence.events[:1])
    return Claims(claims) if claims else Unknown()


def claims_or_event(claims: Iterable[Claim], parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The claims; the likeliest event where there are none."""
    found = tuple(claims)
    return Claims(found) if found else likeliest(parsed, evidence)


def likeliest(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The likeliest event, for an operator that found nothing of what is asked for."""
    found = event(parsed, evidence)
    return replace(found, likeliest=True) if isinstance(found, Claims) else found
