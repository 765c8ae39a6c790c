"""One live source: one thread records it, another one analyses and commits its clips."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from queue import Queue
from threading import Event, Lock, Semaphore, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from amr_neo4j.app.live_footage import LiveFootage
from amr_neo4j.app.live_recordings import Recordings, clip_of, known_by, note_down, spooled, video_of
from amr_neo4j.domain.forgotten import ForgottenClips
from amr_neo4j.domain.live import OnLag, RecordedFile, Recording, SpooledClip, State
from amr_neo4j.domain.ports import Analyser, Notify
from amr_neo4j.domain.receipt import Outcome, Progress, Receipt
from amr_neo4j.domain.video import VISION, AnalysedClip, Clip, FailedClip, LeftOut, content_sha256
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.live_clips import LagQueue, OneByOne, Rate, Waiting
from amr_neo4j.media.live_source import LiveSource

if TYPE_CHECKING:
    from amr_neo4j.ingest.analysis_runner import Refine
    from amr_neo4j.ingest.commit import Committer
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.store.write.clip_writer import ClipWriter

T = TypeVar("T")
_SAY_EVERY = 60.0
# Seconds before a service that is away is tried again.
_RETRY_SEC = 5.0
_LONGEST_AGAIN = 12
"""The longest wait between two calls to a provider that is away, in units of _RETRY_SEC."""
# After this many retries of a clip, the next clip shows whether the provider or the clip is at fault.
_TRIES = 3
# Seconds between two runs of keep_to_budget, and of prune.
_TIDY_EVERY, _PRUNE_EVERY = 10.0, 3600.0
_STATES: dict[Outcome, State] = {
    **dict.fromkeys(("committed", "unchanged"), "committed"),
    **dict.fromkeys(("failed", "skipped", "rejected"), "failed"),
    "dropped": "dropped",
}
"""The state that the spool stores for each outcome.

