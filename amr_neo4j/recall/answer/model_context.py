"""Evidence as text for a model: in order of time, each event behind its citation, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.recall.answer.citations import cite
from amr_neo4j.recall.answer.claim import line_about
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.parsed import ParsedQuestion

# A careful guess: English has about four characters to a token, other scripts fewer.
CHARACTERS_PER_TOKEN = 3
LONGEST_LINE = 2000


def context(parsed: ParsedQuestion, candidates: Sequence[Candidate], tokens: int) -> list[Candidate]:
    """As many of the candidates, best first, as `tokens` have room for; in order of time."""
    room, kept = tokens * CHARACTERS_PER_TOKEN, list[Candidate]()
    for candidate in candidates:
        room -= len(told(parsed, candidate)) + 1
        if room < 0:
            break
        kept.append(candidate)
    return chronological(kept)


def told(parsed: ParsedQuestion, candidate: Candidate) -> str:
    """A line: the citation, the summary, and the words spoken that bear on the question."""
    event = candidate.event
    at = f" ({event.at:%Y-%m-%d %H:%M:%S %Z})" if event.at else ""
    lines = dict.fromkeys(line for clause in parsed.clauses if (line := line_about(candidate, clause)))
    spoken = " | ".join(lines)
    text = f"{event.summary_text}{f' | spoken: {spoken}' if spoken else ''}"
    return f"{cite(event)}{at} {' '.join(text.split())}"[:LONGEST_LINE]
