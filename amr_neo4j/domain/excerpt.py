"""Where an event was filmed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Filmed:
    """An event's stretch of a file. start, end: seconds of the file; video_start: the start, in seconds of the video.

    missing: why there is nothing to show, such as that the file is gone; empty where there is.
    """

    node_id: int
    video_id: str
    path: str
    start: float
    end: float
    video_start: float
    missing: str = ""
