"""Divides a video into clips, which are ranges of time, and finds those still to do (specification 000 I.2.1).

No file is cut. The last clip may be shorter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from amr_neo4j.domain.forgotten import NONE_FORGOTTEN, ForgottenClips
from amr_neo4j.domain.live import shortest_tail
from amr_neo4j.domain.ports import ClipSpool, EventWriter
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import EXPLORED, Clip, Video
from amr_neo4j.errors import InputError

# A remainder shorter than one frame at 25 fps belongs to the clip before it.
_SHORTEST_CLIP = 0.04


def tiled(video: Video, target_sec: float, known: Collection[str]) -> list[Clip]:
    """Return the clips of a video; a remainder of under two seconds joins the clip before it.

    known: the clip ids in the graph. If such a remainder is a clip there, as of a growing recording, it stays one.
    """
    length = video.duration_s or 0.0
    clips = list(segment(length, target_sec, uri=video.uri, ends=video.ends, shortest=shortest_tail(target_sec)))
    if set(known) <= {clip.clip_id for clip in clips}:
        return clips
    return list(segment(length, target_sec, uri=video.uri, ends=video.ends))


def segment(
    duration_s: float,
    target_sec: float,
    *,
    uri: str = "",
    ends: Sequence[float] = (),
    shortest: float = _SHORTEST_CLIP,
) -> Iterator[Clip]:
    """Yield clips of `target_sec` seconds over [0, duration_s), each named by its range in milliseconds.

    ends: the seconds at which a growing recording ended at earlier ingests, ascending. Clips end there too, so that
        earlier clips stay as they are however long the recording becomes.
    shortest: a remainder of fewer seconds joins the clip before it.
    """
    shortest = max(shortest, _SHORTEST_CLIP)
    start = 0.0
    for stop in (*ends, duration_s):
        number = int(start / target_sec)
        # A clip that ended at an earlier end of the recording may leave only a sliver before the next multiple.
        if start and (number + 1) * target_sec - start < _SHORTEST_CLIP:
            number += 1
        while start < stop:
            end = (number + 1) * target_sec
            if stop - end < shortest:
                end = stop
            yield Clip(clip_id(start, end), start, end, uri, start)
            number, start = number + 1, end


def clip_id(t_start: float, t_end: float) -> str:
    """Return the name of a range: 000010000-000020000 for 10.0 s to 20.0 s."""
    return f"{round(t_start * 1000):09d}-{round(t_end * 1000):09d}"


def remaining(
    video_id: str, clips: Sequence[Clip], known: Collection[str], *, again: Collection[str] = (), cut: bool = False
) -> list[Clip]:
    """Return the clips that the graph lacks, and those to be done again.

    known: the clip ids in the graph.
    again: those to repeat.
    cut: the clips were cut beforehand, so the graph may know others.
    Raises InputError: a known clip has other boundaries, so that its seconds would be in memory twice.
    """
    # Ids of clips are their ranges, so an unknown id in the graph means other boundaries.
    if (others := set(known) - {clip.clip_id for clip in clips}) and not cut:
        raise InputError(
            f"video {video_id} is in memory with other clip boundaries ({min(others)} is one of its clips)",
            hint="use the same --target-clip-sec, or give the video another --video-id",
        )
    return [clip for clip in clips if clip.clip_id not in known or clip.clip_id in again]


# After these outcomes a spooled analysis is not needed any more.
_DONE = ("committed", "unchanged", "skipped")


@dataclass(frozen=True)
class ClipChoice:
    """Says which clips of a video a run takes in.

    target_sec: the length of a clip.
    retry_failed: do failed clips again, including those given up.
    skip_failed: give up clips that fail or failed.
    oldest: leave out clips that ended by then.
    cut: clips that were cut beforehand, instead of segments of the video.
    forgotten: clips to leave out.
    """

    target_sec: float
    retry_failed: bool = False
    skip_failed: bool = False
    oldest: datetime | None = None
    cut: Sequence[Clip] = ()
    forgotten: ForgottenClips = NONE_FORGOTTEN


def resume(video: Video, choice: ClipChoice, writer: EventWriter) -> tuple[list[Receipt], list[Clip]]:
    """Return (receipts of the clips that this run skips, the clips that are left to do).

    Raises InputError: the video is in memory with other clip boundaries.
    """
    key = (video.group_id, video.video_id)
    if choice.skip_failed and not choice.retry_failed:
        writer.skip_failed(*key)
    committed, failed = writer.committed_clips(*key), writer.failed_clips(*key)
    # What an exploration kept lies beside the film's own clips.
    known = {clip_id for clip_id in (*committed, *failed) if not clip_id.startswith(EXPLORED)}
    clips = list(choice.cut) or tiled(video, choice.target_sec, known)
    again = failed if choice.retry_failed else ()
    todo = remaining(video.video_id, clips, known, again=again, cut=bool(choice.cut))
    todo = [clip for clip in todo if not choice.forgotten.covers(video, clip)]
    doing = {clip.clip_id for clip in todo}
    left = [clip for clip in clips if clip.clip_id not in doing]
    receipts = [_receipt(video.video_id, clip, failed.get(clip.clip_id)) for clip in left]
    for number, clip in enumerate(left):
        if clip.clip_id not in known:  # one note is enough for a film of many clips
            receipts[number] = replace(receipts[number], notes=(choice.forgotten.note,))
            break
    return receipts, [clip for clip in todo if not is_expired(video, clip, choice.oldest)]


def without_spooled(receipts: Iterable[Receipt], group_id: str, spool: ClipSpool) -> Iterator[Receipt]:
    """Yield the same receipts, and removes clips from the spool that are committed or given up."""
    for receipt in receipts:
        if receipt.outcome in _DONE:
            spool.remove(group_id, receipt.video_id, receipt.clip_id)
        yield receipt


def _receipt(video_id: str, clip: Clip, failure: Failure | None) -> Receipt:
    if failure is None:
        return Receipt(video_id, clip.clip_id, "unchanged")
    if failure.skipped:
        return Receipt(video_id, clip.clip_id, "skipped")
    times = "once" if failure.attempts == 1 else f"{failure.attempts} times"
    return Receipt(video_id, clip.clip_id, "failed", error=f"failed {times} before: {failure.error}")


def is_expired(video: Video, clip: Clip, oldest: datetime | None) -> bool:
    """Return whether a clip ended by `oldest`. False if there is no limit, or the video's wall clock is unknown."""
    if oldest is None or video.recorded_at is None:
        return False
    return video.recorded_at + timedelta(seconds=clip.t_end) <= oldest
