"""A claim: a sentence of an answer and the one event it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from amr_neo4j.domain.event import Action
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.language.en.content import all_forms
from amr_neo4j.language.en.persons import person_key
from amr_neo4j.recall.answer.citations import cite
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.clause import Clause


@dataclass(frozen=True)
class Claim:
    """A sentence without its point, and the event it rests on."""

    text: str
    rests_on: Candidate

    def __str__(self) -> str:
        return f"{self.text[:1].upper()}{self.text[1:]} {cite(self.rests_on.event)}."


def happened(candidate: Candidate, clause: Clause | None = None) -> Claim:
    """An event's summary, and the line of its dialogue that tells more of the clause than the summary does."""
    summary = candidate.event.summary_text.rstrip(". ")
    line = line_about(candidate, clause) if clause else ""
    if candidate.event.turn:
        speaker, words = spoken(summary)
        return Claim(f"{when(candidate)} {speaker} said: “{words}”", candidate)
    more = (
        line
        and clause
        and candidate.matched(clause, all_forms(f"{line} {summary}")) > candidate.matched(clause, all_forms(summary))
    )
    return Claim(f"{when(candidate)}: {summary}" + (f" ({line})" if more else ""), candidate)


def when(candidate: Candidate, action: Action | None = None) -> str:
    """ "at 00:12:31 of kitchen_morning", "on 8 May 2023 at 13:56" where somebody says it in a conversation.

    action: of the event, to tell when it was done.
    """
    event = candidate.event
    if event.turn and event.at:
        return f"on {event.at.day} {event.at:%B %Y} at {event.at:%H:%M}"
    begun = event.time_start if action is None or action.time is None else action.time
    return f"at {clock(begun)} of {event.video_id}"


def line_about(candidate: Candidate, clause: Clause) -> str:
    """The line of an event's dialogue that meets most of a clause, leaving out whom it names; empty if none does."""
    people = {word for who in clause.persons for word in who.split("_")}
    about = {form for word in clause.specific_words if word.word not in people for form in word.forms}
    met = {
        line: candidate.matched(clause, about & all_forms(spoken(line)[1]))
        for line in candidate.event.dialogue_snippets
    }
    best = max(met, key=lambda line: met[line], default="")
    return best if met.get(best) else ""


def spoken(line: str) -> tuple[str, str]:
    """A line of dialogue as its speaker, empty where nobody knows, and the words."""
    speaker, colon, words = line.partition(": ")
    return (speaker, words) if colon else ("", line)


def called(candidate: Candidate, person_id: str) -> str:
    """A person as a sentence calls them: a name as it is, a description with its article."""
    name = candidate.people.get(person_id, person_id.replace("_", " "))
    return name if person_key(name).is_name or name.casefold().startswith(("a ", "an ", "the ")) else f"the {name}"
