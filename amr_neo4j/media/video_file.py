"""Makes a domain Video of a video file: its streams, its id, and when it was recorded."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
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
    zone: tzinfo | None = None,
    note: Callable[[str], object] = str,
) -> Video:
    """Returns the Video of a file.

    video_id: by default the file's stem and a short fingerprint.
    recorded_at: by default the date in the file's name, else the container's creation_time. Neither is read without
        `now`.
    now: the wall clock. A date in the future is not believed.
    zone: the time zone of a clock that names none; by default this machine's.
    note: called if two clocks of the file disagree, or if its times had to be corrected.
    Raises NoSuchFile, ToolError; InputError: no video stream, unknown duration, or an invalid name or time.
    """
    check_named(video_id, place, recorded_at)
    _check_path(path)
    probe = ffmpeg.probe(path)
    if not probe.has_video:
        raise InputError(f"{path} has no video stream", hint="to ingest sound, write clip analyses (JSON lines)")
    if not probe.duration_s:
        raise InputError(f"the duration of {path} is unknown", hint="repair it: ffmpeg -i FILE -c copy repaired.mkv")
    clocks = _clocks(whole_path(path), probe.created, now, zone) if now and recorded_at is None else []
    start, dated_by = clocks[0] if clocks else (recorded_at, "given" if recorded_at else "")
    if len(clocks) > 1 and abs(clocks[0][0] - clocks[1][0]) > _APART:
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


_NOTED_JUMPS = 5
Origin = Literal["name", "creation_time"]

_DATE = r"(?P<year>(?:19|20)\d\d)(?P<a>[-_.]?)(?P<month>\d\d)(?P=a)(?P<day>\d\d)"
# The clocks in names and paths of files. Those of the first kind that fits count.
_NAMED = [
    # Year, month, day, hour, minute and perhaps second: 2026-03-01_09-15-30, VID_20260301_091530, 20260301T0915Z.
    re.compile(
        rf"(?<!\d){_DATE}(?:[T _.-]|--|_-_)(?P<hour>[0-2]\d)(?P<b>[-_.:h]?)(?P<minute>[0-5]\d)"
        r"(?:[-_.:m]?(?P<second>[0-5]\d)(?:\d{3})?)?(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
    ),
    re.compile(
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)"
        r"(?P<second>[0-5]\d)(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
    ),
    # Viofo: 2026_0301_091530_012F. Nextbase: 260301_091530_012_FH.
    re.compile(r"^(?P<year>20\d\d)_(?P<month>\d\d)(?P<day>\d\d)_(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)_"),
    re.compile(r"^(?P<year>\d\d)(?P<month>\d\d)(?P<day>\d\d)_(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)_\d{3}_"),
    # WhatsApp and macOS: "Screen Recording 2026-03-01 at 9.15.30 AM", in any language.
    re.compile(
        rf"(?<!\d){_DATE}[^\d]{{1,10}}(?P<hour>\d{{1,2}})[.:](?P<minute>\d\d)[.:](?P<second>\d\d)(?:\s?(?P<half>[AP])M)?",
        re.IGNORECASE,
    ),
]
# Seconds since 1970 in a name: clips of Frigate (front_door-1772352930.5-x1y2z3), screen recordings of iOS.
_UNIX = re.compile(r"-(?P<seconds>1\d{9})\.\d+-\w+$|^RPReplay_Final(?P<replay>1\d{9})$")
# Frigate's recordings, by UTC: 2026-03-01/08/front_door/15.30.mp4.
_FRIGATE = re.compile(
    r"(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)/(?P<hour>\d\d)/[^/]+/(?P<minute>\d\d)\.(?P<second>\d\d)$"
)
# Android's camera app names videos by UTC.
_IN_UTC = ("PXL_",)
# Containers state one of these years if no clock was set.
_EPOCHS = (1904, 1970, 1980)
# Clocks of cameras may be ahead, or in another time zone.
_AHEAD = timedelta(days=1)
# Two clocks of one file may differ by so much.
_APART = timedelta(minutes=1)


def recording_time(
    path: Path, created: str, now: datetime, zone: tzinfo | None = None
) -> tuple[datetime, Origin] | None:
    """Returns (the wall clock of second 0, where it was found), or None.

    created: the time in the container, or empty.
    now: the wall clock. A date in the future is not believed.
    zone: the time zone of a clock that names none; by default this machine's.
    """
    return next(iter(_clocks(path, created, now, zone)), None)


def _clocks(path: Path, created: str, now: datetime, zone: tzinfo | None) -> list[tuple[datetime, Origin]]:
    """Returns every credible clock of a file, the most trusted one first."""
    found: list[tuple[datetime | None, Origin]] = [
        (_dated_by_name(path, zone), "name"),
        (_dated_by_container(created), "creation_time"),
    ]
    return [
        (moment, origin)
        for moment, origin in found
        if moment and moment.year in YEARS and moment.year not in _EPOCHS and moment <= now + _AHEAD
    ]


def _dated_by_name(path: Path, zone: tzinfo | None) -> datetime | None:
    if unix := _UNIX.search(path.stem):
        return datetime.fromtimestamp(int(unix["seconds"] or unix["replay"]), UTC)
    if folders := _FRIGATE.search((path.parent / path.stem).as_posix()):
        return _moment(folders, UTC)
    found = next((match for pattern in _NAMED if (match := pattern.search(path.stem))), None)
    return _moment(found, UTC if path.stem.startswith(_IN_UTC) else zone) if found else None


def _moment(found: re.Match[str], zone: tzinfo | None) -> datetime | None:
    """Returns the moment that a name states; None if there is no such day or hour."""
    named = found.groupdict()
    year, month, day, hour, minute, second = (
        int(named.get(part) or 0) for part in ("year", "month", "day", "hour", "minute", "second")
    )
    if named.get("half"):
        hour = hour % 12 + (12 if named["half"].upper() == "P" else 0)
    try:
        moment = datetime(year if year > 99 else 2000 + year, month, day, hour, minute, second)
        if named.get("zone"):
            return moment.replace(tzinfo=_zone(named["zone"]))
        # A fixed offset, because that is what the graph stores.
        local = moment.replace(tzinfo=zone) if zone else moment.astimezone()
        return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()))
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
