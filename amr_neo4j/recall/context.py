"""Evidence as text for a model: in order of time, each event behind its citation, within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.chronology import chronological
from amr_neo4j.recall.citing import cite
from amr_neo4j.recall.claim import line_about
from amr_neo4j.recall.reading import Reading

# A careful guess: English has about four characters to a token, other scripts fewer.
CHARACTERS_PER_TOKEN = 3
LONGEST_LINE = 2000


def context(reading: Reading, candidates: Sequence[Candidate], tokens: int) -> list[Candidate]:
    """As many of the candidates, best first, as `tokens` have room for; in order of time."""
    room, kept = tokens * CHARACTERS_PER_TOKEN, list[Candidate]()
    for candidate in candidates:
        room -= len(told(reading, candidate)) + 1
        if room < 0:
            break
        kept.append(candidate)
    return chronological(kept)


def told(reading: Reading, candidate: Candidate) -> str:
    """A line: the citation, the summary, and the words spoken that bear on the question."""
    event = candidate.event
    at = f" ({event.at:%Y-%m-%d %H:%M:%S %Z})" if event.at else ""
    lines = dict.fromkeys(line for clause in reading.clauses if (line := line_about(candidate, clause)))
    spoken = " | ".join(lines)
    text = f"{event.summary_text}{f' | spoken: {spoken}' if spoken else ''}"
    return f"{cite(event)}{at} {' '.join(text.split())}"[:LONGEST_LINE]
