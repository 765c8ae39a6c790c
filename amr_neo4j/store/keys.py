"""Keys the graph seeks and sorts by: an event's chain, and its position there."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from urllib.parse import quote

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import Clip, Video

_YEAR_ONE = datetime(1, 1, 1, tzinfo=timezone.utc)
_READABLE = 400
# A bulk ingest asks for the chains of the same persons and objects again and again.
_REMEMBERED = 1 << 14


@lru_cache(_REMEMBERED)
def chain_key(*parts: str) -> str:
    """Returns the key of a chain (group, timeline, identity): distinct parts give distinct keys.

    Long keys are cut and end in a hash, because index entries are limited.
    """
    key = "/".join(quote(part, safe=" ") for part in parts)
    if len(key) <= _READABLE:
        return key
    return f"{key[: _READABLE - 80]}#{hashlib.sha256(key.encode()).hexdigest()}"


def person_chain(video: Video, person: tuple[str, str]) -> str:
    """Returns the key of a person's chain on a video's timeline. person: (scope, person_id)."""
    return chain_key(video.group_id, *video.timeline, *person)


def clock_start(video: Video, seconds: float) -> float:
    """Seconds on the video's timeline: since 1970 where the wall clock is known, otherwise of the video."""
    return seconds if video.recorded_at is None else video.recorded_at.timestamp() + seconds


def position(video: Video, clip: Clip, event: EventDraft) -> str:
    """Returns a string that sorts the events of a timeline by start, end, video, clip and ordinal."""
    start, end = (_microseconds(video, seconds) for seconds in (event.time_start, event.time_end))
    return f"{start:020d} {end:020d} {chain_key(video.video_id, clip.clip_id)} {event.ordinal:06d}"


def first_position(video: Video) -> str:
    """Returns a lower bound of all positions in the video."""
    return f"{_microseconds(video, 0.0):020d}"


def duration_us(position: str) -> int:
    """Returns an event's duration in microseconds, from its position."""
    return int(position[21:41]) - int(position[:20])


def _microseconds(video: Video, seconds: float) -> int:
    """Never negative, so that the digits sort: from the year 1 for wall clocks, from second 0 for other videos."""
    elapsed = timedelta(seconds=seconds)
    if video.recorded_at is not None:
        elapsed += video.recorded_at - _YEAR_ONE
    return elapsed // timedelta(microseconds=1)
