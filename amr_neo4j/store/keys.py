"""Keys the graph sorts and seeks by: whose chain an event stands in, and where in that chain."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import Clip, Video

_YEAR_ONE = datetime(1, 1, 1, tzinfo=timezone.utc)
_READABLE = 400


def chain_key(*parts: str) -> str:
    """One string for a chain (group, timeline, identity): different parts never give the same key.

    Readable while short; a long one keeps its beginning and ends in a hash, since an index entry has a limit.
    """
    key = "/".join(quote(part, safe=" ") for part in parts)
    if len(key) <= _READABLE:
        return key
    return f"{key[: _READABLE - 80]}#{hashlib.sha256(key.encode()).hexdigest()}"


def clock_start(video: Video, seconds: float) -> float:
    """Seconds on the video's timeline: since 1970 where the wall clock is known, else of the video."""
    return seconds if video.recorded_at is None else video.recorded_at.timestamp() + seconds


def position(video: Video, clip: Clip, event: EventDraft) -> str:
    """Sorts events of a timeline by start; ties by end, video, clip and ordinal, so that arrival never matters."""
    start, end = (_microseconds(video, seconds) for seconds in (event.time_start, event.time_end))
    return f"{start:020d} {end:020d} {chain_key(video.video_id, clip.clip_id)} {event.ordinal:06d}"


def begins(video: Video) -> str:
    """What no position in the video sorts before."""
    return f"{_microseconds(video, 0.0):020d}"


def lasting(video: Video, event: EventDraft) -> int:
    """Microseconds from an event's start to its end, as its position has them."""
    return _microseconds(video, event.time_end) - _microseconds(video, event.time_start)


def _microseconds(video: Video, seconds: float) -> int:
    """Never negative, so that the digits sort: wall clocks count from the year 1, footage from its second 0."""
    elapsed = timedelta(seconds=seconds)
    if video.recorded_at is not None:
        elapsed += video.recorded_at - _YEAR_ONE
    return elapsed // timedelta(microseconds=1)
