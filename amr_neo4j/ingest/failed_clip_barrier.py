"""Holds back the clips that follow a failed one of the same video, for runs that must commit clips in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from amr_neo4j.domain.ports import EventWriter
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, FailedClip

Taken = AnalysedClip | FailedClip | Receipt
"""An input of ingestion. It is a receipt if something was rejected before it became a clip."""


def hold_after_failures(clips: Iterable[Taken], writer: EventWriter) -> Iterator[Taken]:
    """Yield the clips, with a receipt ("held") in place of each that follows a failed one of its video.

    Clips that failed in an earlier run count too, unless they were given up.
    """
    failed = _Failed(writer)
    for item in clips:
        if isinstance(item, Receipt):
            yield item
            continue
        # Merging needs the events before a clip, so a later clip must not be committed first.
        if isinstance(item, AnalysedClip) and (first := failed.before(item)):
            yield Receipt.of(item, "held", notes=(f"waits for clip {first}, which failed",))
            continue
        # A clip that succeeds now no longer holds back those after it.
        failed.note(item)
        yield item


class _Failed:
    """The failed clips of each video, with their start times."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._videos: dict[tuple[str, str], dict[str, float]] = {}

    def before(self, item: AnalysedClip) -> str | None:
        """Return the first failed clip before this one."""
        starts = {clip_id: t for clip_id, t in self._of(item).items() if t < item.clip.t_start}
        return min(starts, key=lambda clip_id: starts[clip_id], default=None)

    def note(self, item: AnalysedClip | FailedClip) -> None:
        """Record the outcome of a clip in this run, which replaces that of an earlier run."""
        starts = self._of(item)
        starts.pop(item.clip.clip_id, None)
        if isinstance(item, FailedClip):
            starts[item.clip.clip_id] = item.clip.t_start

    def _of(self, item: AnalysedClip | FailedClip) -> dict[str, float]:
        key = (item.video.group_id, item.video.video_id)
        if key not in self._videos:
            # Read once per video. After that, `note` keeps the failures up to date.
            known = self._writer.failed_clips(*key)
            self._videos[key] = {clip_id: f.t_start for clip_id, f in known.items() if not f.skipped}
        return self._videos[key]
