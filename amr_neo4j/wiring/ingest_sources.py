"""Videos and JSON lines, by name, into the ingest pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError
from amr_neo4j.ingest import resume
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.ingest.progress import counting, watch_each
from amr_neo4j.ingest.segment import segment
from amr_neo4j.media import sources
from amr_neo4j.media.ffmpeg import readable
from amr_neo4j.media.video_file import video_of

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


def ingest_places(parts: Parts, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
    """Take in files, folders and globs. One of several files that cannot be taken is rejected in the report."""
    found = list(sources.find(places))
    if how.video_id and len(found) != 1:
        raise InputError(f"one video_id for {len(found)} files", hint="name one file")
    if (how.video_id or how.place or how.recorded_at) and all(source.kind == "lines" for source in found):
        raise InputError("JSON lines say themselves which video, place and time they are of", hint="leave it out")
    report = IngestReport()
    count = counting(report, watch)
    for source in found:
        try:
            if source.kind == "lines":
                _ingest_file_of_lines(parts, source.path, count)
            else:
                _ingest_video(parts, source.path, how, count)
        except InputError as error:
            if len(found) == 1:
                raise
            count(Progress(str(source.path), Receipt("", "", "rejected", error=str(error))))
    return report


def ingest_lines(parts: Parts, lines: Iterable[str | bytes], name: str, watch: Watch) -> IngestReport:
    """Take in clip analyses, a JSON object a line; each is committed before the next is read."""
    report = IngestReport()
    watch_each(_commit(parts, read_lines(lines, group_id=parts.group_id)), name, counting(report, watch))
    return report


def _ingest_file_of_lines(parts: Parts, path: Path, watch: Watch) -> None:
    with readable(path).open("rb") as lines:
        clips = read_lines(sources.lines_of(lines), group_id=parts.group_id)
        receipts = _commit(parts, clips, clips_per_transaction=parts.settings.clips_per_transaction)
        watch_each(receipts, str(path), watch)


def _ingest_video(parts: Parts, path: Path, how: IngestOptions, watch: Watch) -> None:
    group_id, spool = parts.group_id, parts.clip_spool
    video: Video = video_of(path, group_id, video_id=how.video_id, place=how.place, recorded_at=how.recorded_at)
    duration = video.duration_s or 0.0
    clips = list(segment(duration, parts.settings.target_clip_sec, video.uri))
    failed = {"retry_failed": how.retry_failed, "skip_failed": how.skip_failed}
    before, todo = resume.resume(video, clips, parts.writer, **failed)
    for receipt in resume.letting_go(before, group_id, spool):
        watch(Progress(str(path), receipt, total_s=duration))
    if todo:
        receipts = _commit(parts, parts.analyser.watch(video, todo), skip_failed=how.skip_failed)
        total_s = sum(clip.t_end - clip.t_start for clip in todo)
        watch_each(resume.letting_go(receipts, group_id, spool), str(path), watch, total_s)


def _commit(parts: Parts, clips: Iterable[Taken], **how: Any) -> Iterator[Receipt]:
    means = {"writer": parts.writer, "embedder": parts.embedder, "merging": parts.merging}
    return ingest(clips, **means, counting=parts.ledger.counting, **how)
