"""Makes a domain Video of a video file: its streams, its id, and when it was recorded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from amr_neo4j.domain.analysis import YEARS
from amr_neo4j.domain.episode import LONGEST_NAME
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.timestamps import storable
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError
from amr_neo4j.files import check_path, whole_path
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.recording_time import clocks_of

# Two clocks in the header of one file may differ by this much.
_CLOCKS_APART = timedelta(minutes=1)
_NOTED_JUMPS = 5


def video_of(
    path: Path,
    group_id: str,
    *,
    video_id: str = "",
    place: str = "",
    recorded_at: datetime | None = None,
    now: datetime | None = None,
    zone: tzinfo | None = None,
    note: Callable[[str], object] = str,
) -> Video:
    """Return the Video of a file.

    video_id: by default the file's stem and a short fingerprint.
    recorded_at: by default the date in the file's name, else the container's creation_time. Neither is read without
        `now`.
    now: the wall clock. A date in the future is not believed.
    zone: the time zone of a clock that names none; by default this machine's.
    note: called if two clocks of the file disagree, or if its times had to be corrected.
    Raises NoSuchFile, ToolError; InputError: no video stream, unknown duration, or an invalid name or time.
    """
    check_named(video_id, place, recorded_at)
    check_path(path)
    probe = ffmpeg.probe(path)
    if not probe.has_video:
        raise InputError(f"{path} has no video stream", hint="to ingest sound, write clip analyses (JSON lines)")
    if not probe.duration_s:
        raise InputError(f"the duration of {path} is unknown", hint="repair it: ffmpeg -i FILE -c copy repaired.mkv")
    clocks = clocks_of(whole_path(path), probe.created, now, zone) if now and recorded_at is None else []
    if clocks:
        start, dated_by = clocks[0]
    else:
        start, dated_by = recorded_at, "given" if recorded_at else ""
    if len(clocks) > 1 and abs(clocks[0][0] - clocks[1][0]) > _CLOCKS_APART:
        by_name, by_container = (moment.isoformat() for moment, _ in clocks)
        note(f"recorded at {by_name} by its name, though its container says {by_container}")
    for jump in probe.jumps[:_NOTED_JUMPS]:
        note(
            f"the clock of the file jumps by {jump.by_s:+.1f} s at {jump.second:.1f} s; times count what was decoded"
        )
    if more := len(probe.jumps[_NOTED_JUMPS:]):
        note(f"the clock of the file jumps {more} more times")
    fingerprint = ffmpeg.fingerprint(path)
    return Video(
        group_id=group_id,
        video_id=video_id or f"{path.stem}-{fingerprint[:8]}",
        uri=str(whole_path(path)),
        fingerprint=fingerprint,
        **picked(probe, "duration_s", "fps", "width", "height"),
        recorded_at=start,
        dated_by=dated_by,
        place=place,
        file_keys=ffmpeg.file_keys(path),
    )


def check_named(video_id: str, place: str, recorded_at: datetime | None) -> None:
    """Check what a caller says about a video.

    Raises InputError: too long, not UTF-8, or not a time with a UTC offset.
    """
    for name, text in (("video_id", video_id), ("place", place)):
        if len(text) > LONGEST_NAME:
            raise InputError(f"{name} has {len(text):,} characters", hint=f"the limit is {LONGEST_NAME}")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{name} {text!a} is not valid UTF-8", hint="choose another") from error
    _check_time(recorded_at)


def _check_time(recorded_at: datetime | None) -> None:
    if recorded_at is None:
        return
    if recorded_at.tzinfo is None:
        raise InputError("recorded_at has no UTC offset", hint="write it like 2026-03-01T09:00:00+01:00")
    try:
        storable(recorded_at)
    except ValueError as error:
        raise InputError(f"recorded_at {error}", hint="write it like 2026-03-01T09:00:00+01:00") from error
    if recorded_at.year not in YEARS:
        hint = f"use a year from {YEARS[0]} to {YEARS[-1]}, or omit it"
        raise InputError(f"recorded_at is in the year {recorded_at.year}", hint=hint)
