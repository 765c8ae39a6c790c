"""Who did it."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import person_name
from amr_neo4j.recall.evidence.actors import actors_asked_for
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def person(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Those who did it: of the best event, and of others that match the question fully."""
    people_at = parsed.language.grammar.people_at
    claims = (
        Claim(people_at([person_name(candidate, who) for who in actors], candidate.event), candidate)
        for candidate, actors in actors_asked_for(parsed.main, evidence.events)
    )
    return claims_or_event(claims, parsed, evidence)
