"""Where a thing is, beside which others, or who has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import claims_or_event
from amr_neo4j.recall.answer.phrases import change_claim, description_claim
from amr_neo4j.recall.evidence.changes import Placement, is_about_the_last, placements
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.spatial import described_places
from amr_neo4j.recall.question.parsed import ParsedQuestion


def place(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """What describes where each thing is, and the change before it that put it there or gave it to its holder."""
    last = is_about_the_last(parsed)
    placed = placements(parsed, evidence.events)
    described = described_places(parsed, evidence.events, placed)
    later = {each.thing for each in described}
    claims = [
        claim
        for placement in placed
        for claim in placement_claims(placement, last=last, seen_since=placement.change.thing in later)
    ]
    return claims_or_event([*map(description_claim, described), *claims], parsed, evidence)


def placement_claims(placement: Placement, *, last: bool, seen_since: bool = False) -> Iterator[Claim]:
    """The change, and the last one that names the place where this one does not.

    seen_since: a later event says where the thing is.
    """
    change, grammar = placement.change, placement.change.candidate.language.grammar
    claim = change_claim(change, last=last)
    if last and change.effect.moves == "to_actor" and not seen_since:
        claim = replace(claim, text=grammar.with_place_unknown(claim.text, change.action.object))
    yield claim
    if placement.stated and not seen_since:
        stated = change_claim(placement.stated)
        yield replace(stated, text=grammar.last_stated_place(stated.text))
