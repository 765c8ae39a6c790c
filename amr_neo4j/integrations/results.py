"""Search results and answers as JSON for a model: short, each event with its citation."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from amr_neo4j.domain.recall import Answer, Hit, Recalled, citation

Json = dict[str, Any]

# Characters of an event's words; a clip may hold a whole speech.
_MOST_TEXT = 1000


def _text(hit: Hit) -> str:
    """The summary and the dialogue of an event, on one line of at most 1000 characters."""
    return shorten(" ".join([hit.event.summary_text, *hit.event.dialogue_snippets]), _MOST_TEXT, placeholder=" ...")


def event(hit: Hit) -> Json:
    """An event with its citation and score. start, end: seconds of the video; at: wall clock, else None.

    session, turn: of a turn of a conversation, else None.
    """
    happened = hit.event
    return {
        "citation": citation(happened).label,
        "node_id": happened.node_id,
        "video": happened.video_id,
        "start": happened.time_start,
        "end": happened.time_end,
        "at": happened.at.isoformat() if happened.at else None,
        "session": happened.turn.session_id if happened.turn else None,
        "turn": happened.turn.number if happened.turn else None,
        "text": _text(hit),
        "score": round(hit.score, 3),
    }


def recalled(found: Recalled) -> Json:
    """A result of search_memory: kind, text, confidence, timestamp, and the turn or second of video it rests on."""
    return {
        "kind": found.kind,
        "text": shorten(found.text, _MOST_TEXT, placeholder=" ..."),
        "confidence": round(found.confidence, 3),
        "timestamp": found.timestamp.isoformat() if found.timestamp else None,
        "source": found.source.label if found.source else None,
    }


def answer(given: Answer) -> Json:
    """The answer with the events it cites, without the rest of the evidence."""
    cited = {citation.node_id for citation in given.citations}
    return {
        "answer": given.text,
        "found": given.found,
        "events": [event(hit) for hit in given.evidence if hit.event.node_id in cited],
        "notes": list(given.notes),
    }
