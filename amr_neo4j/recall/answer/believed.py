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
    parsed: ParsedQuestion,
    facts: Sequence[Recalled],
    turns: Callable[[Sequence[int]], list[Candidate]],
    found: Sequence[Candidate] = (),
) -> Claims | None:
    """A claim for each fact, in their order; in doubt of those not surely believed. turns: candidates by node_id.
    found: what was retrieved and may deny a fact: where a later turn of it has the object that the question names,
    that turn answers. None where the question counts from another event.
    """
    if parsed.order or parsed.reference:
        return None
    resting = [(fact, fact.source.node_id) for fact in facts if fact.source][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([node_id for _, node_id in resting])} if resting else {}
    there = [(fact, of[i]) for fact, i in resting if i in of and not _is_said_again(parsed, fact, of[i], found)]
    if not there:
        return None
    grammar = parsed.language.grammar
    unsure = any(fact.confidence <= _SURE for fact, _ in there)
    claims = tuple(Claim(grammar.believed_at(fact.text, turn.event), turn) for fact, turn in there)
    return Claims(claims, (grammar.hardly_believed(),) if unsure else ())


def _is_said_again(parsed: ParsedQuestion, fact: Recalled, turn: Candidate, found: Sequence[Candidate]) -> bool:
    """Whether a later turn has the fact's object, which the question names ("Am I vegetarian?"): it may deny it."""
    language = parsed.language
    named = set(language.words_of(fact.triple.object)) if fact.triple else set[str]()
    if not named or not named <= set(language.words_of(parsed.question.text)):
        return False
    return any(
        _is_later(each, turn) and not language.only_asks(each.event.summary_text)
        for each in found
        if each.event.turn and not each.event.turn.by_assistant
        if named <= set(language.words_of(each.event.summary_text))
    )


def _is_later(one: Candidate, other: Candidate) -> bool:
    return bool(one.event.at and other.event.at and one.event.at > other.event.at)
