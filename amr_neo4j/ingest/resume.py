"""Resumes a video: which of its clips earlier runs have committed or failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from amr_neo4j.domain.ports import ClipSpool, EventWriter
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.ingest.segment import remaining, tiled

# Outcomes after which an analysis is of no more use.
_DONE = ("committed", "unchanged", "skipped")


def resume(
    video: Video,
    target_clip_sec: float,
    writer: EventWriter,
    *,
    retry_failed: bool,
    skip_failed: bool,
    cut: Sequence[Clip] = (),
) -> tuple[list[Receipt], list[Clip]]:
    """(receipts of the clips that this run skips, the clips that are left to do).

    retry_failed: do failed clips again, including those given up. skip_failed: give up failed clips. cut: clips that
    were cut by others, in place of segments. Raises InputError: the video is in memory with other clip boundaries.
    """
    key = (video.group_id, video.video_id)
    if skip_failed and not retry_failed:
        writer.skip_failed(*key)
    committed, failed = writer.committed_clips(*key), writer.failed_clips(*key)
    known = {*committed, *failed}
    clips = list(cut) or tiled(video, target_clip_sec, known)
    todo = remaining(video.video_id, clips, known, again=failed if retry_failed else (), cut=bool(cut))
    doing = {clip.clip_id for clip in todo}
    left = [clip for clip in clips if clip.clip_id not in doing]
    return [_receipt(video.video_id, clip, failed.get(clip.clip_id)) for clip in left], todo


def without_spooled(receipts: Iterable[Receipt], group_id: str, spool: ClipSpool) -> Iterator[Receipt]:
    """The same receipts; analyses of clips that the graph has, or that were given up, are removed from the spool."""
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
