"""Decides which turns may answer a question at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from amr_neo4j.domain.ports import Beliefs, FactAsked
from amr_neo4j.domain.recall import QuestionType, Scope
from amr_neo4j.recall.evidence.replacements import LOOKED_AFTER
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.relevance import Answerability, Coverage
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first

# How many of the nearest turns are read for the fact that is asked for.
_READ = 3


def repeats_question(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether a candidate is a turn that only asks, with every content word of the question.

    An assistant that passes the user's question on to memory would find that very turn first. A question about what
    somebody said or asked has no such turns.
    """
    text, language = candidate.summary, parsed.language
    if not candidate.event.turn or _is_about_words(parsed) or not language.only_asks(text):
        return False
    there = language.all_forms(text)
    return all(not word.forms.isdisjoint(there) for word in language.content_words(parsed.question.text))


def _is_about_words(parsed: ParsedQuestion) -> bool:
    return parsed.answer_type is AnswerType.SPEECH or parsed.question.type is QuestionType.CROSS_MODAL


def that_tell_of_user(
    parsed: ParsedQuestion, candidates: list[Candidate], beliefs: Beliefs, scope: Scope
) -> list[Candidate]:
    """Leave out turns that tell nothing about the user, if the question is about the user.

    Returns the same list if all candidates stay.
    """
    turns = [each.event for each in best_first(candidates) if each.event.turn]
    if not turns or _is_about_words(parsed):
        return candidates
    empty = beliefs.no_evidence(parsed.question.text, turns, scope)
    return [each for each in candidates if each.node_id not in empty] if empty else candidates


def about_what_is_asked(
    parsed: ParsedQuestion, candidates: list[Candidate], held: Coverage, beliefs: Beliefs, scope: Scope
) -> tuple[list[Candidate], Coverage]:
    """Return the candidates that may state what is asked, and how much of the question they cover.

    Two kinds of turns are left out: those that state it only about somebody else ("How old am I?": "My sister is
    30"), and those that name no favourite of the asked kind. If no candidate names such a favourite, all are kept
    and the answer is in doubt. If a fact about the user is asked for, the believed facts gave no answer. Then one of
    the nearest turns must seem to state it. If none does, only films may answer, and of their talk only what states
    it of the user.
    """
    question = parsed.question.text
    turns = [each.event for each in best_first(candidates)[:LOOKED_AFTER] if each.event.turn]
    fact = beliefs.fact_asked(question, scope)
    others = fact.stated_of_others(turns, is_now=not (scope.as_of or scope.known_at)) if turns else set[int]()
    if others:
        candidates = [each for each in candidates if each.node_id not in others]
    if held.relevance is Answerability.UNRELATED:
        return candidates, held
    asked = beliefs.favorite_asked(question)
    lacking = {each.node_id: _words_lacking(each, asked) for each in candidates}
    fitting = [each for each in candidates if not lacking[each.node_id]]
    if not fitting and candidates and asked:
        return candidates, Coverage(Answerability.DOUBTFUL, lacking[best_first(candidates)[0].node_id])
    said = [
        each for each in best_first(fitting)[:LOOKED_AFTER] if each.event.is_only_talk and not _is_about_words(parsed)
    ]
    of_others = {each.node_id for each in said if not fact.may_be_said(each.event.dialogue_snippets)}
    if of_others:
        rest = [each for each in fitting if each.node_id not in of_others]
        fitting, held = (rest, held) if rest else (fitting, replace(held, relevance=Answerability.UNSTATED))
    fitting, held = _of_kind_asked(parsed, fitting, held, fact)
    best = best_first(fitting)
    # What a film shows is no statement. Counts and moments rest on many turns.
    if not best or not best[0].event.turn or parsed.is_aggregate:
        return fitting, held
    nearest = [each.event for each in best if each.event.turn][:_READ]
    if not fact.may_be_stated(nearest):
        films = [each for each in fitting if not each.event.turn]
        return (films, held) if films else (fitting, replace(held, relevance=Answerability.UNSTATED))
    return fitting, held


def _of_kind_asked(
    parsed: ParsedQuestion, candidates: list[Candidate], held: Coverage, fact: FactAsked
) -> tuple[list[Candidate], Coverage]:
    """Leave out turns without the time or the person asked for, if another turn has all words of the question.

    If none does, and the best turn has no such thing, the answer is in doubt.
    """
    best = best_first(candidates)[:LOOKED_AFTER]
    others = fact.of_other_kind([each.event for each in best])
    if not others:
        return candidates, held
    asked = parsed.main.specific_words
    fitting = [each for each in best if each.node_id not in others]
    if any(all(not word.forms.isdisjoint(each.forms) for word in asked) for each in fitting if asked):
        return [each for each in candidates if each.node_id not in others], held
    return candidates, replace(held, relevance=Answerability.UNSTATED) if best[0].node_id in others else held


def _words_lacking(candidate: Candidate, asked: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the words that a candidate does not have in any form. asked: {word: its forms}."""
    return tuple(word for word, forms in asked.items() if forms.isdisjoint(candidate.forms))
