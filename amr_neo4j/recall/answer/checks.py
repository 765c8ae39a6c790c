"""Checks that the event of an answer supports what the question takes for granted.

"When did Anna take the red cup?" assumes that somebody took a red cup, and that it was Anna.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown, event_claim
from amr_neo4j.recall.evidence.changes import told_states
from amr_neo4j.recall.evidence.premise import Unmet, contradicted, unmet
from amr_neo4j.recall.question.answer_types import AnswerType, Trait
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# Words about one thing are mostly within this many sentences or lines. A long turn is about many things.
TOGETHER = 5
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")
# If the best event does not support the question, this many best events are tried instead.
READ = 8


def is_stated(clause: Clause, candidate: Candidate) -> bool:
    """Return whether one text of the event has every specific word of the clause.

    The words for the deed may be missing if the event leaves a thing in the state in which the deed would leave it.
    A turn is one text.
    """
    asked = [word for word in clause.specific_words if word.word not in clause.name_parts]
    if clause.effects & candidate.effects:
        asked = [word for word in asked if not word.acts]
    all_forms = clause.language.all_forms
    return any(all(word.forms & all_forms(text) for word in asked) for text in texts_of(candidate))


def texts_of(candidate: Candidate) -> Iterator[str]:
    """Yield the texts of an event that each state something by themselves: its summary and each line of dialogue."""
    yield candidate.text
    yield from candidate.event.dialogue_snippets


def is_of_named(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether a turn is by or about somebody whom the question names.

    What one speaker says about himself does not answer a question about another speaker. True for events of videos,
    and if the question names nobody.
    """
    named = {*parsed.whole.persons, *parsed.whole.aliases}
    # A turn is by one speaker and mostly about them. An event of a video lists its people, so other checks see to it.
    if not candidate.event.turn or not named or not named.isdisjoint(candidate.people):
        return True
    return any(
        word.forms & candidate.forms for word in parsed.whole.specific_words if word.word in parsed.whole.name_parts
    )


def is_together(clause: Clause, candidate: Candidate) -> bool:
    """Return whether the words of a clause are near each other in a turn; always true for events and short turns."""
    sentences = _SENTENCE_END.split(candidate.event.summary_text) if candidate.event.turn else []
    if len(sentences) <= TOGETHER:
        return True
    all_forms = clause.language.all_forms
    forms = [all_forms(sentence) for sentence in sentences]
    had = [word.forms for word in clause.specific_words if not word.forms.isdisjoint(candidate.forms)]
    # One window of TOGETHER sentences must have every word of the clause that the turn has anywhere.
    stretches = (frozenset[str]().union(*forms[n : n + TOGETHER]) for n in range(len(forms) - TOGETHER + 1))
    return any(not any(word.isdisjoint(there) for word in had) for there in stretches)


def borne_out(parsed: ParsedQuestion, evidence: Evidence, found: Claims | Unknown) -> Claims | Unknown:
    """Return the claims if their event has the persons, things and deed of the question.

    If it does not, return another event that has them all. If there is none, return that memory does not state it,
    with the nearest event.
    """
    if not isinstance(found, Claims) or parsed.asks_for_all or parsed.nth or Trait.OF_DEED not in parsed.traits:
        return found
    # The first and the last claim are the ends of the time range; the one before the last is the last event inside.
    if evidence.selection.until:
        lacking = _unmet(parsed, parsed.main, found.claims[:-1][-1].rests_on)
        return Unknown(Reason.IN_DOUBT, found.claims, unmet_words=lacking.words) if lacking.verbs else found
    lacking = _unmet(parsed, parsed.main, found.claims[0].rests_on)
    if lacking.words:
        return _nearest(parsed, evidence, found, lacking)
    reference = evidence.selection.reference
    if reference and parsed.reference:
        lacking = _unmet(parsed, parsed.reference, reference)
        if lacking.words:
            # Which event time is counted from is the doubt, so it is shown.
            origin = () if reference is found.claims[0].rests_on else (event_claim(reference),)
            return Unknown(Reason.IN_DOUBT, (*origin, *found.claims), unmet_words=lacking.words)
    return found


def _nearest(parsed: ParsedQuestion, evidence: Evidence, found: Claims, lacking: Unmet) -> Claims | Unknown:
    """Return claims on the event that supports most words of the question. They are an answer only if the event has
    every word itself; otherwise they are the nearest that memory has.
    """
    reference = evidence.selection.reference
    # The event that time is counted from may itself be the answer: "what did Anna do when she took the cup?"
    others = [*evidence.events[:READ], *([reference] if reference else [])]
    best = min(others, key=lambda other: len(_unmet(parsed, parsed.main, other).words))
    of_best = _unmet(parsed, parsed.main, best)
    first = found.claims[0].rests_on
    exact = unmet(parsed, parsed.main, best, exact=True)
    # `best` has only a related verb, which proves less than the verb itself, and the found event fits the deed too.
    if exact.verbs and not lacking.verbs and not of_best.words:
        return Unknown(Reason.IN_DOUBT, found.claims, unmet_words=lacking.words)
    if len(of_best.words) >= len(lacking.words):
        return Unknown(doubt(parsed, first), found.claims, unmet_words=lacking.words)
    claims = (event_claim(best, parsed.main, evidence.found),)
    if of_best.words:  # no single event has all the words
        return Unknown(doubt(parsed, first if lacking.things else best), claims, unmet_words=of_best.words)
    return Unknown(Reason.IN_DOUBT, claims, unmet_words=exact.words) if exact.words else Claims(claims)


def doubt(parsed: ParsedQuestion, candidate: Candidate) -> Reason:
    """Return why an event that lacks a word of the question is no sure answer.

    NOT_STATED: it states another colour, owner or doer, or lists others than the person who is named.
    IN_DOUBT: it may state the word in other words.
    """
    of_others = candidate.event.lists_actions and parsed.main.name_parts.intersection(
        unmet(parsed, parsed.main, candidate).things
    )
    contradicts = of_others or contradicted(parsed.main, candidate)
    return Reason.NOT_STATED if contradicts else Reason.IN_DOUBT


def _unmet(parsed: ParsedQuestion, clause: Clause, candidate: Candidate) -> Unmet:
    if parsed.answer_type is AnswerType.PLACE and not any(word.acts for word in clause.words):
        # "Where is Anna's mug": an event need not state again whose mug it is.
        return Unmet(contradicted(clause, candidate))
    if parsed.answer_type is AnswerType.STATE and any(told_states(clause, candidate)):
        # "The back door is closed" answers "Is the back door open?".
        return Unmet()
    return unmet(parsed, clause, candidate)
