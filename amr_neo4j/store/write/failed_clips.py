"""Clips that could not be analysed: failed ones are retried, skipped ones are not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import FailedClip
from amr_neo4j.store.database import Database
from amr_neo4j.store.write.rows import usage_row, video_row

LONGEST_REPLY = 20_000
"""Characters of a model's reply that are stored."""


def record(database: Database, failed: FailedClip, *, attempt: int, skip: bool, now: datetime) -> Receipt:
    """Record a failure. A clip that is committed already is not changed and reported as unchanged."""
    video, clip = failed.video, failed.clip
    [row] = database.write(
        "ingest/fail_clip",
        key={"group_id": video.group_id, "video_id": video.video_id, "clip_id": clip.clip_id},
        video=video_row(video),
        clip=_clip(failed),
        status="skipped" if skip else "failed",
        attempt=attempt,
        usage=usage_row(failed.usage),
        now=now,
    )
    where = (video.video_id, clip.clip_id)
    if row["committed"]:
        return Receipt(*where, "unchanged", clip.t_start, clip.t_end, usage=failed.usage)
    return Receipt(
        *where, "skipped" if skip else "failed", clip.t_start, clip.t_end, error=failed.error, usage=failed.usage
    )


def record_dropped(database: Database, dropped: FailedClip, *, now: datetime) -> Receipt:
    """Record a clip of a live source that was not analysed because analysis was behind."""
    video, clip = dropped.video, dropped.clip
    database.write(
        "ingest/drop_clip",
        key={"group_id": video.group_id, "video_id": video.video_id, "clip_id": clip.clip_id},
        video=video_row(video),
        clip=_clip(dropped),
        now=now,
    )
    return Receipt(video.video_id, clip.clip_id, "dropped", clip.t_start, clip.t_end, notes=(dropped.error,))


def of_video(database: Database, group_id: str, video_id: str) -> Mapping[str, Failure]:
    """Returns clip_id -> failure, in order of time."""
    rows = database.read("ingest/failed_clips", group_id=group_id, video_id=video_id)
    return {row["clip_id"]: Failure(row["attempts"], row["error"], row["t_start"], row["skipped"]) for row in rows}


def _clip(failed: FailedClip) -> dict[str, Any]:
    clip = failed.clip
    return {
        "t_start": clip.t_start,
        "t_end": clip.t_end,
        "uri": clip.uri,
        "uri_offset": clip.uri_offset,
        "content_sha256": failed.content_sha256,
        "analyser": failed.analyser,
        "model": failed.model,
        "error": failed.error,
        "raw_reply": _truncated(failed.raw_reply),
        "received_at": failed.received_at,
    }


def _truncated(reply: str) -> str:
    if len(reply) <= LONGEST_REPLY:
        return reply
    return f"{reply[:LONGEST_REPLY]}\n... and {len(reply) - LONGEST_REPLY} more characters"
