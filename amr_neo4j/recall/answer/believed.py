"""Answers from what is believed of the user: "Where do I live?" by the fact that holds, with its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.recall.answer.claim import Claim, Claims
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion

_MOST_CLAIMS = 5
# What was hedged has as much and no more, and what was said long ago has less.
_SURE = 0.5


def believed_claims(
    parsed: ParsedQuestion, facts: Sequence[Recalled], turns: Callable[[Sequence[int]], list[Candidate]]
) -> Claims | None:
    """A claim for each fact, in their order; in doubt of those not surely believed. turns: candidates by node_id.
    None where the question counts from another event.
    """
    if parsed.order or parsed.reference:
        return None
    resting = [(fact, fact.source.node_id) for fact in facts if fact.source][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([node_id for _, node_id in resting])} if resting else {}
    there = [(fact, of[i]) for fact, i in resting if i in of]
    if not there:
        return None
    grammar = parsed.language.grammar
    unsure = any(fact.confidence <= _SURE for fact, _ in there)
    claims = tuple(Claim(grammar.believed_at(fact.text, turn.event), turn) for fact, turn in there)
    return Claims(claims, (grammar.hardly_believed(),) if unsure else ())
