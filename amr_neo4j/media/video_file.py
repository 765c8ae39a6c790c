"""Makes a domain Video of a video file: its streams, its id, and when it was recorded."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

from amr_neo4j.domain.analysis import LONGEST_NAME, YEARS
from amr_neo4j.domain.timestamps import storable
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError
from amr_neo4j.files import whole_path
from amr_neo4j.media import ffmpeg


def video_of(
    path: Path,
    group_id: str,
    *,
    video_id: str = "",
    place: str = "",
    recorded_at: datetime | None = None,
    now: datetime | None = None,
) -> Video:
    """Returns the Video of a file.

    video_id: by default the file's stem and a short fingerprint.
    recorded_at: by default the date in the file's name, else the container's creation_time. Neither is read without
        `now`.
    now: the wall clock. A date in the future is not believed.
    Raises NoSuchFile, ToolError; InputError: no video stream, unknown duration, or an invalid name or time.
    """
    check_named(video_id, place, recorded_at)
    _check_path(path)
    probe = ffmpeg.probe(path)
    if not probe.has_video:
        raise InputError(f"{path} has no video stream", hint="to ingest sound, write clip analyses (JSON lines)")
    if not probe.duration_s:
        raise InputError(f"the duration of {path} is unknown", hint="repair it: ffmpeg -i FILE -c copy repaired.mp4")
    found = recording_time(path, probe.created, now) if now and recorded_at is None else None
    start, dated_by = found or (recorded_at, "given" if recorded_at else "")
    fingerprint = ffmpeg.fingerprint(path)
    return Video(
        group_id=group_id,
        video_id=video_id or f"{path.stem}-{fingerprint[:8]}",
        uri=str(whole_path(path)),
        fingerprint=fingerprint,
        duration_s=probe.duration_s,
        fps=probe.fps,
        width=probe.width,
        height=probe.height,
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


def _check_path(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the name {str(path)!a} is not valid UTF-8", hint="rename it") from error


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


Origin = Literal["name", "creation_time"]

# Year, month, day, hour, minute and perhaps second: 2026-03-01_09-15-30, VID_20260301_091530, 20260301T0915Z.
_NAMED = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<a>[-_.]?)(?P<month>\d\d)(?P=a)(?P<day>\d\d)"
    r"(?:[T _.-]|--|_-_)(?P<hour>[0-2]\d)(?P<b>[-_.:h]?)(?P<minute>[0-5]\d)(?:[-_.:m]?(?P<second>[0-5]\d)(?:\d{3})?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
)
_DIGITS = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)"
    r"(?P<second>[0-5]\d)(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
)
# Containers state one of these years if no clock was set.
_EPOCHS = (1904, 1970, 1980)
# Clocks of cameras may be ahead, or in another time zone.
_AHEAD = timedelta(days=1)


def recording_time(path: Path, created: str, now: datetime) -> tuple[datetime, Origin] | None:
    """Returns (the wall clock of second 0, where it was found), or None.

    created: the creation_time of the container, or empty. A date in a name without a zone is taken as local time. A
        date in the future is not believed.
    """
    found: list[tuple[datetime | None, Origin]] = [
        (_dated_by_name(path.stem), "name"),
        (_dated_by_container(created), "creation_time"),
    ]
    for moment, origin in found:
        if moment and moment.year in YEARS and moment.year not in _EPOCHS and moment <= now + _AHEAD:
            return moment, origin
    return None


def _dated_by_name(name: str) -> datetime | None:
    found = _NAMED.search(name) or _DIGITS.search(name)
    if not found:
        return None
    parts = [int(found[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")]
    try:
        moment = datetime(*parts)  # type: ignore[arg-type]
        return moment.astimezone() if not found["zone"] else moment.replace(tzinfo=_zone(found["zone"]))
    except (ValueError, OverflowError):
        return None


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    digits = text.replace(":", "")
    offset = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
    return timezone(-offset if text[0] == "-" else offset)


def _dated_by_container(created: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(created.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
