"""Finds videos and JSON lines by name and passes them to the ingest pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar, cast
from zoneinfo import ZoneInfo

from amr_neo4j.app.live_ingest import LiveIngest
from amr_neo4j.app.relocating import known_video
from amr_neo4j.app.watching import Pace, follow, watch_folders
from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.forgotten import NONE_FORGOTTEN, ForgottenClips
from amr_neo4j.domain.live import shortest_tail
from amr_neo4j.domain.ports import Analyser, Notify
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.tracked import TrackedItem
from amr_neo4j.domain.video import AnalysedClip, Clip, CutClip, FailedClip, Video
from amr_neo4j.domain.view import View, masked_at
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.files import open_regular, whole_path
from amr_neo4j.ingest.amending import KnownItems, amended
from amr_neo4j.ingest.analysis_runner import Refine
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import VideoRun, ingest, ingest_video
from amr_neo4j.ingest.segment import ClipChoice, clip_id, is_expired
from amr_neo4j.media import live_address, source_files, subtitles
from amr_neo4j.media.video_file import check_named, video_of

if TYPE_CHECKING:
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.store.write.clip_writer import ClipWriter

_LATE_WORDS = "amr forget --video ID, then take the film in again"
_USUAL_PACE = Pace()
_USUAL_OPTIONS = IngestOptions()
# The forgotten clips of this many videos are remembered, as they were when a call began each video: what is forgotten
# during the call was not named again.
_MOST_REMEMBERED = 10_000
# An update of a tracked object may arrive before its event, on another topic. It then waits this long for the event,
# counted from its first try: after an outage both are old, and the broker delivers them one by one.
_LATEST_EVENT = timedelta(hours=1)
Source = TypeVar("Source", bound=AnalysedClip | CutClip | Receipt | FailedClip)


@dataclass(frozen=True)
class ClipSource:
    """A source of clips.

    folder: the folder that relative paths of clips refer to.
    at_once: the most clips that are analysed together.
    is_file: it is a file. A request brings a camera system's items again and again and names none of them, so those
        that were forgotten are left out.
    begun: when its pipe was opened; None if it is none.
    """

    name: str
    folder: Path
    how: IngestOptions
    oldest: datetime | None
    at_once: int = 64
    is_file: bool = True
    begun: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Ingesting:
    """Takes in videos, JSON lines and live sources, for any group.

    refine_lines, refine_watched: make the further model calls; the one for clips of JSON lines, the other for clips
        that the analyser watched.
    apply_retention: forgets what a group has kept for too long. Returns the moment before which all is forgotten.
    measure: adds to a report how long it took until a search found a committed clip.
    place: where films and live sources were filmed that name no place; empty: each is a place of its own.
    dates_by_arrival: whether a film without a wall clock counts as recorded when it comes.
    wearer: who wears the cameras of videos that name nobody.
    zone: the time zone of clocks without an offset.
    place_zones: {place: name of its time zone}, where it is another.
    views: {place: what is drawn into the picture of its camera}.
    settle_scenes: makes the scenes of a group up to date, and has a model summarise them if the settings say so.
    hear: reads what people say in the videos of a group, as far as it was not read yet.
    one_video: held while a video is taken in. Videos of several threads, whatever their groups, wait for one another.
    pace: how often a growing file is looked at.
    """

    analyser: Callable[[], Analyser]
    committer: Callable[[], Committer]
    writer: Callable[[], ClipWriter]
    clip_spool: Callable[[], ClipSpool]
    refine_lines: Callable[[], Refine]
    refine_watched: Callable[[], Refine]
    live: Callable[[], LiveIngest]
    apply_retention: Callable[[str], datetime | None]
    measure: Callable[[str, Receipt, IngestReport], None]
    target_clip_sec: float
    clips_per_transaction: int
    now: Callable[[], datetime]
    zone: tzinfo
    place_zones: Mapping[str, str]
    views: Mapping[str, View]
    place: str
    dates_by_arrival: bool
    wearer: str
    notify: Notify
    settle_scenes: Callable[[str], None]
    hear: Callable[[str], None]
    one_video: AbstractContextManager[object]
    pace: Pace = _USUAL_PACE
    _tried: dict[tuple[str, str], datetime] = field(default_factory=dict[tuple[str, str], datetime], init=False)

    def places(self, group_id: str, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
        """Take in files, folders and globs.

        If one of several files cannot be taken in, the report has it as rejected. Raises InputError: the only file
        cannot be taken in, or the options do not fit.
        """
        of = replace(how, group_marks={})
        report = self._places(group_id, list(places), of, watch)
        self._settle(group_id, of)
        return report

    def _settle(self, group_id: str, how: IngestOptions) -> None:
        """Do what waits until all clips of an ingest are committed.

        Also where it found them all committed: an earlier one may have been killed before it came to this.
        """
        for group in {group_id, *(how.group_marks or ())}:
            self.settle_scenes(group)
            self.hear(group)

    def _places(self, group_id: str, places: list[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
        check_named(how.video_id, how.place, how.recorded_at)
        if how.precut:
            return self._precut(group_id, places, how, watch)
        if live := [place for place in places if live_address.is_live(place)]:
            return self._live(group_id, places, live, how, watch)
        if how.follow:
            if len(places) != 1:
                raise InputError(
                    f"{len(places)} files to follow", hint="name one, or watch a folder: amr watch FOLDER"
                )
            return self._follow(group_id, places[0], how, watch)
        found = list(source_files.find_sources(places))
        check_options(found, how)
        report = IngestReport()
        count = report.counting(self._finding_each(group_id, report, watch) if how.wait else watch)
        oldest = self.apply_retention(group_id)
        for source in found:
            of = how if source.is_named else replace(how, found=True)
            try:
                if source.kind == "lines":
                    self._file_of_lines(group_id, source.path, of, count, oldest)
                else:
                    with self.one_video:
                        self._video(group_id, source.path, of, count, oldest)
            except InputError as error:
                # The error of a single file is raised. Among several files, it must not stop the others.
                if len(found) == 1:
                    raise
                count(Progress(str(source.path), Receipt("", "", "rejected", error=str(error))))
        return report

    def lines(
        self,
        group_id: str,
        lines: Iterable[str | bytes],
        name: str,
        watch: Watch,
        how: IngestOptions = _USUAL_OPTIONS,
    ) -> IngestReport:
        """Take in clips, one JSON object a line.

        Lines that are all there share transactions, as those of a file do. Of others, such as a pipe's, each clip is
        committed before the next line is read.
        """
        report = IngestReport()
        # A pipe may have no end: each of its films is an ingest of its own, so that forgetting the group does not
        # close it.
        is_whole = isinstance(lines, Sequence)
        of = replace(how, group_marks={} if is_whole else None)
        source = ClipSource(name, Path(), of, self.apply_retention(group_id), is_file=False)
        if not is_whole:
            source = replace(source, at_once=1, begun=self.now())
        clips = read_lines(lines, group_id=group_id, any_group=how.any_group)
        self._read(clips, source, report.counting(watch))
        self._settle(group_id, of)
        return report

    def items(
        self, group_id: str, name: str, items: Sequence[TrackedItem], watch: Watch, *, timezone: str = ""
    ) -> None:
        """Take in items of a camera system, with all that is known of them.

        While an item goes on, it is only committed again if more is known than how far it has come.

        name: where they come from.
        timezone: of the cameras, instead of that in the settings.
        """
        oldest, committer = self.apply_retention(group_id), self.committer()
        known = KnownItems(
            group_id,
            self.writer().tracked_items,
            committer.language,
            in_zone=partial(self._in_zone, how=IngestOptions(timezone=timezone)),
            forgotten=partial(self.writer().forgotten_item, group_id),
            may_come=partial(self._may_come, group_id),
            every_step=False,
        )
        joined = self._noting_zone((clip for found in known.joined(items) for clip in found), timezone)
        clips = self._without_forgotten(joined, IngestOptions(found=True))
        ready, together = _without_expired(clips, oldest), self.clips_per_transaction
        receipts = ingest(ready, committer, clips_per_transaction=together, refine=self.refine_lines())
        watch_each(receipts, name, watch)

    def _may_come(self, group_id: str, update: TrackedItem) -> bool:
        key, now = (group_id, update.item_id), self.now()
        if now - self._tried.setdefault(key, now) < _LATEST_EVENT:
            for oldest in list(self._tried)[:-_MOST_REMEMBERED]:
                self._tried.pop(oldest, None)  # another thread may have done it
            return True
        self._tried.pop(key, None)
        return False

    def watch(
        self,
        group_id: str,
        folders: Iterable[str | Path],
        how: IngestOptions,
        *,
        pace: Pace,
        watch: Watch,
        stop: Event,
    ) -> IngestReport:
        """Take in the files of folders, and files that appear later, until `stop` is set or Ctrl-C."""

        def take_in(path: Path) -> IngestReport:
            return self.places(group_id, [path], replace(how, found=True), watch)

        return watch_folders(folders, take_in, pace=pace, watch=watch, stop=stop, notify=self.notify)

    def _finding_each(self, group_id: str, report: IngestReport, watch: Watch) -> Watch:
        """Return a Watch that also waits until a search finds the clip."""

        def found(progress: Progress) -> None:
            watch(progress)
            self.measure(group_id, progress.receipt, report)

        return found

    def _live(
        self, group_id: str, places: list[str | Path], live: list[str | Path], how: IngestOptions, watch: Watch
    ) -> IngestReport:
        if len(live) < len(places):
            raise InputError(
                "files and live sources are taken in by runs of their own", hint="name one kind at a time"
            )
        if len(live) > 1 and (how.video_id or how.recorded_at):
            raise InputError(f"one video_id or recorded_at for {len(live)} sources", hint="name one source")
        how = replace(how, place=how.place or self.place, wearer=how.wearer or self.wearer)
        return self.live().run(group_id, live, how, watch)

    def _precut(self, group_id: str, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
        """Take in folders, playlists and files whose clips were cut beforehand. Each place is one video."""
        report = IngestReport()
        oldest, count = self.apply_retention(group_id), report.counting(watch)
        for place, files, is_found in source_files.find_cut_files(places):
            video_id = how.video_id or source_files.cut_files_name(place)
            video = Video(group_id, video_id, place=how.place or self.place, recorded_at=how.recorded_at)
            video = self._as_stored(self._in_zone(video, how), how)
            clips: list[CutClip] = []
            for file in files:
                name = clip_id(file.t_start, file.t_end)
                clips.append(CutClip(video, Clip(name, file.t_start, file.t_end, str(whole_path(file.path)))))
            self._read(
                clips, ClipSource(str(place), Path(), replace(how, found=how.found or is_found), oldest), count
            )
        return report

    def _file_of_lines(
        self, group_id: str, path: Path, how: IngestOptions, watch: Watch, oldest: datetime | None
    ) -> None:
        with open_regular(path) as lines:
            read = source_files.lines_of(lines)
            clips = read_lines(read, group_id=group_id, any_group=how.any_group, video_id=path.stem)
            self._read(clips, ClipSource(str(path), path.parent, how, oldest), watch)

    def _read(self, clips: Iterable[AnalysedClip | CutClip | Receipt], of: ClipSource, watch: Watch) -> None:
        """Commit clips that have an analysis, and analyse those that have none.

        Consecutive clips of one video are analysed together, in order of time.
        """
        clips = self._with_zones(clips, of.how)
        clips = self._without_forgotten(clips, of.how, items_named=of.is_file, begun=of.begun)
        together = self.clips_per_transaction if of.at_once > 1 else 1
        # Neighbours of the same kind together: cut clips are analysed in groups, analyses are only committed.
        for _, some in groupby(clips, key=lambda clip: isinstance(clip, CutClip)):
            taken = iter(some)
            first = next(taken)
            if isinstance(first, CutClip):
                for run in _runs(cast("Iterator[CutClip]", chain([first], taken)), of.at_once):
                    with self.one_video:
                        self._analyse_cut(run, of, watch)
            else:
                ready = _without_expired(cast("Iterator[Taken]", chain([first], taken)), of.oldest)
                committer = self.committer()
                known = amended(ready, self.writer().tracked_items, committer.language, at_once=together)
                receipts = ingest(known, committer, clips_per_transaction=together, refine=self.refine_lines())
                watch_each(receipts, of.name, watch)

    def _without_forgotten(
        self, clips: Iterable[Source], how: IngestOptions, *, items_named: bool = True, begun: datetime | None = None
    ) -> Iterator[Source | Receipt]:
        """Yield the clips, with a receipt in place of each that was forgotten and stays so.

        items_named: items of a camera system come from a file that was named, to take them in again.
        begun: see ClipSource.
        """
        known: dict[tuple[str, str], ForgottenClips] = {}
        for clip in clips:
            if isinstance(clip, AnalysedClip | CutClip):
                key = clip.video.group_id, clip.video.video_id
                if key not in known:
                    found = self.writer().forgotten(clip.video, how.group_marks)
                    known[key] = found.since(begun) if begun else found
                    for video in list(known)[:-_MOST_REMEMBERED]:  # a file may name any number of videos
                        del known[video]
                if known[key].holds(clip.video, clip.clip):
                    is_item = isinstance(clip, AnalysedClip) and clip.tracked is not None
                    if how.leaves_out(known[key]) or (is_item and not items_named):
                        yield Receipt(key[1], clip.clip.clip_id, "unchanged", notes=(known[key].note,))
                        continue
                    self.writer().take_again(clip.video, clip.clip.clip_id)
                    if known[key].is_whole:
                        known[key] = ForgottenClips()
            yield clip

    def _forgotten(self, video: Video, how: IngestOptions) -> ForgottenClips:
        """Return the clips of a video to leave out. If it was named, none, and it is no longer noted as forgotten."""
        forgotten = self.writer().forgotten(video, how.group_marks)
        if how.leaves_out(forgotten) or not forgotten.keys:
            return forgotten
        self.writer().take_again(video)
        return ForgottenClips()

    def _analyse_cut(self, run: list[CutClip], of: ClipSource, watch: Watch) -> None:
        """Analyse and commit clips of one video. If a clip's file cannot be used, only that clip is rejected."""
        clips: list[Clip] = []
        first = run[0].video
        given = replace(of.how, place=first.place, recorded_at=first.recorded_at)
        try:
            video = self._as_stored(first, given)
        except InputError as error:
            for each in run:
                rejected = Receipt(first.video_id, each.clip.clip_id, "rejected", error=str(error))
                watch(Progress(of.name, rejected))
            return
        for each in run:
            try:
                if of.how.below is not None:
                    check_below(each.clip.uri, of.how.below)
                clip = source_files.open_cut_clip(each.clip, of.folder)
            except AmrError as error:
                rejected = Receipt(each.video.video_id, each.clip.clip_id, "rejected", error=str(error))
                watch(Progress(of.name, rejected))
                continue
            # It may be cut from a film that was forgotten under an id of its own.
            gone = self.writer().forgotten_file(first.group_id, clip.fingerprint)
            end = clip.uri_offset + clip.t_end - clip.t_start
            if of.how.leaves_out(gone) and gone.has_any_of(clip.uri_offset, end):
                left = Receipt(first.video_id, clip.clip_id, "unchanged", notes=(gone.note,))
                watch(Progress(of.name, left))
            else:
                clips.append(clip)
        if not clips:
            return
        # An analyser watches clips in order of time.
        in_order = sorted(clips, key=lambda clip: clip.t_start)
        forgotten = self.writer().forgotten(video, of.how.group_marks)
        left_out = forgotten if of.how.leaves_out(forgotten) else NONE_FORGOTTEN
        analysed = self._analysed(video, of.how, of.oldest, cut=in_order, forgotten=left_out)
        watch_each(analysed.skipped, of.name, watch)
        watch_each(analysed.receipts, of.name, watch, total_s=analysed.seconds)

    def _follow(self, group_id: str, place: str | Path, how: IngestOptions, watch: Watch) -> IngestReport:
        """Take in a file while it grows, clip by clip, until it stops growing or Ctrl-C."""
        [source] = source_files.find_sources([place])
        if source.kind == "lines":
            raise InputError(f"{place} holds JSON lines", hint="pipe them: tail -f FILE | amr ingest -")
        report = IngestReport()
        # Each call takes in the file from its start and reports the earlier clips again; they are counted once.
        counted: set[tuple[str, str]] = set()

        def once(progress: Progress) -> None:
            key = (progress.receipt.video_id, progress.receipt.clip_id)
            if key not in counted:
                counted.add(key)
                count(progress)

        def take(is_over: bool) -> None:
            # Named once. What is forgotten from then on does not come back with the next growth.
            id_now = next((video_id for video_id, _ in counted), "")
            of = replace(how, found=True, video_id=how.video_id or id_now) if counted else how
            with self.one_video:
                self._video(group_id, source.path, of, once, oldest, grows=not is_over)

        count = report.counting(self._finding_each(group_id, report, watch) if how.wait else watch)
        oldest = self.apply_retention(group_id)
        follow(source.path, take, self.pace, self.notify)
        return report

    def _video(
        self,
        group_id: str,
        path: Path,
        how: IngestOptions,
        watch: Watch,
        oldest: datetime | None,
        *,
        grows: bool = False,
    ) -> None:
        """Take in a video file. grows: take in only complete clips, since the file is still growing."""
        writer = self.writer()
        said: list[str] = []
        place = how.place or self.place
        zone = how.timezone or self.place_zones.get(place, "")
        video = video_of(
            path,
            group_id,
            video_id=how.video_id,
            place=place,
            recorded_at=how.recorded_at,
            now=self.now(),
            zone=ZoneInfo(zone) if zone else self.zone,
            note=said.append,
        )
        video = replace(video, timezone=zone, wearer=how.wearer or self.wearer)
        if grows:
            whole = self._whole_seconds(video)
            # No complete clip yet, or memory has a longer version of this file already.
            if whole <= 0 or any(known > whole for known in writer.known_lengths(video)):
                return
            video = replace(video, duration_s=whole)
        video, moved = known_video(writer, video, named=bool(how.video_id))
        watch = _noting(watch, moved) if moved else watch
        video = self._as_stored(video, how)  # the stored wall clock stays, even if the file now suggests another
        run = self._analysed(video, how, oldest, forgotten=self._forgotten(video, how))
        if not grows:
            words = subtitles.read(path)
            said += words.notes
            # A film is read once. Words that come later change no clip that is stored.
            if words.turns and not run.seconds and not writer.has_words(group_id, video.video_id):
                said.append(f"{words.name} came after the film, so its words are not in memory ({_LATE_WORDS})")
        for note in said:
            watch = _noting(watch, note)
        for receipt in run.skipped:
            watch(Progress(str(path), receipt, total_s=video.duration_s or 0.0))
        watch_each(run.receipts, str(path), watch, total_s=run.seconds)

    def _as_stored(self, video: Video, given: IngestOptions) -> Video:
        """Return the video with the properties that are stored of it; if it is new, as it is or dated by its arrival.

        Raises InputError: the call gives it another place, zone, start or wearer than the stored one, on which
            positions and people depend. Or its place was lost, while the settings mask pictures of some places.
        """
        stored = self.writer().stored(video)
        if stored is None:
            is_undated = self.dates_by_arrival and video.recorded_at is None
            return self.writer().dated_by_arrival(video) if is_undated else video
        for name in ("place", "timezone", "recorded_at", "wearer"):
            known, wanted = getattr(stored, name), getattr(given, name)
            if wanted and wanted != known:
                raise InputError(
                    f"video {video.video_id} is in memory with {name} {known or 'unknown'}, not {wanted}",
                    hint=f"leave {name} out, or forget the video first: amr forget --video {video.video_id}",
                )
        if not stored.place and masked_at(self.views, ""):
            raise InputError(
                f"the place of video {video.video_id} was lost, so its private areas are not known",
                hint=f"name it: --place PLACE (--place {video.video_id} if it had none)",
            )
        return stored

    def _in_zone(self, video: Video, how: IngestOptions) -> Video:
        """Return the video with the time zone of the call or of its place, if it names none."""
        zone = video.timezone or how.timezone or self.place_zones.get(video.home, "")
        return replace(video, timezone=zone, wearer=video.wearer or how.wearer or self.wearer)

    def _with_zones(self, clips: Iterable[Source | Receipt], how: IngestOptions) -> Iterator[Source | Receipt]:
        """Yield the clips with their time zones, with a rejection where the video is stored with another one."""
        refused: dict[str, str] = {}
        for clip in clips:
            if isinstance(clip, Receipt):
                yield clip
                continue
            wanted = clip.video.timezone or how.timezone
            if wanted and clip.video.video_id not in refused:
                refused[clip.video.video_id] = ""
                try:
                    self._as_stored(clip.video, IngestOptions(timezone=wanted))
                except InputError as error:
                    refused[clip.video.video_id] = str(error)
            if why := refused.get(clip.video.video_id, ""):
                yield Receipt(clip.video.video_id, clip.clip.clip_id, "rejected", error=why)
            else:
                yield replace(clip, video=self._in_zone(clip.video, how))

    def _noting_zone(
        self, clips: Iterable[AnalysedClip | Receipt], timezone: str
    ) -> Iterator[AnalysedClip | Receipt]:
        """Yield the clips, with a note on the first of each day that is stored with another time zone than this one.

        The messages are taken in all the same: a zone moves no event.
        """
        told: set[str] = set()
        for clip in clips:
            if timezone and isinstance(clip, AnalysedClip) and clip.video.video_id not in told:
                told.add(clip.video.video_id)
                stored = self.writer().stored(clip.video)
                if stored and stored.timezone != timezone:
                    known = stored.timezone or "no time zone"
                    note = f"{clip.video.video_id} stays in {known}: it began before {timezone} was given"
                    yield replace(clip, notes=(*clip.notes, note))
                    continue
            yield clip

    def _whole_seconds(self, video: Video) -> float:
        """Return the total length of the complete clips so far.

        The last clip is left out while the rest is so short that it would be joined to that clip.
        """
        clip_s = self.target_clip_sec
        return int(((video.duration_s or 0.0) - shortest_tail(clip_s)) / clip_s) * clip_s

    def _analysed(
        self,
        video: Video,
        how: IngestOptions,
        oldest: datetime | None,
        *,
        cut: Sequence[Clip] = (),
        forgotten: ForgottenClips = NONE_FORGOTTEN,
    ) -> VideoRun:
        """Run a video through the pipeline.

        cut: its clips, if they were cut beforehand.
        forgotten: to leave out.
        """
        choice = ClipChoice(
            self.target_clip_sec,
            retry_failed=how.retry_failed,
            skip_failed=how.skip_failed,
            oldest=oldest,
            cut=cut,
            forgotten=forgotten,
        )
        return ingest_video(
            video,
            choice,
            analyser=self.analyser,
            refine=self.refine_watched,
            committer=self.committer,
            writer=self.writer(),
            spool=self.clip_spool(),
            now=self.now,
        )


