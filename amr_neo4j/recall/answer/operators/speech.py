"""What was said."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.answer.operators.event import event
from amr_neo4j.recall.evidence.dialogue import line_asked_for, speaker_and_words
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def speech(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The line that bears on the question, of the likeliest event that has one; else what its people say there."""
    found = line_asked_for(parsed.main, evidence.events)
    if found is None:
        return event(parsed, evidence)
    candidate, line = found
    said = parsed.language.grammar.said_at(*speaker_and_words(line), candidate.event)
    return Claims((Claim(said, candidate),))
