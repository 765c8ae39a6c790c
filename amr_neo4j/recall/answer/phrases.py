"""Claims about single events and changes, as several operators make them."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.changes import Change
from amr_neo4j.recall.evidence.dialogue import line_about, reply_to, speaker_and_words
from amr_neo4j.recall.evidence.spatial import Description
from amr_neo4j.recall.question.clause import Clause


def event_claim(candidate: Candidate, clause: Clause | None = None) -> Claim:
    """When and what happened, with the line of dialogue that matches more of the clause than the summary does."""
    event, grammar = candidate.event, candidate.language.grammar
    summary = grammar.summary(event)
    if event.turn:
        return Claim(grammar.turn_at(event, *speaker_and_words(summary)), candidate)
    line = line_about(candidate, clause) if clause else ""
    adds = clause and line and _matched(candidate, clause, f"{line} {summary}") > _matched(candidate, clause, summary)
    return line_claim(candidate, line) if adds else Claim(grammar.event_at(event), candidate)


def line_claim(candidate: Candidate, line: str) -> Claim:
    """When and what happened, with this line of its dialogue; a line that asks is quoted with the reply to it."""
    reply = reply_to(candidate, line)
    quoted = f"{line} {reply}" if reply else line
    return Claim(candidate.language.grammar.event_at(candidate.event, quoted), candidate, reply or line)


def _matched(candidate: Candidate, clause: Clause, text: str) -> float:
    return candidate.matched(clause, clause.language.all_forms(text))


def change_claim(change: Change, *, last: bool = False) -> Claim:
    """What was done to a thing, by whom and when. last: it is stated to be the last such change."""
    candidate, action = change.candidate, change.action
    actor = person_name(candidate, action.actor) if action.actor else ""
    grammar = candidate.language.grammar
    return Claim(grammar.change_at(action, change.effect.lemma, actor, candidate.event, last=last), candidate)


def description_claim(described: Description) -> Claim:
    """Where a thing was beside others, and when."""
    candidate = described.candidate
    return Claim(candidate.language.grammar.described_at(described.name, described.where, candidate.event), candidate)


def person_name(candidate: Candidate, person_id: str) -> str:
    """A person within a sentence, by the name that the event has."""
    return candidate.language.grammar.person_name(candidate.people.get(person_id, person_id.replace("_", " ")))
