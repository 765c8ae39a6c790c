"""When a thing was last seen."""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.operators.place import placement_claims
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.changes import is_about_the_last, placements
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.support import seen_with
from amr_neo4j.recall.question.parsed import ParsedQuestion


def sighting(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The last event in which the thing is, and the change that put it where it was by then."""
    return claims_or_event(_claims(parsed, evidence), parsed, evidence)


def _claims(parsed: ParsedQuestion, evidence: Evidence) -> Iterator[Claim]:
    seen = seen_with(parsed.main.objects, evidence.events)
    if seen is None:
        return
    yield event_claim(seen)
    for placement in placements(parsed, evidence.events)[:1]:
        if placement.change.candidate is not seen:
            yield next(placement_claims(placement, last=is_about_the_last(parsed)))
