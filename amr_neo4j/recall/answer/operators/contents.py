"""What is in or on a place."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import change_claim
from amr_neo4j.recall.evidence import changes
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def contents(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The changes that put the things there, the latest first."""
    return claims_or_event(map(change_claim, changes.contents(parsed, evidence.events)), parsed, evidence)
