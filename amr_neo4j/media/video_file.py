"""A video file as the noun the graph keeps."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from amr_neo4j.domain.analysis import LONGEST_NAME, YEARS
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError
from amr_neo4j.media import ffmpeg


def video_of(
    path: Path, group_id: str, *, video_id: str = "", place: str = "", recorded_at: datetime | None = None
) -> Video:
    """What ffprobe says of a file. video_id: by default the file's stem and a short fingerprint of its content.

    Raises NoSuchFile, ToolError, and InputError: no picture, no length, or a name or time that cannot be kept.
    """
    _refuse_names(path, video_id, place)
    _refuse_time(recorded_at)
    probe = ffmpeg.probe(path)
    if not probe.has_video:
        raise InputError(f"{path} has no picture", hint="sound alone comes in as subtitles or clip analyses (JSONL)")
    if not probe.duration_s:
        raise InputError(f"{path} does not say how long it is", hint="repair it: ffmpeg -i FILE -c copy repaired.mp4")
    fingerprint = ffmpeg.fingerprint(path)
    return Video(
        group_id=group_id,
        video_id=video_id or f"{path.stem}-{fingerprint[:8]}",
        uri=str(path.absolute()),
        fingerprint=fingerprint,
        duration_s=probe.duration_s,
        fps=probe.fps,
        width=probe.width,
        height=probe.height,
        recorded_at=recorded_at,
        place=place,
    )


def _refuse_names(path: Path, video_id: str, place: str) -> None:
    for name, text in (("video_id", video_id), ("place", place)):
        if len(text) > LONGEST_NAME:
            raise InputError(f"{name} has {len(text):,} characters", hint=f"give it at most {LONGEST_NAME}")
    try:
        f"{path}{video_id}{place}".encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the name {str(path)!a} holds bytes that are no UTF-8", hint="rename it") from error


def _refuse_time(recorded_at: datetime | None) -> None:
    if recorded_at is None:
        return
    if recorded_at.tzinfo is None:
        raise InputError("recorded_at lacks its offset from UTC", hint="write it like 2026-03-01T09:00:00+01:00")
    if recorded_at.year not in YEARS:
        hint = f"give one from {YEARS[0]} to {YEARS[-1]}, or none"
        raise InputError(f"recorded_at lies in the year {recorded_at.year}", hint=hint)
