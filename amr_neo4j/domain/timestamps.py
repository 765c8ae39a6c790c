"""Wall clock times that the graph can store, and seconds of a video as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_MINUTE = timedelta(minutes=1)
# Neo4j's limit, which is that of Java.
_FARTHEST = timedelta(hours=18)


def storable(moment: datetime) -> datetime:
    """Returns the same moment.

    Raises ValueError: it has no offset from UTC, or one that Neo4j cannot store (with seconds, or beyond 18 hours),
    or is not within the years 1 to 9999 in UTC.
    """
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("lacks its offset from UTC")
    if offset % _MINUTE:
        raise ValueError("has an offset from UTC with seconds; use whole minutes")
    if abs(offset) > _FARTHEST:
        raise ValueError("has an offset from UTC of more than 18 hours")
    try:
        moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is not within the years 1 to 9999 in UTC") from error
    return moment


def clock(seconds: float) -> str:
    """hh:mm:ss of a video, with as many decimals as milliseconds need: 751.0 -> 00:12:31, 3.25 -> 00:00:03.25."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    decimals = f".{milliseconds:03d}".rstrip("0") if milliseconds else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{decimals}"


def lasting(seconds: float) -> str:
    """How long something takes, in its two or three largest units: 220 -> "3 min 40 s", 0.25 -> "0.2 s"."""
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    parts = [(days, "d"), (hour, "h"), (minute, "min"), (second, "s")]
    largest = [f"{count} {unit}" for count, unit in parts if count]
    return " ".join(largest[:3]) or "0 s"
