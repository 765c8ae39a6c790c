"""When it was: by wall clock and calendar where a video has them, and by the second of the video."""

from __future__ import annotations

from amr_neo4j.recall.answer.claim import Claim, Claims, Unknown
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.question.parsed import ParsedQuestion


def moment(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The likeliest event with its moment."""
    grammar = parsed.language.grammar
    date_asked = grammar.asks_for_a_date(parsed.question.text)
    claims = tuple(Claim(grammar.moment(c.event, date_asked=date_asked), c) for c in evidence.events[:1])
    return Claims(claims) if claims else Unknown()
