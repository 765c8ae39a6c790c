"""Citations as answers carry them, and what of a model's answer the context bears out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.timestamps import clock

_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_CITATION = re.compile(
    rf"\[\s*event\s+(\d+)(?:\s*,\s*(.+?)\s*,\s*({_TIME})\s*[-–]\s*({_TIME}))?\s*\]"
    r"|\[\s*turn\s+(\d+)\s*,\s*([^\]]+?)\s*\]",
    re.IGNORECASE,
)
# A claim, the citations that end it, and the mark that may stand behind them.
_CLAIM = re.compile(
    rf"(?P<words>.*?)(?P<cited>(?:{_CITATION.pattern})(?:[\s,;]*(?:{_CITATION.pattern}))*)\s*(?P<end>[.!?]*)",
    re.S | re.I,
)


def cite(event: Event) -> str:
    """ "[event 12, kitchen, 00:12:31-00:12:44]"; "[turn 4, session_2, Anna]" for one of a conversation."""
    if event.turn:
        return f"[turn {event.turn.number}, {_whose(event.turn)}]"
    return f"[event {event.node_id}, {event.video_id}, {clock(event.time_start)}-{clock(event.time_end)}]"


@dataclass(frozen=True)
class Checked:
    """A claim of an answer and the events that bear it out. removed: what it cited that the context does not hold."""

    text: str
    events: tuple[Event, ...]
    removed: tuple[str, ...] = ()


def checked(pieces: Iterable[str], context: Mapping[int, Event]) -> Iterator[Checked]:
    """The claims of an answer that comes in pieces, each as soon as it is whole and its citations are looked up.

    A claim that cites nothing of the context comes without events: it is not to be told. So does what stands behind
    the last citation.
    """
    text = ""
    for piece in pieces:
        text += piece
        # The last claim may go on: another citation, or the point behind it.
        while (found := _CLAIM.match(text)) and text[found.end() :].strip(" \t\r\n,;"):
            yield _look_up(found, context)
            text = text[found.end() :]
    while found := _CLAIM.match(text):
        yield _look_up(found, context)
        text = text[found.end() :]
    if text.strip():
        yield Checked(text.strip(), ())


def _look_up(found: re.Match[str], context: Mapping[int, Event]) -> Checked:
    cited = list(_CITATION.finditer(found["cited"]))
    events = [event for event in (_event(citation, context) for citation in cited) if event]
    removed = [citation[0] for citation in cited if not _event(citation, context)]
    known = tuple({event.node_id: event for event in events}.values())
    words = found["words"].strip(" \t\r\n,;")
    mark = found["end"] if known and not words.endswith((".", "!", "?")) else ""
    return Checked(" ".join([words, *map(cite, known)]) + (mark or "."), known, tuple(removed))


def _event(citation: re.Match[str], context: Mapping[int, Event]) -> Event | None:
    """The event that a citation names, if the context has it and it is told of the same seconds."""
    if citation[5] is not None:
        return _turn(int(citation[5]), citation[6], context)
    event = context.get(int(citation[1]))
    if event is None or citation[2] is None:
        return event
    stated = (citation[2], citation[3], citation[4])
    return event if stated == (event.video_id, clock(event.time_start), clock(event.time_end)) else None


def _turn(number: int, told: str, context: Mapping[int, Event]) -> Event | None:
    """The turn of this number whose session, with its speaker or without, is told."""
    for event in context.values():
        turn = event.turn
        if turn and turn.number == number and told in (_whose(turn), _whose(replace(turn, actor=""))):
            return event
    return None


def _whose(turn: Turn) -> str:
    """The session and the speaker, without what would end a citation."""
    told = ", ".join(filter(None, (turn.session_id, turn.actor)))
    return told.replace("[", "(").replace("]", ")")
