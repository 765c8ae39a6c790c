"""Reads the lines of an event's dialogue: who speaks, and which line is about a clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain, takewhile

from amr_neo4j.domain.event import Event, speaker_and_words
from amr_neo4j.language.nouns import ContentWord, forms_of
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.retrieve.candidate import Candidate

# A reply begins at most this many seconds after the event of the question.
_REPLY_S = 5.0
_QUOTED = re.compile(r'["“„«].*?(?:["”“»]|$)', re.DOTALL)


def unquoted(event: Event) -> str:
    """Return the summary of an event without the quotes from its dialogue."""
    return _QUOTED.sub(" ", event.summary_text) if event.dialogue_snippets else event.summary_text


def line_about(candidate: Candidate, clause: Clause) -> str:
    """Return the line that matches most of a clause, not counting names of persons; empty if none matches."""
    return next(iter(lines_about(candidate, clause)), "")


def line_that_tells(candidate: Candidate, clause: Clause) -> str:
    """Return the line with all words of a clause that its event has, and more of them than the event shows.

    Returns an empty string if there is none, and for a turn.
    """
    event, line = candidate.event, line_about(candidate, clause)
    if event.turn or not line:
        return ""
    about = _forms_besides_names(clause)

    def weight(*texts: str) -> float:
        return candidate.matched(clause, about & clause.language.all_forms(" . ".join(texts)))

    said, shown = speaker_and_words(line)[1], unquoted(event)
    return line if weight(said) >= weight(said, shown) > weight(shown) else ""


def reply_to(candidate: Candidate, line: str, found: Sequence[Candidate] = ()) -> tuple[Candidate, str] | None:
    """Return the line after a question with its event; None if the line is not a question or nothing follows it.

    found: events among which the next one of the video is looked for.
    """
    # The reply to "Where are the tickets?" has the answer, which the question itself does not.
    event, lines = candidate.event, candidate.event.dialogue_snippets
    if line not in lines or not _asks(line):
        return None
    rest = lines[lines.index(line) + 1 :]
    if rest:
        return candidate, rest[0]
    later = [
        (other.event.time_start, other.node_id, other)
        for other in found
        if other.event.video_id == event.video_id
        and other.node_id != candidate.node_id
        and other.event.dialogue_snippets
        and event.time_start < other.event.time_start <= event.time_end + _REPLY_S
    ]
    if not later:
        return None
    replying = min(later)[2]
    reply = replying.event.dialogue_snippets[0]
    # Who goes on speaking gives no reply to the own question.
    asker, answerer = speaker_and_words(line)[0], speaker_and_words(reply)[0]
    return None if asker and asker == answerer else (replying, reply)


def _asks(line: str) -> bool:
    return line.rstrip("\"'”’») ").endswith("?")


def line_asked_for(clause: Clause, events: Sequence[Candidate]) -> tuple[Candidate, str] | None:
    """Return (event, line) for the line that is asked for; None if no event has dialogue.

    In order of preference: a line about the clause by a speaker it names, any line by such a speaker, a line about
    the clause, any line. If the clause asks for what somebody recommended, lines that may recommend something come
    first among each of these.
    """
    speakers = _speakers(clause)
    bearing = [(candidate, line) for candidate in events for line in lines_about(candidate, clause)]
    if clause.language.asking.who_did.match(clause.text):
        bearing = [(candidate, line) for candidate, line in bearing if not _is_by(line, clause.persons, clause)]
    spoken = [(candidate, line) for candidate in events for line in candidate.event.dialogue_snippets]
    said = [(candidate, line) for candidate, line in spoken if _is_by(line, speakers, clause)]
    bearing_said = [(candidate, line) for candidate, line in bearing if _is_by(line, speakers, clause)]
    ordered = (
        sorted(some, key=lambda found: not does_act(found[1], clause))
        for some in (bearing_said, said, bearing, spoken)
    )
    return next(chain.from_iterable(ordered), None)


def does_act(line: str, clause: Clause) -> bool:
    """Return whether a line may do what the clause says that somebody did by speaking: recommend something, say.

    Returns True if the clause asks only for what was said.
    """
    act = clause.language.asking.speech_act(clause.text)
    return act is None or bool(act.line.search(speaker_and_words(line)[1]))


def bears_on(line: str, clause: Clause, candidate: Candidate) -> bool:
    """Return whether a line is about the subject that the clause gives for the speech: the tickets in "say about the
    tickets".

    Returns True if the clause gives no subject.
    candidate: the line's event. The names of its people do not count as a subject.
    """
    people = clause.language.all_forms(" ".join(candidate.people.values()))
    # After the verb, a word that may be a verb is a subject: "say about milk".
    after = clause.words[len(_before_verb(clause)) + 1 :]
    about = [
        word for word in clause.specific_words if (not word.acts or word in after) and word.forms.isdisjoint(people)
    ]
    forms = clause.language.all_forms(line)
    return not about or any(not clause.language.alike(word).isdisjoint(forms) for word in about)


def is_by_another(line: str, clause: Clause, besides: Collection[str]) -> bool:
    """Return whether a line is said by a known speaker other than the one whom the clause names before its verb.

    Returns False if the line itself reports what the named person did: "the architect promised benches".
    besides: words of the clause that name nobody.
    """
    speaker, words = speaker_and_words(line)
    if not speaker or _reports(words, clause):
        return False
    speaker_id = clause.language.person_key(speaker).person_id
    is_asked = speaker_id in (*_speakers(clause), *clause.aliases)
    # "Voice 1" and "voice 2" share a word; "Brown" may be "Mr. Brown".
    parts, names = {*speaker_id.split("_")}, [{*who.split("_")} for who in _named_before_verb(clause)]
    if names and not is_asked and not any(parts <= name or parts >= name for name in names):
        return True
    apart = {*besides, *(clause.name_parts if is_asked else ())}
    asked = [word for word in _before_verb(clause) if word.names and not word.vague and word.word not in apart]
    known, alike = clause.language.all_forms(speaker), clause.language.alike
    return any(known.isdisjoint(alike(word)) for word in asked)


def _reports(words: str, clause: Clause) -> bool:
    """Return whether words state, and do not ask, that the one who is named before the verb did it."""
    forms, before = clause.language.all_forms(words), _before_verb(clause)
    told = [*before, *(word for word in clause.words if word.acts)]
    return (
        any(word.names for word in before)
        and not words.rstrip().endswith("?")
        and not any(forms.isdisjoint(clause.language.alike(word)) for word in told)
    )


def lines_about(candidate: Candidate, clause: Clause) -> list[str]:
    """Return the lines that match the clause, the best match first; of equal ones a question last."""
    about = _forms_besides_names(clause)
    all_forms = clause.language.all_forms
    weights = {
        line: candidate.matched(clause, about & all_forms(speaker_and_words(line)[1]))
        for line in candidate.event.dialogue_snippets
    }
    return sorted((line for line in weights if weights[line]), key=lambda line: (-weights[line], _asks(line)))


def _forms_besides_names(clause: Clause) -> frozenset[str]:
    """Return the forms of the specific words of a clause, without names, since a line rarely names its speaker."""
    return forms_of([word for word in clause.specific_words if word.word not in clause.name_parts])


def _speakers(clause: Clause) -> Sequence[str]:
    """Return the persons whose words are asked for: those named before the verb, else all persons of the clause."""
    if clause.language.asking.who_did.match(clause.text):
        return ()  # "Who told Ben": whoever it was, Ben was told
    return _named_before_verb(clause) or clause.persons


def _named_before_verb(clause: Clause) -> list[str]:
    """Return the persons that are named before the first verb."""
    before = {word.word for word in _before_verb(clause)}
    return [who for who in clause.persons if not before.isdisjoint(who.split("_"))]


def _before_verb(clause: Clause) -> list[ContentWord]:
    """Return the content words before the first verb. A name such as "Mark" or "voice 1" is not a verb."""
    return list(takewhile(lambda word: not word.acts or word.word in clause.name_parts, clause.words))


def _is_by(line: str, speakers: Sequence[str], clause: Clause) -> bool:
    speaker, _ = speaker_and_words(line)
    return bool(speaker) and clause.language.person_key(speaker).person_id in speakers
