"""What a report of the local analyser lacks of what a clause names: checks of one form."""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.colours import of_other_colours
from amr_neo4j.recall.question.clause import Clause

Check = Callable[[Clause, Candidate], tuple[str, ...]]
"""The words of a clause that a report does not bear out."""


def nobody(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The word of a clause for a person, where there is nobody."""
    asks = clause.language.asking.anybody.search(clause.text)
    described = [word.word for word in clause.words if word.describes_person]
    word = asks[0] if asks else next(iter(described), "")
    return (word,) if word and not candidate.people else ()


def other_parts(clause: Clause, candidate: Candidate) -> tuple[str, ...]:
    """The parts of the picture that a clause names and that are not told."""
    summary = candidate.event.summary_text.casefold()
    asked = clause.language.asking.in_part.finditer(clause.text)
    sides = [clause.language.grammar.part_in_view(each["part"], each["way"]) for each in asked]
    return tuple(words for words in sides if words not in summary)


CHECKS: tuple[Check, ...] = (of_other_colours, nobody, other_parts)


def lacks(clause: Clause, candidate: Candidate, *checks: Check) -> tuple[str, ...]:
    """What the first of the checks finds that finds anything; empty for what is no report."""
    if not clause.language.grammar.is_as_watched(candidate.event.summary_text):
        return ()
    return next(filter(None, (check(clause, candidate) for check in checks)), ())
