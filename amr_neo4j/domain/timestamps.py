"""Wall clock times that the graph can store, and readable forms of seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from math import isfinite
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
# The largest offset from UTC that Neo4j stores; the limit comes from Java.
_FARTHEST = timedelta(hours=18)


def storable(moment: datetime) -> datetime:
    """Return the moment unchanged if Neo4j can store it.

    Raises ValueError if it has no UTC offset, an offset with seconds or beyond 18 hours, or is not within the years 1
    to 9999 in UTC.
    """
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("lacks its offset from UTC")
    # Python's zones have such offsets for dates before standard time.
    if offset % _MINUTE:
        raise ValueError("has an offset from UTC with seconds; use whole minutes")
    if abs(offset) > _FARTHEST:
        raise ValueError("has an offset from UTC of more than 18 hours")
    try:
        moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is not within the years 1 to 9999 in UTC") from error
    return moment


def time_zone(name: str) -> str:
    """Return the name of a time zone. Raises ValueError: the IANA database has no such zone."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name} is no time zone: write it like Europe/Berlin") from error


def zone_name(zone: tzinfo) -> str:
    """Return the IANA name of a time zone, or its offset from UTC ("+02:00") if it has none."""
    return getattr(zone, "key", "") or datetime.now(zone).isoformat()[-6:]


def not_ahead(moment: datetime, now: datetime) -> tuple[datetime, dict[str, str]]:
    """Return (when something was said, what to note about it in its metadata).

    A moment more than a day ahead of now comes from a wrong clock. It counts as said now, and is noted as `dated`.
    """
    return (now, {"dated": moment.isoformat()}) if moment - now > _DAY else (moment, {})


def clock(seconds: float) -> str:
    """Return seconds of a video as hh:mm:ss, with up to three decimals: 751.0 -> 00:12:31, 3.25 -> 00:00:03.25."""
    if not isfinite(seconds * 1000):  # in a citation that another program made up
        return f"{seconds:g} s"
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    decimals = f".{milliseconds:03d}".rstrip("0") if milliseconds else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{decimals}"


def lasting(seconds: float) -> str:
    """Return a duration in its largest units, at most three: 220 -> "3 min 40 s", 0.25 -> "0.2 s"."""
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    parts = [(days, "d"), (hour, "h"), (minute, "min"), (second, "s")]
    largest = [f"{count} {unit}" for count, unit in parts if count]
    return " ".join(largest[:3]) or "0 s"
