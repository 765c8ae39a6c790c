"""Events in chronological order, what they were recorded in, and the seconds between them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Moment
from amr_neo4j.recall.evidence.candidate import Candidate


def chronological(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By wall clock where every event has it; else video by video in the order of ingestion, each by its seconds."""
    found = list(candidates)
    if all(c.event.at for c in found):
        return sorted(found, key=lambda c: (c.event.at, c.event.time_start, *_tie_break(c.event)))
    first_id: dict[str, int] = {}
    for candidate in found:
        video_id, number = candidate.event.video_id, abs(candidate.node_id)
        first_id[video_id] = min(number, first_id.get(video_id, number))
    return sorted(found, key=lambda c: (first_id[c.event.video_id], c.event.time_start, *_tie_break(c.event)))


def recording_of(event: Event) -> tuple[bool, str]:
    """Its video; the session of a turn, which may have the id of a video."""
    return event.turn is not None, event.video_id


def _tie_break(event: Event) -> tuple[int, int]:
    """The order of events that begin at once; turns by their number."""
    return (event.turn.number, -event.node_id) if event.turn else (0, event.node_id)


def seconds_between(one: Event, other: Event) -> float | None:
    """From the start of one event to the start of the other; None where they share no timeline."""
    if one.video_id == other.video_id and not (one.turn or other.turn):
        return other.time_start - one.time_start
    return (other.at - one.at).total_seconds() if one.at and other.at else None


def is_before(event: Event | None, moment: Moment | None) -> bool:
    """Whether an event had ended by a moment; False for what is still so, and where its time is not known."""
    if event is None or moment is None:
        return False
    if isinstance(moment, datetime):
        length = timedelta(seconds=event.time_end - event.time_start)
        return event.at is not None and event.at + length < moment
    return event.time_end < moment


def is_after(event: Event, moment: Moment | None) -> bool:
    """Whether an event began after a moment; False where its time is not known."""
    if isinstance(moment, datetime):
        return event.at is not None and event.at > moment
    return moment is not None and event.time_start > moment


def is_within(event: Event, within: tuple[Moment | None, Moment | None]) -> bool:
    """Whether an event overlaps a time, from and up to."""
    return not (is_before(event, within[0]) or is_after(event, within[1]))


def seconds_of(events: Iterable[Event]) -> float:
    """How long the events last in all; overlaps within a video count once."""
    total, ends = 0.0, dict[str, float]()
    for event in sorted(events, key=lambda e: (e.video_id, e.time_start, e.time_end)):
        start = max(event.time_start, ends.get(event.video_id, event.time_start))
        total += max(0.0, event.time_end - start)
        ends[event.video_id] = max(start, event.time_end)
    return total
