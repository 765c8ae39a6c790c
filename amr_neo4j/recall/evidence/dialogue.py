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
    return next(iter(_lines_about(candidate, clause)), "")


def line_asked_for(clause: Clause, events: Sequence[Candidate]) -> tuple[Candidate, str] | None:
    """The event and its line that bears on the clause; else any line spoken there. Lines by its speakers first."""
    speakers = _speakers(clause)
    bearing = [(candidate, line) for candidate in events for line in _lines_about(candidate, clause)]
    spoken = [(candidate, line) for candidate in events for line in candidate.event.dialogue_snippets]
    said = [(candidate, line) for candidate, line in spoken if _is_by(line, speakers, clause)]
    asked = [found for found in said if clause.language.asking.asks(clause.text, found[1])]
    bearing_said = [(candidate, line) for candidate, line in bearing if _is_by(line, speakers, clause)]
    return next(iter([*bearing_said, *asked, *said, *bearing, *spoken]), None)


def bears_on(line: str, clause: Clause) -> bool:
    """Whether a line has a word of what is said, where the clause names any: "say about the tickets"."""
    about = [word for word in clause.specific_words if word.word not in clause.name_parts and not word.acts]
    forms = clause.language.all_forms(line)
    return not about or any(not word.forms.isdisjoint(forms) for word in about)


def _lines_about(candidate: Candidate, clause: Clause) -> list[str]:
    """The lines that match the clause, those that match most of it first."""
    about = {form for word in clause.specific_words if word.word not in clause.name_parts for form in word.forms}
    all_forms = clause.language.all_forms
    weights = {
        line: candidate.matched(clause, about & all_forms(speaker_and_words(line)[1]))
        for line in candidate.event.dialogue_snippets
    }
    return sorted((line for line in weights if weights[line]), key=lambda line: -weights[line])


def _speakers(clause: Clause) -> Sequence[str]:
    """Whose words are asked for: of several persons those named before the verb, not those spoken to."""
    words_of = clause.language.words_of
    words = words_of(clause.text)
    verb = next(
        (n for n, word in enumerate(words) if any(w.word == word and w.acts for w in clause.words)), len(words)
    )
    before = set(words[:verb])
    return [who for who in clause.persons if not before.isdisjoint(who.split("_"))] or clause.persons


def _is_by(line: str, speakers: Sequence[str], clause: Clause) -> bool:
    speaker, _ = speaker_and_words(line)
    return bool(speaker) and clause.language.person_key(speaker).person_id in speakers