def check_options(found: Sequence[source_files.SourceFile], how: IngestOptions) -> None:
    """Raises InputError: the options do not apply to these files."""
    if how.video_id and len(found) != 1:
        raise InputError(f"one video_id for {len(found)} files", hint="name one file, or leave video_id out")
    if (how.video_id or how.place or how.recorded_at) and all(source.kind == "lines" for source in found):
        raise InputError("video_id, place and recorded_at do not apply to JSON lines", hint="put them into the lines")


def check_below(file: str, folders: Iterable[Path]) -> Path:
    """Return the path of a file or folder that a stranger names. Raises InputError if it is in none of the folders.

    Whether it exists elsewhere is not said.
    """
    is_path = "\x00" not in file and "://" not in file and Path(file).is_absolute()
    # Resolved, because a link or .. may lead out of a folder.
    path = Path(file).resolve() if is_path else None
    if path is None or not any(path.is_relative_to(each.expanduser().resolve()) for each in folders):
        raise InputError(f"{file!r:.200} may not be read", hint="name a file in one of the allowed folders")
    return path


def as_line(clip: Any) -> str:
    """Return a clip as a JSON line. Values that JSON cannot hold are written as text.

    What is no clip makes a line too, which is then rejected alone, as in a file.
    """
    try:
        return json.dumps(dict(clip), default=str)
    except (TypeError, ValueError, RecursionError):  # no mapping, a key that is no text, or a clip within itself
        return repr(clip)


