"""Whether an event states what a clause asks: in one sentence or line, not in words that are far apart."""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause


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
    yield candidate.event.summary_text
    yield from candidate.event.dialogue_snippets
