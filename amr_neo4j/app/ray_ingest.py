"""Ingest of many videos by Ray: one task a file, each by the way of every ingest, with the same receipts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j import __version__
from amr_neo4j.app.ingest_sources import IngestOptions, check_options, ingest_places
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import AmrError, ConfigError, InputError, ModelMissing, NoSpace, SpoolUnusable, ToolError
from amr_neo4j.media import live_address, source_files
from amr_neo4j.ray_tasks import ATTEMPTS, LOCAL, Done, run_each
from amr_neo4j.settings import Settings, load
from amr_neo4j.wiring.open_database import open_database
from amr_neo4j.wiring.parts import Parts

if TYPE_CHECKING:
    from amr_neo4j.domain.ports import Notify

# What is wrong with one machine does not stop the others; what is wrong with the database or the settings does.
_OF_ONE_MACHINE = (ToolError, ModelMissing, NoSpace, SpoolUnusable)


@dataclass(frozen=True)
class VideoTask:
    """A file to take in, or with `precut` a place whose files are one video.

    settings: those of the process that asks; secrets too, since a worker has no other source for them. is_here:
    the worker is on the same machine. version: of the program that asks.
    """

    place: str
    how: IngestOptions
    settings: Settings
    is_here: bool
    version: str = __version__


@dataclass(frozen=True)
class TakenIn:
    """What became of a file: the clips in order, lines for a person, and the error that ended it."""

    clips: tuple[Progress, ...]
    lines: tuple[str, ...]
    first_hit_s: tuple[float, ...] = ()
    error: AmrError | None = None


def ingest_on(parts: Parts, on: str, places: Iterable[str | Path], how: IngestOptions, watch: Watch) -> IngestReport:
    """Take in files, folders and globs, each file by a worker of Ray; see ray_tasks.run_each.

    Clips are reported when their file is done. A file whose workers died each time is reported as failed. Of several
    files, one that cannot be taken is rejected, and one that its machine cannot handle failed; the others go on.
    """
    tasks = _tasks(parts.settings, on, _files(list(places), how), how)
    report = IngestReport()

    def count(progress: Progress) -> None:
        report.add(progress.receipt, progress.source)
        watch(progress)

    for outcome in run_each(on, take_in, tasks, parts.notify):
        place = outcome.task.place
        if not isinstance(outcome, Done):
            error = f"its worker was lost {ATTEMPTS} times (run the same command again; {outcome.error})"
            count(Progress(place, Receipt("", "", "failed", error=error)))
            continue
        _pass_on(outcome.result.lines, parts.notify)
        for progress in outcome.result.clips:
            count(progress)
        for seconds in outcome.result.first_hit_s:
            report.found_after(seconds)
        if ended_by := outcome.result.error:
            count(_ended(place, ended_by, alone=len(tasks) == 1))
    return report


def take_in(task: VideoTask) -> TakenIn:
    """Take in one file; the function that a worker runs."""
    clips: list[Progress] = []
    lines: list[str] = []
    try:
        settings = _on_this_machine(task)
        parts = Parts(settings, open_database(settings), lines.append)
        try:
            done = ingest_places(parts, [task.place], task.how, clips.append)
        finally:
            parts.close()
    except AmrError as error:
        return TakenIn(tuple(clips), tuple(lines), error=error)
    return TakenIn(tuple(clips), tuple(lines), tuple(done.first_hit_s))


def _files(places: list[str | Path], how: IngestOptions) -> list[str]:
    """The absolute paths of what is taken in. Raises InputError: Ray cannot do that."""
    if how.follow or any(live_address.is_live(place) for place in places):
        raise InputError("Ray takes in files that are complete", hint="live sources, - and --follow need no --on")
    if how.precut:
        found: Iterator[str | Path] = (place for place, _ in source_files.find_cut_files(places))
    else:
        files = list(source_files.find_sources(places))
        check_options(files, how)
        found = (source.path for source in files)
    return [str(Path(place).absolute()) for place in found]


def _tasks(settings: Settings, on: str, files: list[str], how: IngestOptions) -> list[VideoTask]:
    """A task a file. The limit on costs is divided evenly, for workers do not know what others have spent."""
    if on != LOCAL and not settings.neo4j_uri:
        raise ConfigError("workers on other machines need the address of a Neo4j", hint="set NEO4J_URI")
    if settings.max_cost_usd is not None and files:
        settings = settings.model_copy(update={"max_cost_usd": settings.max_cost_usd / len(files)})
    return [VideoTask(file, how, settings, on == LOCAL) for file in files]


def _on_this_machine(task: VideoTask) -> Settings:
    """The settings of the task, with the folders of the machine of this worker. Raises ConfigError."""
    if task.version != __version__:
        hint = "install the same version on all machines"
        raise ConfigError(f"a worker has amr-neo4j {__version__}, and not {task.version}", hint=hint)
    if task.is_here:
        return task.settings
    here = load()
    return task.settings.model_copy(update={"data_dir": here.data_dir, "cache_dir": here.cache_dir})


def _ended(place: str, error: AmrError, *, alone: bool) -> Progress:
    """What is reported of a file that could not be taken in whole. Raises the error where it ends the run."""
    if alone or not isinstance(error, (InputError, *_OF_ONE_MACHINE)):
        raise error
    outcome = "rejected" if isinstance(error, InputError) else "failed"
    return Progress(place, Receipt("", "", outcome, error=str(error)))


def _pass_on(lines: Iterable[str], notify: Notify) -> None:
    for line in lines:
        notify(line)
