"""Whether the event that an answer rests on states and bears out what the question takes for granted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown, event_claim
from amr_neo4j.recall.evidence.premise import Unmet, asked_words, lacks, of_other_colours, unmet
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# What is said of one thing is said within so many sentences or lines; a long turn has words of many things.
TOGETHER = 5
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")
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


def is_stated(clause: Clause, candidate: Candidate) -> bool:
    """Whether one text of the event has everything specific that the clause names, or does what it asks.

    A verb may be another one that leaves the same state. A turn is one text.
    """
    asked = [word for word in clause.specific_words if word.word not in clause.name_parts]
    if clause.effects & candidate.effects:
        asked = [word for word in asked if not word.acts]
    all_forms = clause.language.all_forms
    return any(all(word.forms & all_forms(text) for word in asked) for text in texts_of(candidate))


def texts_of(candidate: Candidate) -> Iterator[str]:
    """The texts of an event that each state something by themselves: its summary, and each line."""
    yield candidate.text
    yield from candidate.event.dialogue_snippets


def is_of_named(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Whether a turn is by or about somebody whom the question names; true of events, and where it names nobody.

    What one speaker says of himself answers no question about another one.
    """
    named = {*parsed.whole.persons, *parsed.whole.aliases}
    if not candidate.event.turn or not named or not named.isdisjoint(candidate.people):
        return True
    return any(
        word.forms & candidate.forms for word in parsed.whole.specific_words if word.word in parsed.whole.name_parts
    )


def is_together(clause: Clause, candidate: Candidate) -> bool:
    """Whether the words of a clause that a turn has stand near one another; always true of events and short turns."""
    sentences = _SENTENCE_END.split(candidate.event.summary_text) if candidate.event.turn else []
    if len(sentences) <= TOGETHER:
        return True
    all_forms = clause.language.all_forms
    forms = [all_forms(sentence) for sentence in sentences]
    had = [word.forms for word in clause.specific_words if not word.forms.isdisjoint(candidate.forms)]
    stretches = (frozenset[str]().union(*forms[n : n + TOGETHER]) for n in range(len(forms) - TOGETHER + 1))
    return any(not any(word.isdisjoint(there) for word in had) for there in stretches)


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
