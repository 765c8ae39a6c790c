"""Whether the event that an answer rests on bears out what the question takes for granted."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.colours import of_other_colours
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.premise import Unmet, asked_words, unmet
from amr_neo4j.recall.evidence.report_checks import lacks
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion

# Types whose answer claims that what was asked was done, to what was asked.
_CLAIMS_THE_DEED = (AnswerType.EVENT, AnswerType.PERSON, AnswerType.MOMENT, AnswerType.PLACE)
# Of so many, the best, another may bear it out.
READ = 8
# An event that has who or what is asked about, or does the deed, may have other words for the rest: so much less of a
# cosine is close then.
PART = 0.1
# A caption or a turn tells a part in its own words, and lists nothing: that it lacks a word says little. The same is
# true of a word that all of memory lacks.
OTHER_WORDS = 0.2


def borne_out(parsed: ParsedQuestion, evidence: Evidence, found: Claims | Unknown) -> Claims | Unknown:
    """The claims, where their event has who and what the question names and does what it asks.

    Else another event that does; else that memory does not state it, with the nearest event.
    """
    if (
        not isinstance(found, Claims)
        or parsed.asks_for_all
        or parsed.nth
        or parsed.answer_type not in _CLAIMS_THE_DEED
    ):
        return found
    if evidence.selection.until:  # the first and the last claim are the two ends
        lacking = _unmet(parsed, parsed.main, found.claims[:-1][-1].rests_on)
        return Unknown(Reason.IN_DOUBT, found.claims, unmet_words=lacking.words) if lacking.verbs else found
    lacking = _unmet(parsed, parsed.main, found.claims[0].rests_on)
    if lacking.words:
        return _nearest(parsed, evidence, found, lacking)
    reference = evidence.selection.reference
    if reference and parsed.reference:
        lacking = _unmet(parsed, parsed.reference, reference)
        if lacking.words:
            return Unknown(Reason.IN_DOUBT, found.claims, unmet_words=lacking.words)
    return found


def _nearest(parsed: ParsedQuestion, evidence: Evidence, found: Claims, lacking: Unmet) -> Claims | Unknown:
    """Of the best events the one that bears out most: an answer where it has every word itself."""
    reference = evidence.selection.reference
    others = [*evidence.events[:READ], *([reference] if reference else [])]
    best = min(others, key=lambda other: len(_unmet(parsed, parsed.main, other).words))
    of_best = _unmet(parsed, parsed.main, best)
    first = doubt(parsed, found.claims[0].rests_on, evidence)
    exact = unmet(parsed, parsed.main, best, exact=True)
    if exact.verbs and not lacking.verbs and not of_best.words:  # the verb itself tells more than one of its class
        return Unknown(Reason.IN_DOUBT, found.claims, unmet_words=lacking.words)
    if len(of_best.words) >= len(lacking.words):
        return Unknown(first, found.claims, unmet_words=lacking.words)
    claims = (event_claim(best, parsed.main),)
    if of_best.words:  # one event has the one word, another the other
        return Unknown(first if lacking.things else doubt(parsed, best, evidence), claims, unmet_words=of_best.words)
    return Unknown(Reason.IN_DOUBT, claims, unmet_words=exact.words) if exact.words else Claims(claims)


def doubt(parsed: ParsedQuestion, candidate: Candidate, evidence: Evidence) -> Reason:
    """Why an event that lacks a word of the question is no answer: it may say so in other words, or it does not."""
    if lacks(parsed.main, candidate, of_other_colours):
        return Reason.NOT_STATED
    of_list = PART if _bears_out_part(parsed, candidate) else 0.0
    slack = of_list if candidate.event.is_taken_apart else OTHER_WORDS
    return Reason.IN_DOUBT if evidence.is_close(candidate, slack) else Reason.NOT_STATED


def _bears_out_part(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Whether an event has a person or thing that is asked about, or does what is asked."""
    clause, lacking = parsed.main, unmet(parsed, parsed.main, candidate)
    things = {word.word for word in clause.names} - asked_words(parsed)
    return bool(things.difference(lacking.things)) or (bool(clause.named_verbs) and not lacking.verbs)


def _unmet(parsed: ParsedQuestion, clause: Clause, candidate: Candidate) -> Unmet:
    if parsed.answer_type is AnswerType.PLACE and not any(word.acts for word in clause.words):
        # "where is Anna's mug": whose it is need not be stated again
        return Unmet(lacks(clause, candidate, of_other_colours))
    return unmet(parsed, clause, candidate)
