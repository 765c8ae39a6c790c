"""Live sources into the graph: each is recorded in one thread, and analysed and committed in another."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from amr_neo4j.domain.live import OnLag, RecordedFile, Recording, SpooledClip
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, SourceLost, StoreUnavailable
from amr_neo4j.files import private_folder
from amr_neo4j.ingest.live import LagQueue, OneByOne, Rate, Waiting
from amr_neo4j.ingest.progress import counting
from amr_neo4j.ingest.segment import clip_id
from amr_neo4j.media import segmenter
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.live_address import Address, address
from amr_neo4j.media.live_source import LiveSource
from amr_neo4j.wiring.forgetting_footage import apply_retention
from amr_neo4j.wiring.live_footage import keep_to_budget
from amr_neo4j.wiring.receipts import LOCK, measure

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_PATIENCE = 0.2
_SAY_EVERY = 60.0
_AGAIN = 5.0
_TIDY_EVERY = 10.0
_BUSY = 8
"""Receipts that wait to be passed on, from which on no search is made to measure."""


@dataclass(frozen=True)
class LiveOptions:
    """Of one call; see Memory.ingest."""

    place: str = ""
    video_id: str = ""
    recorded_at: datetime | None = None
    on_lag: OnLag = "wait"


@dataclass
class _Run:
    """What the threads of one call share. stop: record no more; hurry: leave what waits to the next run."""

    parts: Parts
    on_lag: OnLag
    stop: Event = field(default_factory=Event)
    hurry: Event = field(default_factory=Event)
    done: Queue[Progress | BaseException] = field(default_factory=Queue["Progress | BaseException"])
    analysing: Semaphore = field(default_factory=lambda: Semaphore(max(1, (os.cpu_count() or 2) // 2)))
    # the database lets one writer in at a time; several at once would plan the same statement, each for itself
    committing: Lock = field(default_factory=Lock)
    tidies: Rate = field(default_factory=lambda: Rate(_TIDY_EVERY))


def ingest_live(parts: Parts, places: Sequence[str | Path], how: LiveOptions, watch: Watch) -> IngestReport:
    """Take in live sources side by side until each has ended or Ctrl-C: a first one completes what was recorded.

    Clips that an earlier run left behind are taken up. Raises SourceLost: the only source was lost, or never there.
    """
    report = IngestReport()
    count = counting(report, watch)
    apply_retention(parts)
    run = _Run(parts, how.on_lag)
    _ = parts.live_spool, parts.language  # made here, since several threads must not make them at once
    sources = [address(place) for place in places]
    with ExitStack() as locks:
        jobs = [*_left_behind(run, locks), *(_begun(run, source, how, locks) for source in _each_once(sources))]
        errors = _followed(run, jobs, count, report)
        keep_to_budget(parts)
    for job in jobs:
        report.notes.extend(job.summary())
        if job.error:
            report.rejected += 1
            report.errors.append(f"{job.recording.source}: {job.error}")
    if errors:
        raise errors[0]
    failed = [job for job in jobs if job.error]
    if failed and len(sources) == 1 and not report.committed:
        raise SourceLost(f"{failed[0].recording.source}: {failed[0].error}", hint="check that it plays: ffplay URL")
    return report


def _prepare(run: _Run, jobs: Sequence[_Job]) -> None:
    """Make what takes seconds, while recording has begun, and start the analysis."""
    parts = run.parts
    try:
        _ = parts.writer, parts.embedder, parts.analyser, parts.clip_spool
        _ = parts.merging
        for job in jobs:
            job.worker.start()
    except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
        run.done.put(error)
        for job in jobs:
            job.queue.close(leave=True)


def _each_once(sources: Iterable[Address]) -> list[Address]:
    return list({source.key: source for source in sources}.values())


def _followed(run: _Run, jobs: Sequence[_Job], watch: Watch, report: IngestReport) -> list[AmrError]:
    """Start the jobs and pass on what is done until all have ended; returns what stopped them, if anything."""
    errors: list[AmrError] = []
    preparing = Thread(target=lambda: _prepare(run, jobs), daemon=True)
    threads = [*(job.recorder for job in jobs), preparing]
    for thread in threads:
        thread.start()
    threads += [job.worker for job in jobs]
    while True:
        try:
            alive = preparing.is_alive() or any(thread.is_alive() for thread in threads)
            _pass_on(run, watch, report, errors, wait=alive)
            if not alive:
                return errors
        except KeyboardInterrupt:
            if run.stop.is_set():
                run.hurry.set()
                for job in jobs:
                    job.queue.close(leave=True)
            else:
                run.parts.notify(
                    "stopping: what was recorded is still analysed; Ctrl-C again leaves it to the next run"
                )
                run.stop.set()


def _pass_on(run: _Run, watch: Watch, report: IngestReport, errors: list[AmrError], *, wait: bool) -> None:
    try:
        while True:
            item = run.done.get(timeout=_PATIENCE) if wait else run.done.get_nowait()
            if isinstance(item, Progress):
                watch(item)
                if run.done.qsize() < _BUSY:
                    measure(run.parts, item.receipt, report)
            elif isinstance(item, AmrError):
                errors.append(item)
                run.stop.set()
                run.hurry.set()
            else:
                run.stop.set()
                run.hurry.set()
                raise item
    except Empty:
        return


class _Job:
    """One recording: recorded by one thread where its source is given, analysed and committed by another.

    recorder, worker: its threads, not started yet. error: why its source was lost.
    """

    def __init__(self, run: _Run, recording: Recording, source: LiveSource | None) -> None:
        self.recording, self.error = recording, ""
        self._run, self._source = run, source
        self._parts = run.parts
        most = run.parts.settings.live_queue_clips
        on_lag = run.on_lag if source else "wait"
        self.queue = LagQueue(most, on_lag, self._full)
        self._says = Rate(_SAY_EVERY)
        self._video = _video(recording)
        self._done_s, self._behind_s, self._most_behind_s = 0.0, 0.0, 0.0
        self._paused = 0
        record = self._guarded(self._record if source else self._take_up)
        self.recorder = Thread(target=record, daemon=True)
        self.worker = Thread(target=self._guarded(self._work), daemon=True)

    def summary(self) -> list[str]:
        """Lines on what was lost or late."""
        lines: list[str] = []
        source = self._source
        if source and source.reconnects:
            away = f"{source.reconnects} times, {source.away_s:.1f} s are missing"
            lines.append(f"{self.recording.source}: the connection was lost {away}")
        dropped = self._parts.live_spool.counts(self.recording.group_id, self.recording.video_id).get("dropped")
        if dropped:
            lines.append(f"{self.recording.source}: {dropped[0]} clips ({dropped[1]:.1f} s) were dropped")
        if self._most_behind_s > self._parts.settings.target_clip_sec:
            lines.append(f"{self.recording.source}: analysis was at most {self._most_behind_s:.1f} s behind")
        if self._paused:
            lines.append(f"{self.recording.source}: the source was paused {self._paused} times to wait for analysis")
        return lines

    # --- recording

    def _record(self) -> None:
        source = self._source
        assert source  # noqa: S101 - threads() checks it
        try:
            for cut in source.clips(self._run.stop):
                self._receive(cut)
            self.error = source.error
        finally:
            self.queue.close()
            self._update(running="finishing", error=self.error)

    def _receive(self, cut: RecordedFile) -> None:
        source = self._source
        assert source  # noqa: S101 - it cut the clip
        if self._video.recorded_at != source.recorded_at or not self._video.width:
            self.recording = _known(self.recording, cut, source.recorded_at)
            self._video = _video(self.recording)
            self._parts.live_spool.begin(self.recording)
        self._put(_spooled(self.recording, cut, self._parts.now()))
        self._update(reconnects=source.reconnects, away_s=source.away_s)

    def _take_up(self) -> None:
        """The clips that an earlier run left behind, also those that it had no time to note down."""
        try:
            group_id, video_id = self.recording.group_id, self.recording.video_id
            for clip in _unnoted(self._parts, self.recording):
                self._parts.live_spool.receive(group_id, clip)
            for clip in self._parts.live_spool.waiting(group_id, video_id):
                if self._run.hurry.is_set():
                    return
                self.queue.put(Waiting(_clip(clip), clip.notes), self._run.hurry)
        finally:
            self.queue.close()

    def _put(self, clip: SpooledClip) -> None:
        self._parts.live_spool.receive(self.recording.group_id, clip)
        dropped = self.queue.put(Waiting(_clip(clip), clip.notes), self._run.stop)
        self._behind_s = self.queue.seconds
        self._most_behind_s = max(self._most_behind_s, self._behind_s)
        if dropped and self._says():
            what = f"analysis is {self._behind_s:.0f} s behind; clips are dropped ({self._run.on_lag})"
            self._parts.notify(f"{self.recording.source}: {what}")

    def _full(self, is_full: bool) -> None:
        source = self._source
        if not source:
            return
        if not is_full:
            source.resume()
            return
        source.pause()
        self._paused += 1
        if self._says():
            behind = f"analysis is {self.queue.seconds:.0f} s behind; the source waits (on_lag: wait)"
            self._parts.notify(f"{self.recording.source}: {behind}")

    # --- analysing and committing

    def _work(self) -> None:
        watched: OneByOne | None = None
        try:
            while (item := self.queue.take()) and not self._run.hurry.is_set():
                if item.dropped:
                    self._finish(item, self._dropped(item))
                    continue
                watched = watched or OneByOne(
                    self._parts.analyser, self._video, in_bursts=self._parts.analyser.name == "vision"
                )
                analysed = self._analysed(item, watched)
                receipt = self._committed(analysed) if analysed else None
                if receipt is None:
                    return
                self._finish(item, receipt)
        finally:
            self.queue.close(leave=True)
            self._end()

    def _analysed(self, item: Waiting, watched: OneByOne) -> AnalysedClip | FailedClip | None:
        """The analysis, also one that an earlier run made; None where there is no time left."""
        spool, analyser = self._parts.clip_spool, self._parts.analyser
        known = spool.kept(self._video, analyser).get(content_sha256(self._video, item.clip))
        if known is None:
            with self._run.analysing:
                if self._run.hurry.is_set():
                    return None
                found = watched(item.clip)
            if isinstance(found, FailedClip):
                return replace(found, received_at=self._received_at(item))
            spool.keep(found)
            known = found
        now = self._parts.now()
        self._parts.live_spool.mark(self._video.group_id, self._video.video_id, item.clip.clip_id, "analysed", now)
        received = self._received_at(item)
        return replace(known, notes=(*item.notes, *known.notes), received_at=received, analysed_at=now)

    def _received_at(self, item: Waiting) -> datetime | None:
        found = self._parts.live_spool.clip(self._video.group_id, self._video.video_id, item.clip.clip_id)
        return found.received_at if found else None

    def _committed(self, analysed: AnalysedClip | FailedClip) -> Receipt | None:
        """The receipt, once the database takes the clip; None where it was left to the next run."""
        while True:
            try:
                with self._run.committing:
                    [receipt] = self._parts.committer.commit([analysed], records_refused=True)
            except StoreUnavailable as error:
                if self._run.stop.is_set():
                    raise
                self._parts.notify(f"{self.recording.source}: {error.message}; clips wait on this machine")
                self._run.stop.wait(_AGAIN)
            else:
                return receipt

    def _dropped(self, item: Waiting) -> Receipt:
        sha = content_sha256(self._video, item.clip)
        return self._parts.writer.drop(
            FailedClip(self._video, item.clip, "", sha, item.dropped, received_at=self._received_at(item))
        )

    def _finish(self, item: Waiting, receipt: Receipt) -> None:
        """Note down what became of a clip."""
        spool, live, key = (
            self._parts.clip_spool,
            self._parts.live_spool,
            (self._video.group_id, self._video.video_id),
        )
        if receipt.outcome == "failed":
            spool.refuse(*key, item.clip.clip_id, receipt.error)
        else:
            spool.remove(*key, item.clip.clip_id)
        state = receipt.outcome if receipt.outcome in ("failed", "dropped") else "committed"
        live.mark(*key, item.clip.clip_id, state, self._parts.now())
        if receipt.outcome == "dropped":
            Path(item.clip.uri).unlink(missing_ok=True)
        if self._video.recorded_at:
            ended = self._video.recorded_at + timedelta(seconds=item.clip.t_end)
            self._behind_s = (self._parts.now() - ended).total_seconds()
            if self._source:
                self._most_behind_s = max(self._most_behind_s, self._behind_s)
        self._done_s += item.clip.t_end - item.clip.t_start
        if self._run.tidies():
            keep_to_budget(self._parts)
        self._update(behind_s=self._behind_s, most_behind_s=self._most_behind_s)
        self._run.done.put(Progress(self.recording.source, receipt, self._done_s))

    def _end(self) -> None:
        left = len(self._parts.live_spool.waiting(self.recording.group_id, self.recording.video_id))
        running = "interrupted" if left else "failed" if self.error else "ended"
        self._update(running=running, behind_s=0.0, error=self.error)

    # ---

    def _update(self, **values: object) -> None:
        live = self._parts.live_spool
        live.update(self.recording.group_id, self.recording.video_id, self._parts.now(), **values)

    def _guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        """The same; an error ends the whole run, in order."""

        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
                self._run.done.put(error)

        return run


def _begun(run: _Run, source: Address, how: LiveOptions, locks: ExitStack) -> _Job:
    """A new recording of a source, with its folder locked."""
    parts = run.parts
    started = parts.now()
    video_id = how.video_id or f"{source.name}-{source.key[:4]}-{started:%Y%m%dT%H%M%SZ}"
    folder = private_folder(parts.live_folder / hashlib.sha256(video_id.encode()).hexdigest()[:16])
    locks.enter_context(FileLock(folder / LOCK, timeout=0))
    recording = Recording(parts.group_id, video_id, source.shown, started, str(folder), how.place, how.recorded_at)
    parts.live_spool.begin(recording)

    def stands(running: str) -> None:
        if running != known[0]:
            known[0] = running
            parts.live_spool.update(recording.group_id, video_id, parts.now(), running=running)

    known = ["starting"]
    live = LiveSource(
        source,
        folder,
        target_sec=parts.settings.target_clip_sec,
        reconnect_sec=parts.settings.live_reconnect_sec,
        notify=parts.notify,
        recorded_at=how.recorded_at,
        stdin=sys.stdin.buffer if source.kind == "stdin" else None,
        state=stands,
    )
    return _Job(run, recording, live)


def _left_behind(run: _Run, locks: ExitStack) -> list[_Job]:
    """A job for each recording of an earlier run, now dead, that has clips left."""
    parts, jobs = run.parts, list[_Job]()
    for recording, stands in parts.live_spool.recordings(parts.group_id):
        if stands["running"] in ("ended", "failed") or not Path(recording.folder).is_dir():
            continue
        lock = FileLock(Path(recording.folder) / LOCK, timeout=0)
        try:
            locks.enter_context(lock)
        except Timeout:  # another process records there
            continue
        jobs.append(_Job(run, recording, None))
        parts.notify(f"{recording.source}: clips that an earlier run left behind are taken up ({recording.video_id})")
    return jobs


def _unnoted(parts: Parts, recording: Recording) -> list[SpooledClip]:
    """The files that were cut but not stored in the spool: the process was killed in between."""
    folder = Path(recording.folder)
    known = parts.live_spool.clips(recording.group_id, recording.video_id)
    names = {Path(clip.path).name for clip in known}
    end = max((clip.t_end for clip in known), default=0.0)
    found: list[SpooledClip] = []
    for file in sorted(folder.glob("c*.csv")):
        whole = segmenter.listed(file)
        for segment in [*whole, *segmenter.left_over(file)]:
            if segment.path.name in names or not segment.path.exists():
                continue
            length = segment.end - segment.start
            start = end
            if recording.recorded_at:
                closed = (segment.closed_at - recording.recorded_at).total_seconds()
                start = max(end, round(closed - length, 3)) if closed - length - end > 1.0 else end
            end = round(start + length, 3)
            found.append(_spooled(recording, RecordedFile(segment.path, start, end, segment.closed_at), parts.now()))
    return found


def _known(recording: Recording, cut: RecordedFile, recorded_at: datetime | None) -> Recording:
    """With what the first clip tells."""
    found = probe(cut.path)
    return replace(recording, recorded_at=recorded_at, width=found.width, height=found.height, fps=found.fps)


def _spooled(recording: Recording, cut: RecordedFile, now: datetime) -> SpooledClip:
    ended = recording.recorded_at + timedelta(seconds=cut.end) if recording.recorded_at else None
    return SpooledClip(
        recording.video_id,
        clip_id(cut.start, cut.end),
        str(cut.path),
        cut.start,
        cut.end,
        now,
        "received",
        ended,
        notes=cut.notes,
    )


def _clip(clip: SpooledClip) -> Clip:
    return Clip(clip.clip_id, clip.t_start, clip.t_end, clip.path, 0.0)


def _video(recording: Recording) -> Video:
    begun = f"{recording.source} {recording.started_at.timestamp()}"
    return Video(
        recording.group_id,
        recording.video_id,
        uri=recording.source,
        fingerprint=hashlib.sha256(begun.encode()).hexdigest()[:16],
        fps=recording.fps,
        width=recording.width,
        height=recording.height,
        recorded_at=recording.recorded_at,
        place=recording.place,
        dated_by="arrival" if recording.recorded_at else "",
    )
