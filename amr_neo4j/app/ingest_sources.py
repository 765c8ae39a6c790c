"""Videos and JSON lines, by name, into the ingest pipeline."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from amr_neo4j.app.forgetting_footage import apply_retention
from amr_neo4j.app.growing_files import Pace, follow
from amr_neo4j.app.live_ingest import ingest_live
from amr_neo4j.app.live_recordings import LiveOptions
from amr_neo4j.app.receipts import measure
from amr_neo4j.domain.live import OnLag, shortest_tail
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.video import AnalysedClip, Clip, CutClip, Video
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.files import open_regular, whole_path
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest, ingest_video
from amr_neo4j.ingest.progress import counting, watch_each
from amr_neo4j.ingest.segment import clip_id, is_expired
from amr_neo4j.media import live_address, source_files
from amr_neo4j.media.video_file import check_named, video_of

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
    on_lag: OnLag = "wait"
    wait: bool = False
    precut: bool = False
    follow: bool = False


def ingest_places(parts: Parts, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
    """Take in files, folders and globs. One of several files that cannot be taken is rejected in the report."""
    places = list(places)
    check_named(how.video_id, how.place, how.recorded_at)
    if how.precut:
        return ingest_precut(parts, places, how, watch)
    if live := [place for place in places if live_address.is_live(place)]:
        return _ingest_live(parts, places, live, how, watch)
    if how.follow:
        if len(places) != 1:
            raise InputError(f"{len(places)} files to follow", hint="name one, or watch a folder: amr watch FOLDER")
        return follow_file(parts, places[0], how, Pace(), watch)
    found = list(source_files.find_sources(places))
    check_options(found, how)
    report = IngestReport()
    count = counting(report, _found_each(parts, report, watch) if how.wait else watch)
    oldest = apply_retention(parts)
    for source in found:
        try:
            if source.kind == "lines":
                _ingest_file_of_lines(parts, source.path, how, count, oldest)
            else:
                _ingest_video(parts, source.path, how, count, oldest)
        except InputError as error:
            if len(found) == 1:
                raise
            count(Progress(str(source.path), Receipt("", "", "rejected", error=str(error))))
    return report


def check_options(found: Sequence[source_files.SourceFile], how: IngestOptions) -> None:
    """Raises InputError: what the options say of a video cannot be said of these files."""
    if how.video_id and len(found) != 1:
        raise InputError(f"one video_id for {len(found)} files", hint="name one file, or leave video_id out")
    if (how.video_id or how.place or how.recorded_at) and all(source.kind == "lines" for source in found):
        raise InputError("video_id, place and recorded_at do not apply to JSON lines", hint="put them into the lines")


def _found_each(parts: Parts, report: IngestReport, watch: Watch) -> Watch:
    """A Watch that also waits until a search finds the clip."""

    def found(progress: Progress) -> None:
        watch(progress)
        measure(parts, progress.receipt, report)

    return found


def _ingest_live(
    parts: Parts, places: list[str | Path], live: list[str | Path], how: IngestOptions, watch: Watch
) -> IngestReport:
    if len(live) < len(places):
        raise InputError("files and live sources are taken in by runs of their own", hint="name one kind at a time")
    if len(live) > 1 and (how.video_id or how.recorded_at):
        raise InputError(f"one video_id or recorded_at for {len(live)} sources", hint="name one source")
    options = LiveOptions(how.place, how.video_id, how.recorded_at, how.on_lag)
    return ingest_live(parts, live, options, watch)


def ingest_lines(
    parts: Parts, lines: Iterable[str | bytes], name: str, watch: Watch, how: IngestOptions = IngestOptions()
) -> IngestReport:
    """Take in clips, a JSON object a line; each is committed before the next is read."""
    report = IngestReport()
    oldest = apply_retention(parts)
    clips = read_lines(lines, group_id=parts.group_id, any_group=how.any_group)
    _ingest_read(parts, clips, Reading(name, Path(), how, oldest, at_once=1), counting(report, watch))
    return report


def as_line(clip: Mapping[str, Any]) -> str:
    """A clip as a JSON line; what JSON does not have is written as text."""
    return json.dumps(dict(clip), default=str)


def ingest_precut(parts: Parts, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
    """Take in folders, playlists and files whose clips were cut before; each place is one video."""
    report = IngestReport()
    oldest, count = apply_retention(parts), counting(report, watch)
    for place, files in source_files.find_cut_files(places):
        video_id = how.video_id or source_files.cut_files_name(place)
        video = Video(parts.group_id, video_id, place=how.place, recorded_at=how.recorded_at)
        names = ((clip_id(file.t_start, file.t_end), file) for file in files)
        clips = [CutClip(video, Clip(name, f.t_start, f.t_end, str(whole_path(f.path)))) for name, f in names]
        _ingest_read(parts, clips, Reading(str(place), Path(), how, oldest), count)
    return report


def _ingest_file_of_lines(
    parts: Parts, path: Path, how: IngestOptions, watch: Watch, oldest: datetime | None
) -> None:
    with open_regular(path) as lines:
        read = source_files.lines_of(lines)
        clips = read_lines(read, group_id=parts.group_id, any_group=how.any_group, video_id=path.stem)
        _ingest_read(parts, clips, Reading(str(path), path.parent, how, oldest), watch)


@dataclass(frozen=True)
class Reading:
    """Where clips are read from. folder: of their relative paths. at_once: how many are analysed together at most."""

    name: str
    folder: Path
    how: IngestOptions
    oldest: datetime | None
    at_once: int = 64


def _ingest_read(parts: Parts, clips: Iterable[AnalysedClip | CutClip | Receipt], of: Reading, watch: Watch) -> None:
    """Analyses are committed as they come; clips of one video that follow each other are analysed in their order."""
    each_alone = parts.settings.clips_per_transaction if of.at_once > 1 else 1
    for _, some in groupby(clips, key=lambda clip: isinstance(clip, CutClip)):
        taken = iter(some)
        first = next(taken)
        if isinstance(first, CutClip):
            for run in _runs(cast("Iterator[CutClip]", chain([first], taken)), of.at_once):
                _analyse_cut(parts, run, of, watch)
        else:
            ready = cast("Iterator[Taken]", chain([first], taken))
            receipts = ingest(
                _kept(ready, of.oldest),
                parts.committer,
                clips_per_transaction=each_alone,
                refine=parts.refine("lines"),
            )
            watch_each(receipts, of.name, watch)


def _runs(clips: Iterator[CutClip], most: int) -> Iterator[list[CutClip]]:
    """Clips in a row of one video, at most so many at once."""
    run: list[CutClip] = []
    for each in clips:
        if run and run[-1].video != each.video:
            yield run
            run = []
        run.append(each)
        if len(run) >= most:
            yield run
            run = []
    if run:
        yield run


def _analyse_cut(parts: Parts, run: list[CutClip], of: Reading, watch: Watch) -> None:
    """Analyse and commit clips of one video; one whose file cannot be used is rejected alone."""
    clips: list[Clip] = []
    for each in run:
        try:
            clips.append(source_files.open_cut_clip(each.clip, of.folder))
        except AmrError as error:
            rejected = Receipt(each.video.video_id, each.clip.clip_id, "rejected", error=str(error))
            watch(Progress(of.name, rejected))
    if not clips:
        return
    analysed = ingest_video(
        run[0].video,
        lambda: parts.analyser,
        lambda: parts.committer,
        writer=parts.writer,
        spool=parts.clip_spool,
        target_clip_sec=parts.settings.target_clip_sec,
        retry_failed=of.how.retry_failed,
        skip_failed=of.how.skip_failed,
        oldest=of.oldest,
        cut=sorted(clips, key=lambda clip: clip.t_start),
        refine=parts.refine_watched,
    )
    watch_each(analysed.skipped, of.name, watch)
    watch_each(analysed.receipts, of.name, watch, analysed.seconds)


def _kept(clips: Iterable[Taken], oldest: datetime | None) -> Iterator[Taken]:
    """Without the clips that ended by then."""
    return (
        clip for clip in clips if not (isinstance(clip, AnalysedClip) and is_expired(clip.video, clip.clip, oldest))
    )


def follow_file(parts: Parts, place: str | Path, how: IngestOptions, pace: Pace, watch: Watch) -> IngestReport:
    """Take in a file while it grows, a clip as soon as it is whole, until it has stopped growing or Ctrl-C."""
    [source] = source_files.find_sources([place])
    if source.kind == "lines":
        raise InputError(f"{place} holds JSON lines", hint="pipe them: tail -f FILE | amr ingest -")
    report = IngestReport()
    counted: set[tuple[str, str]] = set()

    def once(progress: Progress) -> None:
        key = (progress.receipt.video_id, progress.receipt.clip_id)
        if key not in counted:
            counted.add(key)
            count(progress)

    count = counting(report, _found_each(parts, report, watch) if how.wait else watch)
    oldest = apply_retention(parts)
    follow(
        parts,
        source.path,
        lambda is_over: _ingest_video(parts, source.path, how, once, oldest, grows=not is_over),
        pace,
    )
    return report


def _ingest_video(
    parts: Parts, path: Path, how: IngestOptions, watch: Watch, oldest: datetime | None, *, grows: bool = False
) -> None:
    group_id, settings = parts.group_id, parts.settings
    video = video_of(
        path, group_id, video_id=how.video_id, place=how.place, recorded_at=how.recorded_at, now=parts.now()
    )
    if grows:  # whole clips only, and none that a short remainder would join
        clip_s = settings.target_clip_sec
        whole = int(((video.duration_s or 0.0) - shortest_tail(clip_s)) / clip_s) * clip_s
        if whole <= 0:
            return
        if any(known > whole for known in parts.writer.known_lengths(video)):
            return
        video = replace(video, duration_s=whole)
    video = parts.writer.continued(video, named=bool(how.video_id))
    if how.recorded_at is None:
        video = parts.writer.dated_as_stored(video)
    run = ingest_video(
        video,
        lambda: parts.analyser,
        lambda: parts.committer,
        writer=parts.writer,
        spool=parts.clip_spool,
        target_clip_sec=settings.target_clip_sec,
        retry_failed=how.retry_failed,
        skip_failed=how.skip_failed,
        oldest=oldest,
        now=parts.now,
        refine=parts.refine_watched,
    )
    for receipt in run.skipped:
        watch(Progress(str(path), receipt, total_s=video.duration_s or 0.0))
    watch_each(run.receipts, str(path), watch, run.seconds)
