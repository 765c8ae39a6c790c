"""How far an ingestion is, on standard error: a bar on a terminal, and what was rejected as it happens."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from amr_neo4j.cli.printing import note, one_line
from amr_neo4j.domain.receipt import Progress as Told
from amr_neo4j.domain.receipt import Watch


@contextmanager
def watching(console: Console | None = None) -> Generator[Watch]:
    """What ingestion tells is shown for as long as this is open."""
    console = console or Console(stderr=True, markup=False, highlight=False, emoji=False)
    if console.is_terminal:
        with _bar(console) as bar:
            yield Bar(bar)
    else:
        yield complain


def complain(told: Told) -> None:
    """A line for what was rejected."""
    if told.receipt.error:
        note(f"{told.receipt.where(told.source)}: {told.receipt.error}")


class Bar:
    """One bar for each source in turn."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None, told="")
        self._source = ""
        self._begun = self._last = progress.get_time()
        self._clips = self._events = 0

    def __call__(self, told: Told) -> None:
        if told.source != self._source:
            self._begin(told.source)
        self._last = self._progress.get_time()
        self._clips += 1
        self._events += len(told.receipt.node_ids)
        rate = told.done_s / max(self._last - self._begun, 0.001)
        line = f"{self._clips} clips, {self._events} events, {rate:.1f} x real time"
        self._progress.update(self._task, completed=told.done_s, total=told.total_s, told=line)
        complain(told)

    def _begin(self, source: str) -> None:
        """A source begins where the one before it ended: what is told comes after a clip is done."""
        self._source, self._begun = source, self._last
        self._clips = self._events = 0
        self._progress.reset(self._task, description=one_line(source), total=None)


def _bar(console: Console) -> Progress:
    name, told = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[told]}", markup=False)
    return Progress(name, BarColumn(), told, TimeRemainingColumn(), console=console, transient=True)
