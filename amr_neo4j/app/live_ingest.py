"""Live sources into the graph, side by side: each is a job of its own, and the main thread tells what becomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from amr_neo4j.app.forgetting_footage import apply_retention
from amr_neo4j.app.live_footage import keep_to_budget
from amr_neo4j.app.live_job import LiveJob, LiveRun
from amr_neo4j.app.live_recordings import LiveOptions, begin, left_behind, live_source
from amr_neo4j.app.receipts import measure
from amr_neo4j.domain.receipt import IngestReport, Progress, Watch
from amr_neo4j.errors import AmrError, SourceLost
from amr_neo4j.ingest.live_clips import Rate
from amr_neo4j.ingest.progress import counting
from amr_neo4j.media.live_address import Address, address

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_PATIENCE = 0.2
_SAY_EVERY = 60.0
_REST = 4.0
"""Where receipts wait, no search is made to measure for so many times as long as the last one took."""


def ingest_live(parts: Parts, places: Sequence[str | Path], how: LiveOptions, watch: Watch) -> IngestReport:
    """Take in live sources side by side until each has ended or Ctrl-C: a first one completes what was recorded.

    Clips that an earlier run left behind are taken up. Raises SourceLost: the only source was lost, or never there.
    """
    report = IngestReport()
    count = counting(report, watch)
    apply_retention(parts)
    run = LiveRun(parts, how.on_lag)
    _ = parts.live_spool, parts.language  # made here, since several threads must not make them at once
    sources = _each_once(map(address, places))
    with ExitStack() as locks:
        jobs = [LiveJob(run, recording, None) for recording in left_behind(parts, locks)]
        jobs += [_begun(run, source, how, locks) for source in sources]
        errors = _Following(run, jobs, count, report).until_all_ended()
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


def _each_once(sources: Iterable[Address]) -> list[Address]:
    return list({source.key: source for source in sources}.values())


def _begun(run: LiveRun, source: Address, how: LiveOptions, locks: ExitStack) -> LiveJob:
    recording = begin(run.parts, source, how, locks)
    return LiveJob(run, recording, live_source(run.parts, source, recording))


class _Following:
    """Starts jobs and passes on what is done, in the main thread."""

    def __init__(self, run: LiveRun, jobs: Sequence[LiveJob], watch: Watch, report: IngestReport) -> None:
        self._run, self._jobs, self._watch, self._report = run, jobs, watch, report
        self._says = Rate(_SAY_EVERY)
        self._errors: list[BaseException] = []
        self._measures_from = monotonic()

    def until_all_ended(self) -> list[BaseException]:
        """Returns what stopped the jobs, if anything. Ctrl-C stops the recording, a second one also the analysis."""
        preparing = Thread(target=self._prepare, daemon=True)
        threads = [preparing, *(job.recorder for job in self._jobs)]
        for thread in threads:
            thread.start()
        threads += [job.worker for job in self._jobs]
        while True:
            try:
                alive = any(thread.is_alive() for thread in threads)
                self._pass_on(wait=alive)
                if not alive:
                    return self._errors
            except KeyboardInterrupt:
                self._interrupt()
            except Exception as error:  # noqa: BLE001 - the caller's `watch` raised it: first the threads end in order
                self._errors.append(error)
                self._run.leave()

    def _prepare(self) -> None:
        """Make what takes seconds, while recording has begun, and start the analysis."""
        parts = self._run.parts
        try:
            _ = parts.writer, parts.embedder, parts.analyser, parts.clip_spool
            _ = parts.merging
            for job in self._jobs:
                job.worker.start()
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self._run.done.put(error)
            for job in self._jobs:
                job.queue.close(leave=True)

    def _interrupt(self) -> None:
        if not self._run.stop.is_set():
            self._run.parts.notify(
                "stopping: what was recorded is still analysed; Ctrl-C again leaves it to the next run"
            )
            self._run.stop.set()
            return
        self._run.leave()
        for job in self._jobs:
            job.queue.close(leave=True)

    def _pass_on(self, *, wait: bool) -> None:
        """What is done by now. wait: for a moment, where nothing is."""
        done = self._run.done
        with suppress(Empty):
            while True:
                item = done.get(timeout=_PATIENCE) if wait else done.get_nowait()
                if isinstance(item, Progress):
                    self._watch(item)
                    self._measure(item)
                else:
                    self._errors.append(item)
                    self._run.leave()

    def _measure(self, done: Progress) -> None:
        """How long the clip took to be found. Nothing that fails here ends the recording."""
        if not self._run.done.empty() and monotonic() < self._measures_from:
            return
        began = monotonic()
        try:
            measure(self._run.parts, done.receipt, self._report)
        except AmrError as error:
            if self._says():
                self._run.parts.notify(f"how soon clips are found is not measured: {error.message}")
        self._measures_from = monotonic() + _REST * (monotonic() - began)
