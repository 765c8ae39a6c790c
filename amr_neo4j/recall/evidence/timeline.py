"""Sorts events chronologically, compares their times, and gives them the place and time zone of their recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Moment
from amr_neo4j.domain.video import Video, with_local_clock
from amr_neo4j.recall.retrieve.candidate import Candidate

# Returns an event with its wall clock in the time zone of its recording.
Located = Callable[[Event], Event]


def chronological(candidates: Iterable[Candidate], *, latest_first: bool = False) -> list[Candidate]:
    """Sort candidates as `chronological_events` sorts their events, or the other way round."""
    by_id = {candidate.node_id: candidate for candidate in candidates}
    in_order = [by_id[event.node_id] for event in chronological_events(each.event for each in by_id.values())]
    return in_order[::-1] if latest_first else in_order


def chronological_events(events: Iterable[Event]) -> list[Event]:
    """Sort events by wall clock if every one has one; else video by video in the order of ingestion.

    Within a video, events are sorted by their seconds.
    """
    found = list(events)
    if all(event.at for event in found):
        # Only if every event has a wall clock: a mix of clocks and seconds has no single order.
        return sorted(found, key=lambda event: (event.at, event.time_start, *_tie_break(event)))
    first_id: dict[str, int] = {}
    for event in found:
        # Turns have negative node_ids; without the sign, a lower number was recorded earlier.
        number = abs(event.node_id)
        first_id[event.video_id] = min(number, first_id.get(event.video_id, number))
    return sorted(found, key=lambda event: (first_id[event.video_id], event.time_start, *_tie_break(event)))


def _tie_break(event: Event) -> tuple[int, int]:
    """Return the sort key of events that begin at the same time; turns are sorted by their number."""
    return (event.turn.number, -event.node_id) if event.turn else (0, event.node_id)


def seconds_between(one: Event, other: Event) -> float | None:
    """Return the seconds from the start of one event to the start of the other; None if they share no timeline."""
    if one.video_id == other.video_id and not (one.turn or other.turn):
        return other.time_start - one.time_start
    return (other.at - one.at).total_seconds() if one.at and other.at else None


class Timeline:
    """The times of events as arrays, to compute `seconds_between` one event and all of them at once."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._videos = {video_id: n for n, video_id in enumerate({event.video_id for event in events})}
        self._of_video = np.array([-1 if e.turn else self._videos[e.video_id] for e in events], np.intp)
        self._starts = np.array([event.time_start for event in events], np.float64)
        self._first = next((event.at for event in events if event.at), None)
        # Datetimes cannot be computed in an array. Microseconds since the first event are exact as floats for
        # centuries.
        self._microseconds = np.array([self._since_first(event) for event in events], np.float64)

    def seconds_from(self, origin: Event) -> npt.NDArray[np.floating[Any]]:
        """Return the seconds from the start of `origin` to the start of each event, shape (events,).

        NaN for an event that shares no timeline with it.
        """
        by_clock = (self._microseconds - self._since_first(origin)) / 10**6
        number = self._videos.get(origin.video_id)
        if origin.turn or number is None:
            return by_clock
        return np.where(self._of_video == number, self._starts - origin.time_start, by_clock)

    def _since_first(self, event: Event) -> float:
        return (event.at - self._first) / timedelta(microseconds=1) if event.at and self._first else nan


def is_before(event: Event | None, moment: Moment | None) -> bool:
    """Return whether an event had ended before a moment; False for None (not ended yet) and for an unknown time."""
    if event is None or moment is None:
        return False
    if isinstance(moment, datetime):
        length = timedelta(seconds=event.time_end - event.time_start)
        return event.at is not None and event.at + length < moment
    return event.time_end < moment


def is_after(event: Event, moment: Moment | None) -> bool:
    """Return whether an event began after a moment; False if its time is not known."""
    if isinstance(moment, datetime):
        return event.at is not None and event.at > moment
    return moment is not None and event.time_start > moment


def overlaps(first: Event, last: Event | None, ranges: Sequence[tuple[Moment | None, Moment | None]]) -> bool:
    """Return whether the time from one event to another overlaps a range; True if there are no ranges.

    last: None if the stretch is still open.
    """
    return not ranges or any(not (is_before(last, since) or is_after(first, until)) for since, until in ranges)


def seconds_of(events: Iterable[Event]) -> float:
    """Return how many seconds the events last in all. Overlaps within a video count once."""
    total, ends = 0.0, dict[str, float]()
    for event in sorted(events, key=lambda e: (e.video_id, e.time_start, e.time_end)):
        # Start where the events before this one ended, so that an overlap is not counted twice.
        start = max(event.time_start, ends.get(event.video_id, event.time_start))
        total += max(0.0, event.time_end - start)
        ends[event.video_id] = max(start, event.time_end)
    return total


def with_recording_place(
    candidates: Sequence[Candidate], videos: Mapping[str, Video], zone: tzinfo | None
) -> list[Candidate]:
    """Return the candidates with the place and time zone of their recordings. Others are unchanged.

    Others are turns, and events whose video was lost by damage.

    zone: the default time zone.
    """
    local = {video_id: with_local_clock(video, zone) for video_id, video in videos.items()}

    def located(candidate: Candidate) -> Candidate:
        event = candidate.event
        # An event with a place was located before.
        video = None if event.turn or event.place else local.get(event.video_id)
        return replace(candidate, event=_at(event, video)) if video else candidate

    return list(map(located, candidates))


def at_recording(event: Event, video: Video, default: tzinfo | None) -> Event:
    """Return an event with the place and time zone of its recording. default: the default time zone."""
    return _at(event, with_local_clock(video, default))


def _at(event: Event, video: Video) -> Event:
    """Return an event with the place and time zone of its recording, which begins in its own time zone."""
    begun = video.recorded_at
    return replace(event, at=event.at.astimezone(begun and begun.tzinfo) if event.at else None, place=video.home)
