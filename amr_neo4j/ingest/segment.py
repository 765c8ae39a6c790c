"""Segments a video into clips: ranges of time, the last one shorter (specification 000 I.2.1). No file is cut."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from amr_neo4j.domain.live import shortest_tail
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError

# A remainder shorter than one frame at 25 fps belongs to the clip before it.
_SHORTEST = 0.04


def tiled(video: Video, target_sec: float, known: Collection[str]) -> list[Clip]:
    """The clips of a video; a remainder of under two seconds joins the clip before it.

    known: the clip ids in the graph. A video of which an earlier version made a clip of the remainder keeps it.
    """
    length, where = video.duration_s or 0.0, (video.uri, video.ends)
    clips = list(segment(length, target_sec, *where, shortest=shortest_tail(target_sec)))
    if set(known) <= {clip.clip_id for clip in clips}:
        return clips
    return list(segment(length, target_sec, *where))


def segment(
    duration_s: float, target_sec: float, uri: str = "", ends: Sequence[float] = (), *, shortest: float = _SHORTEST
) -> Iterator[Clip]:
    """Clips of `target_sec` seconds over [0, duration_s); each named by its range in milliseconds.

    ends: seconds at which a recording that grows ended before, ascending. Clips end there too, so that those up to
    there stay as they are however long the recording becomes. shortest: seconds under which a remainder joins the
    clip before it.
    """
    shortest = max(shortest, _SHORTEST)
    start = 0.0
    for stop in (*ends, duration_s):
        number = int(start / target_sec)
        if start and (number + 1) * target_sec - start < _SHORTEST:
            number += 1
        while start < stop:
            end = (number + 1) * target_sec
            if stop - end < shortest:
                end = stop
            yield Clip(clip_id(start, end), start, end, uri, start)
            number, start = number + 1, end


def clip_id(t_start: float, t_end: float) -> str:
    """The name of a range: 10.0 s to 20.0 s is 000010000-000020000."""
    return f"{round(t_start * 1000):09d}-{round(t_end * 1000):09d}"


def remaining(
    video_id: str, clips: Sequence[Clip], known: Collection[str], again: Collection[str] = (), *, cut: bool = False
) -> list[Clip]:
    """The clips that the graph lacks, and those to be done again.

    known: the clip ids in the graph. again: those to repeat. cut: others cut the clips, so more of them may be known.
    Raises InputError where a known clip has other boundaries: its seconds would be in memory twice.
    """
    if (others := set(known) - {clip.clip_id for clip in clips}) and not cut:
        raise InputError(
            f"video {video_id} is in memory with other clip boundaries ({min(others)} is one of its clips)",
            hint="use the same --target-clip-sec, or give the video another --video-id",
        )
    return [clip for clip in clips if clip.clip_id not in known or clip.clip_id in again]
