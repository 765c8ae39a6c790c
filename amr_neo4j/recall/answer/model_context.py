"""Evidence as text for a model: in order of time, each event behind its citation, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.recall.answer.citations import cite
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.dialogue import line_about
from amr_neo4j.recall.evidence.spatial import descriptions_about
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.parsed import ParsedQuestion

# A low estimate: English has about four characters to a token, other scripts fewer.
CHARACTERS_PER_TOKEN = 3
LONGEST_LINE = 2000


def context(parsed: ParsedQuestion, candidates: Sequence[Candidate], tokens: int) -> list[Candidate]:
    """The best candidates that fit into `tokens`, in order of time. candidates: best first."""
    room, kept = tokens * CHARACTERS_PER_TOKEN, list[Candidate]()
    for candidate in candidates:
        room -= len(evidence_line(parsed, candidate)) + 1
        if room < 0:
            break
        kept.append(candidate)
    return chronological(kept)


def evidence_line(parsed: ParsedQuestion, candidate: Candidate) -> str:
    """One line: citation, wall clock, summary, and the dialogue and places that bear on the question."""
    event = candidate.event
    at = f" ({event.at:%Y-%m-%d %H:%M:%S %Z})" if event.at else ""
    lines = dict.fromkeys(line for clause in parsed.clauses if (line := line_about(candidate, clause)))
    text = parsed.language.grammar.evidence_line(event, list(lines), descriptions_about(candidate, parsed.clauses))
    return f"{cite(event)}{at} {' '.join(text.split())}"[:LONGEST_LINE]
