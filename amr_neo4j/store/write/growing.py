"""Recordings that grow between ingests: one video, recognised by its file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database

# Seconds. A smaller difference holds no frame at 25 fps.
_LEAST_GROWTH = 0.04


def continued(database: Database, video: Video, *, named: bool, now: datetime) -> Video:
    """Returns the stored video that the file has grown from, with its new end; else the video as it is.

    A stored video fits if it has one of the file's keys and is not longer. Its id and fingerprint are kept, so that
    analyses of it stay valid. named: the id was given by a person, so only the video of that id fits.
    """
    while found := _found(database, video, named=named):
        stored = replace(
            video,
            video_id=found["video_id"],
            fingerprint=found["fingerprint"],
            duration_s=found["duration_s"],
            ends=tuple(found["ends"]),
        )
        if (video.duration_s or 0.0) - found["duration_s"] < _LEAST_GROWTH:
            return stored
        grown = replace(stored, duration_s=video.duration_s, ends=(*stored.ends, found["duration_s"]))
        if _store(database, grown, found["duration_s"], now):
            return grown
    return video


def known_lengths(database: Database, video: Video) -> list[float]:
    """Returns the seconds of the stored videos that were made of this file."""
    rows = database.read("ingest/videos_of_file", group_id=video.group_id, file_keys=list(video.file_keys))
    return [row["duration_s"] for row in rows]


def dated_as_stored(database: Database, video: Video) -> Video:
    """Returns the video with the wall clock that the graph has of it, which never changes; else as it is."""
    rows = database.read("ingest/stored_start", group_id=video.group_id, video_id=video.video_id)
    if not rows:
        return video
    stored = rows[0]["recorded_at"]
    return replace(video, recorded_at=stored.to_native() if stored else None)


def _found(database: Database, video: Video, *, named: bool) -> dict[str, Any] | None:
    if not video.file_keys:
        return None
    rows = database.read("ingest/videos_of_file", group_id=video.group_id, file_keys=list(video.file_keys))
    fitting = [dict(row) for row in rows if row["duration_s"] <= (video.duration_s or 0.0) + _LEAST_GROWTH]
    same_id = [row for row in fitting if row["video_id"] == video.video_id]
    if named or same_id:
        return next(iter(same_id), None)
    # With the same fingerprint the file has not changed: it is the same film under another name.
    return next((row for row in fitting if row["fingerprint"] != video.fingerprint), None)


def _store(database: Database, video: Video, known_s: float, now: datetime) -> bool:
    """False where another process has stored an end in the meantime."""
    rows = database.write(
        "ingest/grow_video",
        group_id=video.group_id,
        video_id=video.video_id,
        known_s=known_s,
        duration_s=video.duration_s,
        uri=video.uri,
        now=now,
    )
    return bool(rows)
