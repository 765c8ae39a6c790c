"""What memory found, small enough for a model to read, each event with its citation."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from amr_neo4j.domain.recall import Answer, Hit
from amr_neo4j.recall.answer.citations import cite

Json = dict[str, Any]

# Characters of an event's words; a clip may hold a whole speech.
_MOST_TEXT = 1000


def words(hit: Hit) -> str:
    """What happened and what was said, on one line."""
    return shorten(" ".join([hit.event.summary_text, *hit.event.dialogue_snippets]), _MOST_TEXT, placeholder=" ...")


def event(hit: Hit) -> Json:
    """The event with its citation. start, end: seconds of the video; at: wall clock, where that is known."""
    happened = hit.event
    return {
        "citation": cite(happened),
        "node_id": happened.node_id,
        "video": happened.video_id,
        "start": happened.time_start,
        "end": happened.time_end,
        "at": happened.at.isoformat() if happened.at else None,
        "session": happened.turn.session_id if happened.turn else None,
        "turn": happened.turn.number if happened.turn else None,
        "text": words(hit),
        "score": round(hit.score, 3),
    }


def answer(given: Answer) -> Json:
    """The answer with the events it cites, not all that was found beside them."""
    cited = {citation.node_id for citation in given.citations}
    return {
        "answer": given.text,
        "found": given.found,
        "events": [event(hit) for hit in given.evidence if hit.event.node_id in cited],
        "notes": list(given.notes),
    }
