"""When a film was recorded: by the date in its file name, else by the creation_time of its container."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

from amr_neo4j.domain.analysis import YEARS

Origin = Literal["name", "creation_time"]

# Year, month, day, then hour, minute and perhaps second: 2026-03-01_09-15-30, VID_20260301_091530, 20260301T0915Z.
_NAMED = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<a>[-_.]?)(?P<month>\d\d)(?P=a)(?P<day>\d\d)"
    r"(?:[T _.-]|--|_-_)(?P<hour>[0-2]\d)(?P<b>[-_.:h]?)(?P<minute>[0-5]\d)(?:[-_.:m]?(?P<second>[0-5]\d)(?:\d{3})?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
)
_DIGITS = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?P<hour>[0-2]\d)(?P<minute>[0-5]\d)"
    r"(?P<second>[0-5]\d)(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)"
)
# Containers say one of these where nobody set a clock.
_EPOCHS = (1904, 1970, 1980)
_AHEAD = timedelta(days=1)


def recording_time(path: Path, created: str, now: datetime) -> tuple[datetime, Origin] | None:
    """Returns the wall clock of second 0 and where it stands, or None.

    created: the creation_time of the container, or empty. A date in a name is taken as this machine's local time
    where it has no zone; one that lies in the future is not believed. Raises nothing.
    """
    for moment, origin in ((_by_name(path.stem), "name"), (_by_container(created), "creation_time")):
        if moment and moment.year in YEARS and moment.year not in _EPOCHS and moment <= now + _AHEAD:
            return moment, origin  # type: ignore[return-value]
    return None


def _by_name(name: str) -> datetime | None:
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
        return timezone.utc
    digits = text.replace(":", "")
    offset = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
    return timezone(-offset if text[0] == "-" else offset)


def _by_container(created: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(created.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
