"""Which clips are too old to be kept."""

from __future__ import annotations

from datetime import datetime, timedelta

from amr_neo4j.domain.video import Clip, Video


def is_expired(video: Video, clip: Clip, oldest: datetime | None) -> bool:
    """Whether a clip ended by then. Never where there is no limit, or the video's wall clock is unknown."""
    if oldest is None or video.recorded_at is None:
        return False
    return video.recorded_at + timedelta(seconds=clip.t_end) <= oldest
