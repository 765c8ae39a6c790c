"""Answers from what memory knows beside the turns: facts believed of the user, and relations that turns state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from amr_neo4j.domain.mention import Stated
from amr_neo4j.domain.ports import Beliefs
from amr_neo4j.domain.recall import Path, Recalled, Replacement, Scope
from amr_neo4j.recall.answer.claim import Claim, Claims
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Knowledge, Sources

_MOST_CLAIMS = 5
# What was hedged has as much and no more, and what was said long ago has less.
_SURE = 0.5
# Questions for the other side of a relation; none for a number, a time or an order.
_ANSWERED = (AnswerType.EVENT, AnswerType.PERSON, AnswerType.PLACE)
_LONGEST_NAME = 6


def claims_from_facts(
    parsed: ParsedQuestion,
    candidates: Sequence[Candidate],
    outdated: Mapping[int, Replacement],
    then: Scope,
    *,
    sources: Sources,
    knowledge: Knowledge,
) -> Claims | None:
    """The claims of the facts, else of the relations, that answer a question; None where none does.

    outdated: turns that later ones replaced, by node_id. then: the scope as of the time that the question asks for.
    """
    scope, question, beliefs = sources.scope, parsed.question.text, knowledge.beliefs
    known = {candidate.node_id: candidate for candidate in candidates}

    def turns(node_ids: Sequence[int]) -> list[Candidate]:
        unknown = [node_id for node_id in dict.fromkeys(node_ids) if node_id not in known]
        read = sources.reader.events(unknown, scope)
        new = [Candidate(event, Path((event.node_id,), (), 0.0), language=sources.language) for event in read]
        return [*(known[node_id] for node_id in node_ids if node_id in known), *new]

    corrected = {node_id for node_id, each in outdated.items() if each.is_correction}
    facts = _facts_answering(parsed, then, scope, beliefs)
    facts = [fact for fact in facts if not (fact.source and fact.source.node_id in corrected)]
    # A later turn that names somebody does not deny who they are.
    denying = () if facts and beliefs.asks_who(question, scope) else candidates
    found = believed_claims(parsed, facts, turns, denying)
    if found:
        return found
    relations = knowledge.stated.about(names_in(question), scope)
    claims = stated_claims(parsed, [each for each in relations if each.node_id not in outdated], turns)
    return Claims(claims) if claims else None


def _facts_answering(parsed: ParsedQuestion, then: Scope, scope: Scope, beliefs: Beliefs) -> list[Recalled]:
    if parsed.span is None:
        return beliefs.answering(parsed.question.text, then)
    asks_for_no_date = then == scope
    return [] if asks_for_no_date else beliefs.answering(parsed.main.text, then)


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


def names_in(text: str) -> list[str]:
    """Every run of words of a question that may be a mention, as written; the longest first."""
    words = [word.strip(".,;:!?\"'()“”„«»").removesuffix("'s").removesuffix("’s") for word in text.split()]
    runs = [
        " ".join(words[start : start + length])
        for length in range(min(_LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    ]
    return [run for run in dict.fromkeys(runs) if run]


def stated_claims(
    parsed: ParsedQuestion, stated: Sequence[Stated], turns: Callable[[Sequence[int]], list[Candidate]]
) -> tuple[Claim, ...]:
    """A claim for each thing that a relation of the question's verb ties to what it names, the latest first.

    turns: the candidates of these node_ids. Empty where the question names both sides, or no such relation is stated.
    """
    if parsed.answer_type not in _ANSWERED or parsed.reference or parsed.order:
        return ()
    asked = parsed.language.all_forms(parsed.question.text)
    fitting = [each for each in stated if _is_asked(each, parsed, asked)]
    one_each = list({(each.type, each.source, each.target): each for each in fitting}.values())[::-1][:_MOST_CLAIMS]
    of = {turn.node_id: turn for turn in turns([each.node_id for each in one_each])} if one_each else {}
    sentence = parsed.language.grammar.stated_at
    return tuple(
        Claim(sentence(each.source, each.type, each.target, of[each.node_id].event), of[each.node_id])
        for each in one_each
        if each.node_id in of
    )


def _is_asked(each: Stated, parsed: ParsedQuestion, asked: frozenset[str]) -> bool:
    """Whether the question has the words of the relation, and of its sides exactly one."""
    language = parsed.language
    telling = language.content_words(each.type.replace("_", " "))
    sides = [
        set(language.words_of(side)) <= set(language.words_of(parsed.question.text))
        for side in (each.source, each.target)
    ]
    return bool(telling) and all(not word.forms.isdisjoint(asked) for word in telling) and sides.count(True) == 1
