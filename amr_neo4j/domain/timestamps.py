"""Seconds of a video as people read them."""

from __future__ import annotations


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
