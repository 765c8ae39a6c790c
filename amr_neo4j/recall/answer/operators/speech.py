"""What was said."""

from __future__ import annotations

from amr_neo4j.recall.answer.checks import doubt
from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown
from amr_neo4j.recall.answer.operators.event import likeliest
from amr_neo4j.recall.evidence.dialogue import bears_on, is_by_another, line_asked_for, speaker_and_words
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.premise import asked_words, unmet
from amr_neo4j.recall.question.parsed import ParsedQuestion


def speech(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The line that bears on the question, of the likeliest event that has one; else what its people say there."""
    found = line_asked_for(parsed.main, evidence.events)
    if found is None:
        return likeliest(parsed, evidence)
    candidate, line = found
    said = parsed.language.grammar.said_at(*speaker_and_words(line), candidate.event)
    claims = (Claim(said, candidate, line),)
    if is_by_another(line, parsed.main, asked_words(parsed)):
        return Unknown(Reason.NOT_STATED, claims)
    if bears_on(line, parsed.main, candidate):
        return Claims(claims)
    lacking = unmet(parsed, parsed.main, candidate).things
    return Unknown(doubt(parsed, candidate, evidence) if lacking else Reason.IN_DOUBT, claims, unmet_words=lacking)
