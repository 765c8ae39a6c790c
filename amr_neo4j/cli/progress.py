"""How far an ingestion is, on standard error: a bar on a terminal, and what was rejected as it happens."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from amr_neo4j.cli.printing import note, one_line
from amr_neo4j.domain import receipt
from amr_neo4j.domain.receipt import Watch


@contextmanager
def watching(console: Console | None = None) -> Generator[Watch]:
    """Show the progress of an ingest for as long as this is open."""
    console = console or Console(stderr=True, markup=False, highlight=False, emoji=False)
    if console.is_terminal:
        with _bar(console) as bar:
            yield Bar(bar)
    else:
        yield complain


def complain(done: receipt.Progress) -> None:
    """A line for what was rejected."""
    if done.receipt.error:
        note(f"{done.receipt.where(done.source)}: {done.receipt.error}")


class Bar:
    """One bar for each source in turn."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None, counts="")
        self._source = ""
        self._begun = self._last = progress.get_time()
        self._clips = self._events = 0

    def __call__(self, done: receipt.Progress) -> None:
        if done.source != self._source:
            self._begin(done.source)
        self._last = self._progress.get_time()
        self._clips += 1
        self._events += len(done.receipt.node_ids)
        rate = done.done_s / max(self._last - self._begun, 0.001)
        line = f"{self._clips} clips, {self._events} events, {rate:.1f} x real time"
        self._progress.update(self._task, completed=done.done_s, total=done.total_s, counts=line)
        complain(done)

    def _begin(self, source: str) -> None:
        """A source begins where the one before it ended: progress comes after a clip is done."""
        self._source, self._begun = source, self._last
        self._clips = self._events = 0
        self._progress.reset(self._task, description=one_line(source), total=None)


def _bar(console: Console) -> Progress:
    name, counts = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[counts]"))
    return Progress(name, BarColumn(), counts, TimeRemainingColumn(), console=console, transient=True)
