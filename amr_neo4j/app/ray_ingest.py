"""Ingest many videos with Ray. Each file is a task; workers take it in as usual and return the same receipts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from amr_neo4j.app.ingesting import check_options
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import AmrError, InputError, ModelMissing, NoSpace, SpoolUnusable, ToolError
from amr_neo4j.media import live_address, source_files
from amr_neo4j.ray_tasks import ATTEMPTS, Done, run_each

# Errors of one machine do not stop the others. Errors of the database or the settings stop the run.
_OF_ONE_MACHINE = (ToolError, ModelMissing, NoSpace, SpoolUnusable)


@dataclass(frozen=True)
class FileTask:
    """A worker's task: a file to take in, or a place whose files are one video."""

    place: str


Task = TypeVar("Task", bound=FileTask)


@dataclass(frozen=True)
class TakenIn:
    """The result for one file: its clips in order, messages for the user, and the error that ended it.

    first_hit_s: seconds until a search found each clip, if measured.
    """

    clips: tuple[Progress, ...]
    lines: tuple[str, ...]
    first_hit_s: tuple[float, ...] = ()
    error: AmrError | None = None


def ingest_on(
    on: str, tasks: Sequence[Task], take_in: Callable[[Task], TakenIn], *, watch: Watch, notify: Notify
) -> IngestReport:
    """Run each task on a worker of Ray; see ray_tasks.run_each.

    The clips of a file are reported when the file is done. A file is reported as failed if its workers died each
    time, or if its machine cannot handle it, and as rejected if it cannot be read. The other files continue. An error
    of the only file is raised.
    """
    report = IngestReport()
    count = report.counting(watch)
    for outcome in run_each(on, take_in, tasks, notify):
        place = outcome.task.place
        if not isinstance(outcome, Done):
            error = f"its worker was lost {ATTEMPTS} times (run the same command again; {outcome.error})"
            count(Progress(place, Receipt("", "", "failed", error=error)))
            continue
        for line in outcome.result.lines:
            notify(line)
        for progress in outcome.result.clips:
            count(progress)
        for seconds in outcome.result.first_hit_s:
            report.found_after(seconds)
        if ended_by := outcome.result.error:
            count(_ended(place, ended_by, alone=len(tasks) == 1))
    return report


def files_of(places: Iterable[str | Path], how: IngestOptions) -> dict[str, bool]:
    """Return {absolute path of a file to take in: whether it was named itself}.

    Raises InputError: Ray cannot take these places in.
    """
    places = list(places)
    if how.follow or any(live_address.is_live(place) for place in places):
        raise InputError("Ray takes in files that are complete", hint="live sources, - and --follow need no --on")
    if how.precut:
        found = {place: not is_found for place, _, is_found in source_files.find_cut_files(places)}
    else:
        files = list(source_files.find_sources(places))
        check_options(files, how)
        found = {source.path: source.is_named for source in files}
    # Absolute, since a worker runs in another folder.
    return {str(path.absolute()): is_named for path, is_named in found.items()}


def _ended(place: str, error: AmrError, *, alone: bool) -> Progress:
    """Return the report on a file that was not taken in completely. Raises the error if it must end the run."""
    if alone or not isinstance(error, (InputError, *_OF_ONE_MACHINE)):
        raise error
    outcome = "rejected" if isinstance(error, InputError) else "failed"
    return Progress(place, Receipt("", "", outcome, error=str(error)))