A clip with any other outcome is still waiting and keeps its state.
"""


@dataclass(frozen=True, kw_only=True)
class LiveTools:
    """What all live sources share. Several threads call its functions.

    queue_clips: the most clips that may wait for analysis.
    left_out: when half as many wait, clips are analysed without this.
    refine: opens what makes the further model calls for a clip.
    warm_up: loads what the first clip of a group would otherwise wait for.
    merges: whether events are merged.
    """

    recordings: Recordings
    footage: LiveFootage
    spool: LiveSpool
    clip_spool: Callable[[], ClipSpool]
    analyser: Callable[[], Analyser]
    committer: Callable[[], Committer]
    writer: Callable[[], ClipWriter]
    refine: Callable[[], Refine]
    warm_up: Callable[[str], object]
    merges: bool
    queue_clips: int
    left_out: LeftOut = ""
    now: Callable[[], datetime]
    notify: Notify


@dataclass
class LiveRun:
    """What the threads of one call share.

    stop: set to end the recording.
    hurry: set to leave the waiting clips to the next run.
    done: receives the progress of clips, and errors that threads raised.
    analysing: limits how many clips are analysed at once, to half of the cores.
    committing: held during a commit if events are merged. Each clip is a transaction of its own then, and the
        database lets only one writer in.
    """

    tools: LiveTools
    on_lag: OnLag
    stop: Event = field(default_factory=Event)
    hurry: Event = field(default_factory=Event)
    done: Queue[Progress | BaseException] = field(default_factory=Queue["Progress | BaseException"])
    analysing: Semaphore = field(default_factory=lambda: Semaphore(max(1, (os.cpu_count() or 2) // 2)))
    committing: Lock = field(default_factory=Lock)
    tidies: Rate = field(default_factory=lambda: Rate(_TIDY_EVERY))
    prunes: Rate = field(default_factory=lambda: Rate(_PRUNE_EVERY))
    says_away: Rate = field(default_factory=lambda: Rate(_SAY_EVERY))
    says_no_provider: Rate = field(default_factory=lambda: Rate(_SAY_EVERY))

    def leave(self) -> None:
        """End the run and leave the waiting clips to the next one."""
        self.stop.set()
        self.hurry.set()

    def when_available(self, call: Callable[[], T]) -> T:
        """Return the result of a call that needs the database. During an outage, repeat the call until it succeeds.

        Raises StoreUnavailable: the database is still away when the run is to end.
        """
        while True:
            try:
                return call()
            except StoreUnavailable as error:
                if self.stop.is_set():
                    raise
                if self.says_away():
                    self.tools.notify(f"{error.message}; clips wait on this machine")
                self.stop.wait(_RETRY_SEC)


class LiveJob:
    """One recording: one thread records its source, if it has one, and another thread analyses and commits.

    recorder, worker: the two threads, which the caller starts.
    error: why the source was lost; empty if it was not.
    """

    def __init__(self, run: LiveRun, recording: Recording, source: LiveSource | None) -> None:
        """source: None for the recording of an earlier run, whose remaining clips are taken in."""
        self.recording, self.error = recording, ""
        self._run, self._source = run, source
        self._tools = run.tools
        # Clips of an earlier run are on disk already, so none of them needs to be dropped.
        on_lag = run.on_lag if source else "wait"
        self.queue = LagQueue(run.tools.queue_clips, on_lag, self._full)
        self._says = Rate(_SAY_EVERY)
        self._video = video_of(recording)
        self._done_s, self._behind_s, self._most_behind_s = 0.0, 0.0, 0.0
        self._paused, self._left_out_s = 0, 0.0
        self._is_whole = False
        self._ended: float | None = None
        record = partial(self._record, source) if source else self._take_up
        self.recorder = Thread(target=self._guarded(record), daemon=True)
        # With the context, which says who pays for calls to models.
        self.worker = Thread(target=partial(copy_context().run, self._guarded(self._work)), daemon=True)

    def summary(self) -> list[str]:
        """Return lines for the report on what was lost or late."""
        lines: list[str] = []
        source = self._source
        if source and source.reconnects:
            away = f"{source.reconnects} times, {source.away_s:.1f} s are missing"
            lines.append(f"{self.recording.source}: the connection was lost {away}")
        dropped = self._tools.spool.counts(*self._key).get("dropped")
        if dropped:
            lines.append(f"{self.recording.source}: {dropped[0]} clips ({dropped[1]:.1f} s) were dropped")
        if self._left_out_s:
            lines.append(f"{self.recording.source}: {self._left_out_s:.1f} s of {self._tools.left_out} were left out")
        if self._most_behind_s > self._tools.recordings.target_sec:
            lines.append(f"{self.recording.source}: analysis was at most {self._most_behind_s:.1f} s behind")
        if self._paused:
            lines.append(f"{self.recording.source}: the source was paused {self._paused} times to wait for analysis")
        return lines

    # --- recording

    def _record(self, source: LiveSource) -> None:
        try:
            for cut in source.clips(self._run.stop):
                self._receive(cut, source)
            self.error = source.error
            self._update(running="finishing", error=self.error)
            self._is_whole = True
        finally:
            self._ended = monotonic()
            self.queue.close()

    def _receive(self, cut: RecordedFile, source: LiveSource) -> None:
        # The first clip shows the size and rate of the pictures, and sets the clocks.
        if not self.recording.width:
            self.recording = known_by(self.recording, cut, source)
            self._video = video_of(self.recording)
            self._tools.spool.know(self.recording)
            note_down(self.recording)
        clip = spooled(self.recording, cut, self._tools.now())
        self._put(clip, reconnects=source.reconnects, away_s=source.away_s)

    def _take_up(self) -> None:
        """Queue the clips that an earlier run left behind, including files that it had not stored in the spool."""
        try:
            for clip in self._tools.recordings.unnoted(self.recording):
                self._tools.spool.receive(self.recording.group_id, clip)
            for clip in self._tools.spool.waiting(*self._key):
                if self._run.hurry.is_set():
                    return
                is_gone = clip.state == "received" and not Path(clip.path).exists()
                why = "dropped: its film was removed before it was analysed" if is_gone else ""
                self.queue.put(Waiting(clip_of(clip), clip.notes, why), self._run.hurry)
            self._is_whole = True
        finally:
            self._ended = monotonic()
            self.queue.close()

    def _put(self, clip: SpooledClip, **stands: object) -> None:
        self._tools.spool.receive(self.recording.group_id, clip, **stands)
        dropped = self.queue.put(Waiting(clip_of(clip), clip.notes), self._run.stop)
        # Deleted here, not by the worker: it waits during an outage of the database, and the disk would fill up.
        for each in dropped:
            Path(each.clip.uri).unlink(missing_ok=True)
        self._behind_s = self.queue.seconds
        self._most_behind_s = max(self._most_behind_s, self._behind_s)
        if dropped and self._says():
            what = f"analysis is {self._behind_s:.0f} s behind; clips are dropped ({self._run.on_lag})"
            self._tools.notify(f"{self.recording.source}: {what}")

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
            self._tools.notify(f"{self.recording.source}: {behind}")

    # --- analysing and committing

    def _work(self) -> None:
        watched: OneByOne | None = None
        refine: Refine | None = None
        begun: ForgottenClips | None = None
        try:
            while (item := self.queue.take()) and not self._run.hurry.is_set():
                if begun is None:  # what is forgotten from now on is not committed
                    begun = self._run.when_available(partial(self._tools.writer().forgotten, self._video))
                if item.dropped:
                    self._finish(item, self._run.when_available(partial(self._dropped, item)))
                    continue
                # A vision model reads several clips ahead, so each live clip gets a `watch` of its own.
                in_bursts = self._tools.analyser().name == VISION
                watched = watched or OneByOne(self._tools.analyser(), self._video, in_bursts=in_bursts)
                analysed = self._analysed(item, watched)
                if analysed is None:
                    return
                refine = refine or self._tools.refine()
                [refined] = self._run.when_available(partial(_refined, refine, analysed))
                self._finish(item, self._run.when_available(partial(self._committed, refined)))
        finally:
            self.queue.close(leave=True)
            self._end()

    def _analysed(self, item: Waiting, watched: OneByOne) -> AnalysedClip | FailedClip | None:
        """Return the clip's analysis, possibly one that an earlier run made; None if the run ends first."""
        spool, analyser = self._tools.clip_spool(), self._tools.analyser()
        known = spool.kept(self._video, analyser.name, analyser.model).get(content_sha256(self._video, item.clip))
        left_out: tuple[str, ...] = ()
        if known is None:
            clip, what = item.clip, self._tools.left_out
            # A model of a provider needs the pictures, and no time of this machine.
            may_leave = what == "sound" or (what == "pictures" and analyser.name != VISION)
            if may_leave and 2 * len(self.queue) >= self._tools.queue_clips:
                clip = replace(clip, left_out=what)
            waiting_s = self.queue.seconds
            found = self._watched(clip, watched)
            if found is None:
                return None
            if isinstance(found, FailedClip):
                return replace(found, received_at=self._received_at(item))
            known = found
            # The analyser says what it left out: pictures only where it heard words.
            if known.clip.left_out:
                seconds = clip.t_end - clip.t_start
                self._left_out_s += seconds
                left_out = (f"{seconds:.1f} s of {what} were left out: {waiting_s:.1f} s were waiting",)
        now = self._tools.now()
        self._tools.spool.mark(*self._key, item.clip.clip_id, "analysed", now)
        received = self._received_at(item)
        return replace(known, notes=(*item.notes, *left_out, *known.notes), received_at=received, analysed_at=now)

    def _watched(self, clip: Clip, watched: OneByOne) -> AnalysedClip | FailedClip | None:
        """Return the analysis once the model's provider answers; None if the run ends first.

        The clip counts as failed if the provider repeatedly gives no answer for it but answers for the next clip.
        """
        for attempt in count():
            found = self._watched_once(clip, watched)
            if not (isinstance(found, FailedClip) and found.is_away):
                return found
            if attempt >= _TRIES and self._answers_for_next(watched):
                return self._watched_once(clip, watched)  # it may have come back in between
            if not self._waits_for_provider(found, attempt):
                return None
        return None

    def _watched_once(self, clip: Clip, watched: OneByOne) -> AnalysedClip | FailedClip | None:
        with self._run.analysing:
            if self._run.hurry.is_set():
                return None
            found = self._run.when_available(partial(watched, clip))
        if isinstance(found, AnalysedClip):
            self._tools.clip_spool().keep(found)
        return found

    def _answers_for_next(self, watched: OneByOne) -> bool:
        """Return whether the provider answers for the next clip. That analysis is kept in the spool."""
        after = self.queue.next()
        return after is not None and isinstance(self._watched_once(after.clip, watched), AnalysedClip)

    def _waits_for_provider(self, missed: FailedClip, attempt: int) -> bool:
        """Wait, then return whether to try again.

        Returns False if the run is to end, or if the source ended longer ago than a lost source is retried.
        """
        if self._run.says_no_provider():
            self._tools.notify(f"{missed.error}; clips wait on this machine")
        longest = self._tools.recordings.reconnect_sec
        if self._run.stop.wait(_RETRY_SEC * min(2 ** min(attempt, 9), _LONGEST_AGAIN)):
            return False
        return self._ended is None or monotonic() - self._ended < longest

    def _received_at(self, item: Waiting) -> datetime | None:
        found = self._tools.spool.clip(*self._key, item.clip.clip_id)
        return found.received_at if found else None

    def _committed(self, analysed: Taken) -> Receipt:
        """Commit a clip.

        If events are merged, a failed clip is skipped. Otherwise it would hold back all later clips of the video,
        and no later run would try it again.
        """
        gives_up = self._tools.merges
        with self._run.committing if gives_up else nullcontext():
            [receipt] = self._tools.committer().commit([analysed], skip_failed=gives_up, records_refused=True)
        return receipt

    def _dropped(self, item: Waiting) -> Receipt:
        sha = content_sha256(self._video, item.clip)
        return self._tools.writer().drop(
            FailedClip(self._video, item.clip, "", sha, item.dropped, received_at=self._received_at(item))
        )

    def _finish(self, item: Waiting, receipt: Receipt) -> None:
        """Store what became of a clip, and report it."""
        spool, key = self._tools.clip_spool(), (*self._key, item.clip.clip_id)
        if self.recording.arrived_at:
            ended = self.recording.arrived_at + timedelta(seconds=item.clip.t_end)
            self._behind_s = (self._tools.now() - ended).total_seconds()
            if self._source:
                self._most_behind_s = max(self._most_behind_s, self._behind_s)
        self._done_s += item.clip.t_end - item.clip.t_start
        stands = {"behind_s": self._behind_s, "most_behind_s": self._most_behind_s}
        if state := _STATES.get(receipt.outcome):
            spool.refuse(*key, receipt.error) if state == "failed" else spool.remove(*key)
            self._tools.spool.mark(*key, state, self._tools.now(), **stands)
        else:
            self._update(**stands)
        if self._run.tidies():
            self._tools.footage.keep_to_budget()
        if self._run.prunes():
            self._tools.footage.prune()
        self._run.done.put(Progress(self.recording.source, receipt, self._done_s))

    def _end(self) -> None:
        """Store how the recording ended.

        It counts as interrupted if clips are left, including files that were cut but not yet stored in the spool.
        """
        is_left = not self._is_whole or self._tools.spool.waiting(*self._key)
        running = "failed" if self.error else "ended"
        if is_left:
            running = "interrupted"
        self._update(running=running, behind_s=0.0, error=self.error)

    # ---

    @property
    def _key(self) -> tuple[str, str]:
        return self.recording.group_id, self.recording.video_id

    def _update(self, **values: object) -> None:
        self._tools.spool.update(*self._key, self._tools.now(), **values)

    def _guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        """Return `work` with its errors passed to the main thread, which then ends the whole run in order."""

        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
                self._run.done.put(error)

        return run


def _refined(refine: Refine, clip: AnalysedClip | FailedClip) -> list[Taken]:
    return list(refine([clip]))
