"""Ingest live sources side by side. Each source is a job with its own threads; the main thread reports."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty
from threading import Event, Thread
from time import monotonic

from amr_neo4j.app.live_job import LiveJob, LiveRun, LiveTools
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import AmrError, SourceLost
from amr_neo4j.ingest.live_clips import Rate
from amr_neo4j.media.live_address import Address, address

# Seconds to wait for the next receipt, and between two messages of the same kind.
_PATIENCE = 0.2
_SAY_EVERY = 60.0
_REST = 4.0
"""While receipts wait, the pause between two measuring searches, as a multiple of the duration of the last one."""

_log = logging.getLogger(__name__)


Measure = Callable[[Receipt, IngestReport], None]
"""Searches for a committed clip and adds to the report how long it took until it was found."""


@dataclass(frozen=True, kw_only=True)
class LiveIngest:
    """Takes in live sources. apply_retention: forgets what a group has kept for too long."""

    tools: LiveTools
    apply_retention: Callable[[str], object]
    measure: Callable[[str, Receipt, IngestReport], None]

    def run(self, group_id: str, places: Sequence[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
        """Take in sources side by side until each has ended or Ctrl-C.

        After the first Ctrl-C, what was recorded is still completed. Clips that an earlier run left behind are taken
        in as well.
        Raises SourceLost: the only source was lost, or could never be reached.
        """
        report = IngestReport()
        count = report.counting(watch)
        self.apply_retention(group_id)
        run = LiveRun(self.tools, how.on_lag)
        sources = _each_once(map(address, places))
        # The recordings are held until all jobs have ended.
        with ExitStack() as locks:
            left = self.tools.recordings.left_behind(group_id, locks)
            jobs = [LiveJob(run, recording, None) for recording in left]
            jobs += [_begun(run, group_id, source, how, locks) for source in sources]
            measure = partial(self.measure, group_id)
            errors = Following(run, jobs, count, report, measure=measure, stop=how.stop).until_all_ended()
            self.tools.footage.keep_to_budget()
        for job in jobs:
            report.notes.extend(job.summary())
            if job.error:
                report.lost += 1
                report.notes.append(f"{job.recording.source}: {job.error}")
                report.errors.append(report.notes[-1])
        if errors:
            raise errors[0]
        failed = [job for job in jobs if job.error]
        if failed and len(sources) == 1 and not report.committed:
            lost = failed[0]
            raise SourceLost(f"{lost.recording.source}: {lost.error}", hint="check that it plays: ffplay URL")
        return report


def _each_once(sources: Iterable[Address]) -> list[Address]:
    return list({source.key: source for source in sources}.values())


def _begun(run: LiveRun, group_id: str, source: Address, how: IngestOptions, locks: ExitStack) -> LiveJob:
    recordings = run.tools.recordings
    recording = recordings.begin(group_id, source, how, locks)
    return LiveJob(run, recording, recordings.source(source, recording))


class Following:
    """Starts the jobs and passes on their results, in the main thread.

    stop: the caller sets it to end the recording. It is only read: other runs may share it.
    """

    def __init__(
        self,
        run: LiveRun,
        jobs: Sequence[LiveJob],
        watch: Watch,
        report: IngestReport,
        *,
        measure: Measure,
        clock: Callable[[], float] = monotonic,
        stop: Event | None = None,
    ) -> None:
        self._run, self._jobs, self._watch, self._report = run, jobs, watch, report
        self._measure_hit, self._clock, self._stop = measure, clock, stop
        self._says = Rate(_SAY_EVERY)
        self._errors: list[BaseException] = []
        self._measures_from = clock()

    def until_all_ended(self) -> list[BaseException]:
        """Wait for all jobs. Returns the errors that stopped them, if any.

        The first Ctrl-C stops the recording, the second one also the analysis.
        """
        preparing = Thread(target=self._prepare, daemon=True)
        threads = [preparing, *(job.recorder for job in self._jobs)]
        for thread in threads:
            thread.start()
        # `_prepare` starts these, and stays alive until it has. So the loop below cannot end before they run.
        threads += [job.worker for job in self._jobs]
        while True:
            try:
                alive = any(thread.is_alive() for thread in threads)
                self._pass_on(wait=alive)
                if not alive:
                    return self._errors
            except KeyboardInterrupt:
                self._interrupt()
            except Exception as error:  # noqa: BLE001 - the caller's `watch` raised it; it is kept until the threads have ended
                self._errors.append(error)
                self._run.leave()

    def _prepare(self) -> None:
        """Open the parts that take seconds to open, while the recording already runs. Then start the analysis.

        The rehearsal comes last: the first clip would wait for what it loads.
        """
        tools = self._run.tools
        try:
            for slow in (tools.committer, tools.analyser, tools.clip_spool):
                slow()
            for job in self._jobs:
                job.worker.start()
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self._run.done.put(error)
            for job in self._jobs:
                job.queue.close(leave=True)
            return
        for group_id in {job.recording.group_id for job in self._jobs}:
            try:
                tools.warm_up(group_id)
            except Exception as error:  # noqa: BLE001 - the recording goes on without it
                _log.info("nothing was loaded for the first clip: %s", error)

    def _interrupt(self) -> None:
        if not self._run.stop.is_set():
            self._run.tools.notify(
                "stopping: what was recorded is still analysed; Ctrl-C again leaves it to the next run"
            )
            self._run.stop.set()
            return
        self._run.leave()
        for job in self._jobs:
            job.queue.close(leave=True)

    def _pass_on(self, *, wait: bool) -> None:
        """Pass on the results so far. wait: wait a moment for the next result."""
        done = self._run.done
        with suppress(Empty):
            while True:
                if self._stop and self._stop.is_set():
                    self._run.stop.set()
                item = done.get(timeout=_PATIENCE) if wait else done.get_nowait()
                if isinstance(item, Progress):
                    self._watch(item)
                    self._measure(item)
                else:
                    # An error in one job ends all jobs.
                    self._errors.append(item)
                    self._run.leave()

    def _measure(self, done: Progress) -> None:
        """Measure how long it took until the clip was found. A failure of this does not end the recording."""
        if not self._run.done.empty() and self._clock() < self._measures_from:
            return
        began = self._clock()
        try:
            self._measure_hit(done.receipt, self._report)
        except AmrError as error:
            if self._says():
                self._run.tools.notify(f"how soon clips are found is not measured: {error.message}")
        self._measures_from = self._clock() + _REST * (self._clock() - began)
