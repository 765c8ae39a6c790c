"""The keys that the graph seeks and sorts by: the chain of an event, and its position in it (decision 0031)."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from urllib.parse import quote

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import Clip, Video

_YEAR_ONE = datetime(1, 1, 1, tzinfo=UTC)
# Longer keys are cut, because Neo4j limits the size of an index entry.
_READABLE = 400
# Keys that are cached: an ingest asks for the chains of the same persons and objects again and again.
_CACHE_SIZE = 1 << 14


@lru_cache(_CACHE_SIZE)
def chain_key(*parts: str) -> str:
    """Return the key of a chain, made of group, timeline and identity: "home/place/kitchen/red cup".

    Different parts always give different keys. A long key is cut and ends in a hash of the whole.
    """
    # quote also escapes "/", so that no part can look like two.
    key = "/".join(quote(part, safe=" ") for part in parts)
    if len(key) <= _READABLE:
        return key
    return f"{key[: _READABLE - 80]}#{hashlib.sha256(key.encode()).hexdigest()}"


def person_chain(video: Video, person: tuple[str, str]) -> str:
    """Return the key of a person's chain on a video's timeline. person: (scope, person_id)."""
    return chain_key(video.group_id, *video.timeline, *person)


def clock_start(video: Video, seconds: float) -> float:
    """Return a moment on the video's timeline: seconds since 1970 if its wall clock is known, else of the video."""
    return seconds if video.recorded_at is None else video.recorded_at.timestamp() + seconds


def position(video: Video, clip: Clip, event: EventDraft) -> str:
    """Return a string that sorts the events of a timeline by start, end, video, clip and ordinal."""
    # Video, clip and ordinal make positions unique: the order of two events at the same moment is always the same.
    start, end = (_microseconds(video, seconds) for seconds in (event.time_start, event.time_end))
    return f"{start:020d} {end:020d} {chain_key(video.video_id, clip.clip_id)} {event.ordinal:06d}"


def first_position(video: Video) -> str:
    """Return a string that sorts before or equal to every position in the video."""
    return f"{_microseconds(video, 0.0):020d}"


def duration_us(position: str) -> int:
    """Return an event's duration in microseconds, from its position."""
    return int(position[21:41]) - int(position[:20])


def _microseconds(video: Video, seconds: float) -> int:
    """Return microseconds since the year 1, or since second 0 of a video without a wall clock.

    They are never negative, so that their digits sort like the numbers.
    """
    elapsed = timedelta(seconds=seconds)
    if video.recorded_at is not None:
        elapsed += video.recorded_at - _YEAR_ONE
    return elapsed // timedelta(microseconds=1)
