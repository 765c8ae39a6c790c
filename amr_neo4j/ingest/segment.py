"""Cut a video into clips: stretches of time, the last one short (specification 000 I.2.1). No file is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import InputError

# A rest shorter than one frame at 25 fps belongs to the clip before it.
_SHORTEST = 0.04


def segment(duration_s: float, target_sec: float, uri: str = "") -> Iterator[Clip]:
    """Clips of `target_sec` seconds over [0, duration_s); each named by its range in milliseconds."""
    number, start = 0, 0.0
    while start < duration_s:
        end = (number + 1) * target_sec
        if duration_s - end < _SHORTEST:
            end = duration_s
        yield Clip(clip_id(start, end), start, end, uri, start)
        number, start = number + 1, end


def clip_id(t_start: float, t_end: float) -> str:
    """The name of a stretch: 10.0 s to 20.0 s is 000010000-000020000."""
    return f"{round(t_start * 1000):09d}-{round(t_end * 1000):09d}"


def remaining(
    video_id: str, clips: Sequence[Clip], known: Collection[str], again: Collection[str] = ()
) -> list[Clip]:
    """The clips that are not in the graph yet, and those of them there that are to be done again.

    known: the clip ids there. Raises InputError where one comes from cutting at other places: taking these as
    well would tell its seconds twice.
    """
    if others := set(known) - {clip.clip_id for clip in clips}:
        raise InputError(
            f"video {video_id} is in memory in other clips than these ({min(others)} is one)",
            hint="use the same --target-clip-sec, or give the video another --video-id",
        )
    return [clip for clip in clips if clip.clip_id not in known or clip.clip_id in again]
