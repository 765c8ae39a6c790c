"""Videos and JSON lines, by name, into the ingest pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.errors import InputError
from amr_neo4j.files import open_regular
from amr_neo4j.ingest.expired import is_expired
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest, ingest_video
from amr_neo4j.ingest.progress import counting, watch_each
from amr_neo4j.media import sources
from amr_neo4j.media.video_file import video_of
from amr_neo4j.wiring.forgetting_footage import apply_retention

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


@dataclass(frozen=True)
class IngestOptions:
    """Of the videos of one call; see Memory.ingest."""

    video_id: str = ""
    place: str = ""
    recorded_at: datetime | None = None
    retry_failed: bool = False
    skip_failed: bool = False
    any_group: bool = False


def ingest_places(parts: Parts, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
    """Take in files, folders and globs. One of several files that cannot be taken is rejected in the report."""
    found = list(sources.find(places))
    if how.video_id and len(found) != 1:
        raise InputError(f"one video_id for {len(found)} files", hint="name one file")
    if (how.video_id or how.place or how.recorded_at) and all(source.kind == "lines" for source in found):
        raise InputError("JSON lines say themselves which video, place and time they are of", hint="leave it out")
    report = IngestReport()
    count = counting(report, watch)
    oldest = apply_retention(parts)
    for source in found:
        try:
            if source.kind == "lines":
                _ingest_file_of_lines(parts, source.path, count, oldest, any_group=how.any_group)
            else:
                _ingest_video(parts, source.path, how, count, oldest)
        except InputError as error:
            if len(found) == 1:
                raise
            count(Progress(str(source.path), Receipt("", "", "rejected", error=str(error))))
    return report


def ingest_lines(
    parts: Parts, lines: Iterable[str | bytes], name: str, watch: Watch, *, any_group: bool = False
) -> IngestReport:
    """Take in clip analyses, a JSON object a line; each is committed before the next is read."""
    report = IngestReport()
    oldest = apply_retention(parts)
    clips = _kept(read_lines(lines, group_id=parts.group_id, any_group=any_group), oldest)
    watch_each(ingest(clips, parts.committer), name, counting(report, watch))
    return report


def _ingest_file_of_lines(
    parts: Parts, path: Path, watch: Watch, oldest: datetime | None, *, any_group: bool
) -> None:
    with open_regular(path) as lines:
        clips = _kept(read_lines(sources.lines_of(lines), group_id=parts.group_id, any_group=any_group), oldest)
        receipts = ingest(clips, parts.committer, clips_per_transaction=parts.settings.clips_per_transaction)
        watch_each(receipts, str(path), watch)


def _kept(clips: Iterable[Taken], oldest: datetime | None) -> Iterator[Taken]:
    """Without the clips that ended by then."""
    return (
        clip for clip in clips if not (isinstance(clip, AnalysedClip) and is_expired(clip.video, clip.clip, oldest))
    )


def _ingest_video(parts: Parts, path: Path, how: IngestOptions, watch: Watch, oldest: datetime | None) -> None:
    group_id, settings = parts.group_id, parts.settings
    video = video_of(path, group_id, video_id=how.video_id, place=how.place, recorded_at=how.recorded_at)
    video = parts.writer.continued(video, named=bool(how.video_id))
    run = ingest_video(
        video,
        lambda: parts.analyser,
        lambda: parts.committer,
        parts.writer,
        parts.clip_spool,
        target_clip_sec=settings.target_clip_sec,
        retry_failed=how.retry_failed,
        skip_failed=how.skip_failed,
        oldest=oldest,
    )
    for receipt in run.skipped:
        watch(Progress(str(path), receipt, total_s=video.duration_s or 0.0))
    watch_each(run.receipts, str(path), watch, run.seconds)
