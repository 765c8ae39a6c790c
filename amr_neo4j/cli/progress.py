"""Shows on standard error what takes long: a spinner or a bar on a terminal, else a line at the start.

An ingestion also prints a line for each rejected or failed clip.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from amr_neo4j.cli.printing import count, note, one_line
from amr_neo4j.domain.receipt import Progress as Update
from amr_neo4j.domain.receipt import Watch

# The name of the source gets at most this many columns, so that the bar and the time fit into 80.
_WIDEST_NAME = 20


@contextmanager
def doing(what: str, console: Console | None = None) -> Generator[None]:
    """Say what is being done until the block ends. Nothing may be printed to standard output in the meantime."""
    console = console or _console()
    if not console.is_terminal:
        note(f"{what} ...")
        yield
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as spinner:
        spinner.add_task(one_line(what), total=None)
        yield


def _console() -> Console:
    return Console(stderr=True, markup=False, highlight=False, emoji=False)


@contextmanager
def watching(what: str = "", console: Console | None = None) -> Generator[Watch]:
    """Give the callback of an ingestion that shows its progress until the block ends.

    what: said at the start if no bar can be shown.
    """
    console = console or _console()
    if console.is_terminal:
        with _bar(console) as bar:
            yield Bar(bar)
    else:
        if what:
            note(f"{what} ...")
        yield report_error


@contextmanager
def growing(decided: set[str], console: Console | None = None) -> Generator[Callable[[dict[str, Any]], None]]:
    """Give the callback of an exploration that shows its tree, with looks and cost so far, until the block ends.

    On a terminal the tree is redrawn as it grows; elsewhere each path gets a line when it is decided.

    decided: ids of the nodes that an earlier run decided.
    """
    from amr_neo4j.explorer.saved_tree import node_line, walk

    console = console or _console()
    if not console.is_terminal:

        def report(tree: dict[str, Any]) -> None:
            for depth, node in walk(tree):
                if node["looks"] and node["id"] not in decided:
                    decided.add(node["id"])
                    note(f"{'  ' * depth}{node_line(node)} ({_effort(tree)})")

        yield report
        return
    with Live(console=console, transient=True, redirect_stdout=False) as live:

        def redraw(tree: dict[str, Any]) -> None:
            waiting = sum(node["status"] == "queued" for node in tree["nodes"])
            looked = [(depth, node) for depth, node in walk(tree) if node["looks"] or node["children"]]
            # The newest lines stay in view where the tree is longer than the terminal.
            lines = [f"{'  ' * depth}{one_line(node_line(node))}" for depth, node in looked][-(console.height - 2) :]
            lines.append(f"{_effort(tree)}, {count(waiting, 'path')} waiting")
            live.update(Text("\n".join(lines), no_wrap=True, overflow="ellipsis"))

        yield redraw


def _effort(tree: dict[str, Any]) -> str:
    looks = sum(node["looks"] for node in tree["nodes"])
    return f"{looks} of {count(tree['options']['max_looks'], 'look')}, ${tree['usage']['cost_usd']:.4f}"


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
        # 0.001, so that it is never divided by zero.
        rate = update.done_s / max(self._last - self._begun, 0.001)
        line = f"{count(self._clips, 'clip')}, {count(self._events, 'event')}, {rate:.1f} x real time"
        self._progress.update(self._task, completed=update.done_s, total=update.total_s, status=line)
        report_error(update)

    def _begin(self, source: str) -> None:
        """Start anew for a source. Its work began when the previous source ended, because updates come only after a
        clip is done.
        """
        self._source, self._begun = source, self._last
        self._clips = self._events = 0
        self._progress.reset(self._task, description=one_line(Path(source).name), total=None)


def _bar(console: Console) -> Progress:
    cut = Column(max_width=_WIDEST_NAME, no_wrap=True, overflow="ellipsis")
    name = TextColumn("{task.description}", markup=False, table_column=cut)
    status = TextColumn("{task.fields[status]}", markup=False, table_column=Column(no_wrap=True))
    left = TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True))
    return Progress(name, BarColumn(bar_width=None), status, left, console=console, transient=True, expand=True)
