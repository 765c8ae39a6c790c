"""Segments a video into clips: ranges of time, the last one shorter (specification 000 I.2.1). No file is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import InputError

# A remainder shorter than one frame at 25 fps belongs to the clip before it.
_SHORTEST = 0.04


def segment(duration_s: float, target_sec: float, uri: str = "", ends: Sequence[float] = ()) -> Iterator[Clip]:
    """Clips of `target_sec` seconds over [0, duration_s); each named by its range in milliseconds.

    ends: seconds at which a recording that grows ended before, ascending. Clips end there too, so that those up to
    there stay as they are however long the recording becomes.
    """
    start = 0.0
    for stop in (*ends, duration_s):
        number = int(start / target_sec)
        if start and (number + 1) * target_sec - start < _SHORTEST:
            number += 1
        while start < stop:
            end = (number + 1) * target_sec
            if stop - end < _SHORTEST:
                end = stop
            yield Clip(clip_id(start, end), start, end, uri, start)
            number, start = number + 1, end


def clip_id(t_start: float, t_end: float) -> str:
    """The name of a range: 10.0 s to 20.0 s is 000010000-000020000."""
    return f"{round(t_start * 1000):09d}-{round(t_end * 1000):09d}"


def remaining(
    video_id: str, clips: Sequence[Clip], known: Collection[str], again: Collection[str] = ()
) -> list[Clip]:
    """The clips that the graph lacks, and those to be done again.

    known: the clip ids in the graph. again: those to repeat. Raises InputError where a known clip has other
    boundaries: its seconds would be in memory twice.
    """
    if others := set(known) - {clip.clip_id for clip in clips}:
        raise InputError(
            f"video {video_id} is in memory with other clip boundaries ({min(others)} is one of its clips)",
            hint="use the same --target-clip-sec, or give the video another --video-id",
        )
    return [clip for clip in clips if clip.clip_id not in known or clip.clip_id in again]
