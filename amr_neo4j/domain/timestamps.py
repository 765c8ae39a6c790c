"""Seconds of a video as people read them."""

from __future__ import annotations


def clock(seconds: float) -> str:
    """hh:mm:ss of a video, with as many decimals as milliseconds need: 751.0 -> 00:12:31, 3.25 -> 00:00:03.25."""
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hour, minute = divmod(minutes, 60)
    decimals = f".{milliseconds:03d}".rstrip("0") if milliseconds else ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{decimals}"