def _runs(clips: Iterator[CutClip], most: int) -> Iterator[list[CutClip]]:
    """Yield runs of consecutive clips of one video, at most `most` in each."""
    for _, of_video in groupby(clips, key=lambda clip: clip.video):
        yield from batched(of_video, most)


def _without_expired(clips: Iterable[Taken], oldest: datetime | None) -> Iterator[Taken]:
    """Yield the clips except those that ended before `oldest`."""
    for clip in clips:
        if not (isinstance(clip, AnalysedClip) and is_expired(clip.video, clip.clip, oldest)):
            yield clip


def _noting(watch: Watch, note: str) -> Watch:
    """Return a Watch that adds a note to the first receipt."""
    notes = [note]

    def noting(progress: Progress) -> None:
        if notes:
            receipt = replace(progress.receipt, notes=(*progress.receipt.notes, notes.pop()))
            progress = replace(progress, receipt=receipt)
        watch(progress)

    return noting


def watch_each(receipts: Iterable[Receipt], source: str, watch: Watch, *, total_s: float | None = None) -> None:
    """Call `watch` for each receipt as it comes. total_s: seconds of video that are to be done, if known."""
    done_s = 0.0
    for receipt in receipts:
        done_s += receipt.t_end - receipt.t_start
        watch(Progress(source, receipt, done_s, total_s))
