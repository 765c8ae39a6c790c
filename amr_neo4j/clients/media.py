"""A video file as the noun the graph keeps."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from amr_neo4j.clients import ffmpeg
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError


def video_of(
    path: Path, group_id: str, *, video_id: str = "", place: str = "", recorded_at: datetime | None = None
) -> Video:
    """What ffprobe says of a file. video_id: by default the file's stem and a short fingerprint of its content.

    Raises NoSuchFile, ToolError, and InputError where there is no picture or no length.
    """
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
