"""Estimates how likely the event that an answer rests on supports it, and words the answer by that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from typing import Literal

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.answer.claim import Claims, ModelClaims, Reason, Unknown, caveats
from amr_neo4j.recall.evidence.changes import told_states
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.tables import Table, load

Sign = Literal["score_share", "score_share_of_lists", "words", "doubted", "doubted_by_lists", "declined"]
# The share of the question's words that an event has, if the question has no specific words.
_HALF = 0.5
_FIRST_OR_LAST = (Order.FIRST, Order.LAST)


class ConfidenceTable(Table):
    """confidence.yaml. Its header documents the keys."""

    fitted_on: tuple[str, ...]
    temperature: float
    intercept: float
    weights: dict[Sign, float]
    plain: float
    decline: float
    decline_lists: float


_TABLE = load("amr_neo4j.recall.answer", "confidence.yaml", ConfidenceTable)


def confidence(parsed: ParsedQuestion, result: Claims | ModelClaims | Unknown, found: Sequence[Candidate]) -> float:
    """Return how likely the first event of an answer supports it, from 0 to 1; 0 if there is none.

    It is a logistic regression on `signs`. Believed facts bring their own confidence.

    found: everything that may be relevant.
    """
    if isinstance(result, Claims) and result.confidence is not None:
        return result.confidence
    measured = signs(parsed, result, found)
    if not measured:
        return 0.0
    return 1 / (1 + exp(-_TABLE.intercept - sum(_TABLE.weights[sign] * value for sign, value in measured.items())))


def signs(
    parsed: ParsedQuestion, result: Claims | ModelClaims | Unknown, found: Sequence[Candidate]
) -> dict[Sign, float]:
    """Return what the confidence is computed from (see confidence.yaml); empty if there is no event."""
    claims = result.nearest if isinstance(result, Unknown) else result.claims
    events = claims[0].events if claims else best_first(found)[:1]
    if not events:
        return {}
    first = events[0]
    tells_state = _tells_state(parsed, first)
    words = _words_asked(parsed, first)
    weighed = {word.word: first.weights.get(word.word, 1.0) for word in words}
    held = sum(weighed[word.word] for word in words if not word.forms.isdisjoint(first.forms))
    has_lists = _has_lists(first)
    # What is counted, or found by its time in lists, rests on many events, and none has to stand out.
    is_counted = parsed.is_aggregate or Trait.OF_FILM in parsed.traits
    # The state told last holds, however little its words have of the question.
    is_computed = is_counted or tells_state or (has_lists and parsed.order in _FIRST_OR_LAST)
    share = 0.0 if is_computed or not words else _log_share(first.score, [each.score for each in found])
    doubted = isinstance(result, Unknown) and not result.declines
    return {
        "score_share": share,
        "score_share_of_lists": share * has_lists,
        "words": held / sum(weighed.values()) if sum(weighed.values()) else _HALF,
        "doubted": float(doubted),
        "doubted_by_lists": float(doubted and has_lists),
        "declined": float(isinstance(result, Unknown) and result.declines),
    }


def _tells_state(parsed: ParsedQuestion, first: Candidate) -> bool:
    return parsed.answer_type is AnswerType.STATE and any(told_states(parsed.main, first))


def _words_asked(parsed: ParsedQuestion, first: Candidate) -> list[ContentWord]:
    """Return the words of a question that its answer should have. first: the first event of the answer."""
    words = [word for word in parsed.whole.specific_words if word.word not in parsed.type_words]
    if _tells_state(parsed, first):
        # "The back door is closed" need not have the word of "Is the back door open?".
        words = [word for word in words if not parsed.language.kinds_of_state(word.word)]
    return words


def _log_share(score: float, scores: Sequence[float]) -> float:
    """Return the logarithm of the share that a score has of a softmax over all scores."""
    most = max([score, *scores])
    total = sum(exp((each - most) / _TABLE.temperature) for each in scores)
    return (score - most) / _TABLE.temperature - log(total or 1.0)


def worded(parsed: ParsedQuestion, result: Claims | Unknown, sure: float, cost: float) -> Claims | Unknown:
    """Return an answer that is plain, in doubt or declined by its confidence.

    What the rules know to be missing (an attribute, a word of the question) stays in doubt or declined, and so does
    what lists of persons, things and actions do not have, and what "I" did if nobody knows who that is. A count or a
    length of time that was not found has no plain answer.

    sure: the confidence.
    cost: how much worse a wrong answer is than no answer, as a multiple of what a right one is worth.
    """
    claims = result.nearest if isinstance(result, Unknown) else result.claims
    known = isinstance(result, Claims) and (result.confidence is not None or result.caveats)
    decided = isinstance(result, Unknown) and result.reason is not Reason.IN_DOUBT
    if not claims or decided:
        return result
    if _may_be_of_others(parsed, claims[0].rests_on):
        unknown = result if isinstance(result, Unknown) else Unknown(Reason.IN_DOUBT, claims)
        result, known = replace(unknown, never_sure=True), False
    odds, lists = sure / max(1 - sure, 1e-9), _has_lists(claims[0].rests_on)
    if known:
        # Who was there is known of the scene. Which scene is meant is only as sure as its caption.
        is_company = parsed.answer_type is AnswerType.COMPANY and not lists
        return Unknown(Reason.IN_DOUBT, claims) if is_company and odds < cost * _TABLE.plain else result
    declines = odds < cost * (_TABLE.decline_lists if lists else _TABLE.decline)
    reason = Reason.NOT_STATED if declines else Reason.IN_DOUBT
    is_plain = odds >= cost * _TABLE.plain
    words = _words_asked(parsed, claims[0].rests_on)
    if parsed.places and words and all(word.forms.isdisjoint(claims[0].rests_on.forms) for word in words):
        # Of the few events of one place, one is always much like the question, and stands out from the others.
        is_plain = False
    if isinstance(result, Claims):
        return result if is_plain else Unknown(reason, claims)
    lacks = result.missing_words or result.unmet_words or result.attribute or result.never_sure
    if is_plain and not (lacks or lists or parsed.guesses or parsed.is_aggregate):
        return Claims(claims, caveats(parsed))
    return replace(result, reason=reason)


def _may_be_of_others(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether a film shows the action but nothing says who "I" is in it."""
    is_of_film = not (candidate.event.turn or candidate.event.heard)
    return parsed.askers == frozenset() and is_of_film and bool(candidate.doing)


def _has_lists(candidate: Candidate) -> bool:
    """Return whether an event lists actions, or is a report of the local analyser, and so can be checked by rules."""
    return candidate.event.lists_actions or candidate.is_report
