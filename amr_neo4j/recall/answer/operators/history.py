"""What became of a thing: the events that changed it last, or every place it was in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import change_claim, event_claim
from amr_neo4j.recall.evidence import changes
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def history(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The events that changed the thing last, in their order."""
    return claims_or_event(map(event_claim, changes.history(parsed, evidence.events)), parsed, evidence)


def itinerary(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Every place that the thing was in and everybody who had it, in their order; of many the latest."""
    return claims_or_event(_moves(parsed, evidence), parsed, evidence)


def _moves(parsed: ParsedQuestion, evidence: Evidence) -> Iterator[Claim]:
    moved = changes.moves(parsed, evidence.events)
    omitted = len(moved) - changes.MAX_MOVES
    claims = [change_claim(change) for change in reversed(moved[: changes.MAX_MOVES])]
    if omitted > 0:
        claims[0] = replace(claims[0], text=parsed.language.grammar.earlier_moves(omitted, claims[0].text))
    yield from claims
