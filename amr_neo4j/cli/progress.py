"""Progress of an ingestion on standard error: a bar on a terminal, and a line for each rejected or failed clip."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from amr_neo4j.cli.printing import count, note, one_line
from amr_neo4j.domain.receipt import Progress as Update
from amr_neo4j.domain.receipt import Watch


@contextmanager
def watching(console: Console | None = None) -> Generator[Watch]:
    """Yield the callback of an ingestion that shows its progress until the block ends."""
    console = console or Console(stderr=True, markup=False, highlight=False, emoji=False)
    if console.is_terminal:
        with _bar(console) as bar:
            yield Bar(bar)
    else:
        yield report_error


def report_error(update: Update) -> None:
    """Print a line if the clip was rejected or failed."""
    if update.receipt.error:
        note(f"{update.receipt.where(update.source)}: {update.receipt.error}")


class Bar:
    """A progress bar that restarts for each source."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID = progress.add_task("starting", total=None, status="")
        self._source = ""
        self._begun = self._last = progress.get_time()
        self._clips = self._events = 0

    def __call__(self, update: Update) -> None:
        if update.source != self._source:
            self._begin(update.source)
        self._last = self._progress.get_time()
        self._clips += 1
        self._events += len(update.receipt.node_ids)
        rate = update.done_s / max(self._last - self._begun, 0.001)
        line = f"{count(self._clips, 'clip')}, {count(self._events, 'event')}, {rate:.1f} x real time"
        self._progress.update(self._task, completed=update.done_s, total=update.total_s, status=line)
        report_error(update)

    def _begin(self, source: str) -> None:
        """A source starts when the previous one ended: updates come only after a clip is done."""
        self._source, self._begun = source, self._last
        self._clips = self._events = 0
        self._progress.reset(self._task, description=one_line(source), total=None)


def _bar(console: Console) -> Progress:
    name, status = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[status]"))
    return Progress(name, BarColumn(), status, TimeRemainingColumn(), console=console, transient=True)
