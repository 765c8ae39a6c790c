"""Who did it."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import event_claim, person_name
from amr_neo4j.recall.evidence.actors import actors_asked_for, people_at_place
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def person(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Those who did it: of the best event, and of others that match the question fully."""
    there = people_at_place(parsed.main, evidence.events) if parsed.asks_who_is_there else []
    if parsed.asks_who_is_there and not there:
        return Unknown(Reason.IN_DOUBT, tuple(event_claim(candidate) for candidate in evidence.events[:1]))
    people_at = parsed.language.grammar.people_at
    claims = (
        Claim(people_at([person_name(candidate, who) for who in actors], candidate.event), candidate)
        for candidate, actors in there or actors_asked_for(parsed.main, evidence.events)
    )
    return claims_or_event(claims, parsed, evidence)
