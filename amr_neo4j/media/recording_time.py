"""Finds when a film was recorded: the clocks in the names of files, and in containers."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Literal

from amr_neo4j.domain.analysis import YEARS

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
    # Viofo: 2026_0301_091530_012F, EVT_2026_0301_091530. Nextbase: 260301_091530_012_FH. Novatek: FILE260301-091530F.
    re.compile(
        r"(?:^|_)(?P<year>20\d\d)_(?P<month>\d\d)(?P<day>\d\d)_(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)(?!\d)"
    ),
    re.compile(
        r"^(?:FILE(?=\d{6}-)|(?=\d{6}_\d{6}_\d{3}_))(?P<year>\d\d)(?P<month>\d\d)(?P<day>\d\d)[_-]"
        r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)(?!\d)"
    ),
    # WhatsApp and macOS: "Screen Recording 2026-03-01 at 9.15.30 AM", in any language.
    re.compile(
        rf"(?<!\d){_DATE}[^\d]{{1,10}}(?P<hour>\d{{1,2}})[.:](?P<minute>\d\d)[.:](?P<second>\d\d)(?:\s?(?P<half>[AP])M)?",
        re.IGNORECASE,
    ),
]
# Seconds since 1970 in a name: clips of Frigate (front_door-1772352930.5-x1y2z3, or with the end after them), screen
# recordings of iOS.
_UNIX = re.compile(r"-(?P<seconds>1\d{9})\.\d+-\w+(?:\.\d+)?$|^RPReplay_Final(?P<replay>1\d{9})$")
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


def recording_time(
    path: Path, created: str, now: datetime, zone: tzinfo | None = None
) -> tuple[datetime, Origin] | None:
    """Return (the wall clock of second 0, where it was found), or None.

    created: the time in the container, or empty.
    now: the wall clock. A date in the future is not believed.
    zone: the time zone of a clock that names none; by default this machine's.
    """
    return next(iter(clocks_of(path, created, now, zone)), None)


def clocks_of(path: Path, created: str, now: datetime, zone: tzinfo | None) -> list[tuple[datetime, Origin]]:
    """Return every credible clock of a file, the most trusted one first."""
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
    if not found:
        return None
    return _moment(found, UTC if path.stem.startswith(_IN_UTC) else zone)


def _moment(found: re.Match[str], zone: tzinfo | None) -> datetime | None:
    """Return the moment that a name states; None if there is no such day or hour."""
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
