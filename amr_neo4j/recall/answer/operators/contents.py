"""What is in or on a place, or beside a thing."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown
from amr_neo4j.recall.answer.phrases import change_claim, description_claim, event_claim
from amr_neo4j.recall.evidence import changes
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.spatial import located
from amr_neo4j.recall.question.parsed import ParsedQuestion


def contents(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """What describes the things there, and the changes that put them there, the latest first."""
    described = located(parsed, evidence.events)
    put = changes.contents(parsed, evidence.events, besides={each.thing for each in described})
    claims = (*map(description_claim, described), *map(change_claim, put))
    nearest = tuple(event_claim(candidate, parsed.main) for candidate in evidence.events[:1])
    return Claims(claims) if claims else Unknown(Reason.IN_DOUBT, nearest)
