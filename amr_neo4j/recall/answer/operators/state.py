"""How a thing is: open, on, clean."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import change_claim
from amr_neo4j.recall.evidence.changes import is_about_the_last, state_changes
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def state(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The change that left the thing as it is."""
    last = is_about_the_last(parsed)
    found = state_changes(parsed, evidence.events)
    return claims_or_event((change_claim(change, last=last) for change in found), parsed, evidence)
