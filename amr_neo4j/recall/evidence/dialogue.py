"""Lines of an event's dialogue: who speaks, and which line bears on a clause."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause


def speaker_and_words(line: str) -> tuple[str, str]:
    """A line "speaker: words" in its parts; the speaker is empty where the line names none."""
    speaker, colon, words = line.partition(": ")
    return (speaker, words) if colon else ("", line)


def line_about(candidate: Candidate, clause: Clause) -> str:
    """The line that matches most of a clause, beside the names of its persons; empty where none matches."""
    names = {word for who in clause.persons for word in who.split("_")}
    about = {form for word in clause.specific_words if word.word not in names for form in word.forms}
    all_forms = clause.language.all_forms
    matched = {
        line: candidate.matched(clause, about & all_forms(speaker_and_words(line)[1]))
        for line in candidate.event.dialogue_snippets
    }
    best = max(matched, key=lambda line: matched[line], default="")
    return best if matched.get(best) else ""


def line_asked_for(clause: Clause, events: Sequence[Candidate]) -> tuple[Candidate, str] | None:
    """The event and its line that bears on the clause; else any line spoken there. Lines by its persons first."""
    lines = [(candidate, line) for candidate in events if (line := line_about(candidate, clause))]
    lines += [(candidate, line) for candidate in events for line in candidate.event.dialogue_snippets]
    by_persons = [(candidate, line) for candidate, line in lines if _is_by(line, clause)]
    return next(iter(by_persons or lines), None)


def _is_by(line: str, clause: Clause) -> bool:
    speaker, _ = speaker_and_words(line)
    return bool(speaker) and clause.language.person_key(speaker).person_id in clause.persons
