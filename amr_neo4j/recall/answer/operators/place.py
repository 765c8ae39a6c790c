"""Where a thing is, or who has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import change_claim
from amr_neo4j.recall.evidence.changes import Placement, is_about_the_last, placements
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def place(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The change that put each thing in its place, or gave it to its holder."""
    last = is_about_the_last(parsed)
    found = placements(parsed, evidence.events)
    claims = (claim for placement in found for claim in placement_claims(placement, last=last))
    return claims_or_event(claims, parsed, evidence)


def placement_claims(placement: Placement, *, last: bool) -> Iterator[Claim]:
    """The change, and the last one that names the place where this one does not."""
    change, grammar = placement.change, placement.change.candidate.language.grammar
    claim = change_claim(change, last=last)
    if last and change.effect.moves == "to_actor":
        claim = replace(claim, text=grammar.with_place_unknown(claim.text, change.action.object))
    yield claim
    if placement.stated:
        stated = change_claim(placement.stated)
        yield replace(stated, text=grammar.last_stated_place(stated.text))
