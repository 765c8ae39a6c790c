"""Splits a chat model's answer into claims, and checks their citations against the context that it was shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import TurnCitation, citation
from amr_neo4j.domain.timestamps import clock

# The prompt shows two forms. The first is "[event 12, kitchen, 00:12:31-00:12:44]", also without video and times. The
# second is "[turn 4, session_2, Anna]".
_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_CITATION = re.compile(
    rf"\[\s*event\s+(\d+)(?:\s*,\s*(.+?)\s*,\s*({_TIME})\s*[-–]\s*({_TIME}))?\s*\]"
    r"|\[\s*turn\s+(\d+)\s*,\s*([^\]]+?)\s*\]",
    re.IGNORECASE,
)
# A claim, the citations that end it, and the punctuation that may follow them.
_CLAIM = re.compile(
    rf"(?P<words>.*?)(?P<cited>(?:{_CITATION.pattern})(?:[\s,;]*(?:{_CITATION.pattern}))*)\s*(?P<end>[.!?]*)",
    re.S | re.I,
)


@dataclass(frozen=True)
class Checked:
    """A claim of an answer with the events it cites. removed: its citations that are not in the context."""

    text: str
    events: tuple[Event, ...]
    removed: tuple[str, ...] = ()


def checked(pieces: Iterable[str], context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of an answer that arrives in pieces, each as soon as it is complete, with citations checked.

    context: {node_id: event}.
    A claim without events cites nothing in the context, and callers leave it out. The text after the last citation is
    yielded as such a claim.
    """
    text = ""
    for piece in pieces:
        text += piece
        # A claim is complete only when other text follows it: the next piece may add a citation or a full stop.
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
    events = [event for event in (_event(match, context) for match in cited) if event]
    removed = [match[0] for match in cited if not _event(match, context)]
    # A model may cite one event twice for a claim: the mapping keeps one.
    known = tuple({event.node_id: event for event in events}.values())
    words = found["words"].strip(" \t\r\n,;")
    mark = found["end"] if known and not words.endswith((".", "!", "?")) else ""
    return Checked(
        " ".join([words, *(citation(event).label for event in known)]) + (mark or "."), known, tuple(removed)
    )


def _event(found: re.Match[str], context: Mapping[int, Event]) -> Event | None:
    """Return the event that a citation names, if the context has it with the same video and seconds; else None."""
    if found[5] is not None:
        return _turn(int(found[5]), found[6], context)
    event = context.get(int(found[1]))
    if event is None or found[2] is None:
        return event
    stated = (found[2], found[3], found[4])
    return event if stated == (event.video_id, clock(event.time_start), clock(event.time_end)) else None


def _turn(number: int, stated: str, context: Mapping[int, Event]) -> Event | None:
    """Return the turn of this number in the stated session, which may be written with its speaker or without."""
    for event in context.values():
        cited = citation(event)
        if not isinstance(cited, TurnCitation) or cited.turn != number:
            continue
        if stated in (cited.spoken_in, replace(cited, actor="").spoken_in):
            return event
    return None
