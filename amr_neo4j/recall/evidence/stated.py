"""Whether an event states what a clause asks: in one sentence or line, not in words that are far apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion

# What is said of one thing is said within so many sentences or lines; a long turn has words of many things.
TOGETHER = 5
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")


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
