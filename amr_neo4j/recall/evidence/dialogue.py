"""Lines of an event's dialogue: who speaks, and which line bears on a clause."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from amr_neo4j.language.nouns import ContentWord
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.retrieve.candidate import Candidate


def speaker_and_words(line: str) -> tuple[str, str]:
    """A line "speaker: words" in its parts; the speaker is empty where the line names none."""
    speaker, colon, words = line.partition(": ")
    return (speaker, words) if colon else ("", line)


def line_about(candidate: Candidate, clause: Clause) -> str:
    """The line that matches most of a clause, beside the names of its persons; empty where none matches."""
    return next(iter(_lines_about(candidate, clause)), "")


def reply_to(candidate: Candidate, line: str) -> str:
    """The line behind one that asks, in the same event; empty where it asks nothing."""
    lines = candidate.event.dialogue_snippets
    asks = line.rstrip("\"'”’») ").endswith("?")
    return next(iter(lines[lines.index(line) + 1 :]), "") if asks and line in lines else ""


def line_asked_for(clause: Clause, events: Sequence[Candidate]) -> tuple[Candidate, str] | None:
    """The event and its line that bears on the clause; else any line spoken there. Lines by its speakers first."""
    speakers = _speakers(clause)
    bearing = [(candidate, line) for candidate in events for line in _lines_about(candidate, clause)]
    spoken = [(candidate, line) for candidate in events for line in candidate.event.dialogue_snippets]
    said = [(candidate, line) for candidate, line in spoken if _is_by(line, speakers, clause)]
    asked = [found for found in said if clause.language.asking.asks(clause.text, found[1])]
    bearing_said = [(candidate, line) for candidate, line in bearing if _is_by(line, speakers, clause)]
    return next(iter([*bearing_said, *asked, *said, *bearing, *spoken]), None)


def bears_on(line: str, clause: Clause, candidate: Candidate) -> bool:
    """Whether a line has a word of what is said, where the clause names any: "say about the tickets".

    candidate: its event, whose people are spoken to or speak.
    """
    people = clause.language.all_forms(" ".join(candidate.people.values()))
    about = [word for word in clause.specific_words if not word.acts and word.forms.isdisjoint(people)]
    forms = clause.language.all_forms(line)
    return not about or any(not (word.forms | clause.language.kin(word.word)).isdisjoint(forms) for word in about)


def is_by_another(line: str, clause: Clause, besides: Collection[str] = ()) -> bool:
    """Whether a line is by a known speaker who is not whom the clause names before its verb. besides: words that name
    nobody."""
    speaker, _ = speaker_and_words(line)
    if not speaker:
        return False
    is_asked = clause.language.person_key(speaker).person_id in (*_speakers(clause), *clause.aliases)
    apart = {*besides, *(clause.name_parts if is_asked else ())}
    asked = [word for word in _before_verb(clause) if word.names and not word.vague and word.word not in apart]
    known, kin = clause.language.all_forms(speaker), clause.language.kin
    return any(known.isdisjoint(word.forms | kin(word.word)) for word in asked)


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
    before = {word.word for word in _before_verb(clause)}
    return [who for who in clause.persons if not before.isdisjoint(who.split("_"))] or clause.persons


def _before_verb(clause: Clause) -> list[ContentWord]:
    """The content words before the first verb."""
    return list(takewhile(lambda word: not word.acts, clause.words))


def _is_by(line: str, speakers: Sequence[str], clause: Clause) -> bool:
    speaker, _ = speaker_and_words(line)
    return bool(speaker) and clause.language.person_key(speaker).person_id in speakers
