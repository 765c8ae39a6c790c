"""Code that runs on a Ray worker: opens a memory's parts on the worker's machine and takes in one file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from amr_neo4j.app.ray_ingest import FileTask, TakenIn, files_of, ingest_on
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Progress, Watch
from amr_neo4j.errors import AmrError, ConfigError
from amr_neo4j.ray_tasks import LOCAL
from amr_neo4j.settings import Settings, load
from amr_neo4j.version import __version__
from amr_neo4j.wiring.database import open_database
from amr_neo4j.wiring.parts import Parts


@dataclass(frozen=True)
class VideoTask(FileTask):
    """A file to take in; with `precut`, a place whose files are one video.

    settings: those of the calling process, with its secrets, because a worker has no other source for them.
    is_here: the worker is on the same machine as the caller.
    version: the version of the calling program.
    """

    how: IngestOptions
    settings: Settings
    is_here: bool
    version: str = __version__


def ingest_by_workers(
    settings: Settings, on: str, places: Iterable[str | Path], how: IngestOptions, *, watch: Watch, notify: Notify
) -> IngestReport:
    """Take in files, folders and globs, each file on a worker of Ray. on: `local` or ray://HOST:PORT."""
    return ingest_on(on, _tasks(settings, on, files_of(places, how), how), take_in, watch=watch, notify=notify)


def take_in(task: VideoTask) -> TakenIn:
    """Take in one file. Workers run this function."""
    clips: list[Progress] = []
    lines: list[str] = []
    try:
        settings = _on_this_machine(task)
        # Messages are collected here and shown by the process that asked.
        parts = Parts(settings, open_database(settings), lines.append)
        try:
            done = parts.ingesting.places(settings.group, [task.place], task.how, clips.append)
        finally:
            parts.close()
    except AmrError as error:
        # Returned and not raised, so that the caller also gets the clips that were done before it.
        return TakenIn(tuple(clips), tuple(lines), error=error)
    return TakenIn(tuple(clips), tuple(lines), tuple(done.first_hit_s))


def _tasks(settings: Settings, on: str, files: dict[str, bool], how: IngestOptions) -> list[VideoTask]:
    """Return a task for each file. The cost limit is divided evenly, since workers do not know what others spent."""
    if on != LOCAL and not settings.neo4j_uri:
        raise ConfigError("workers on other machines need the address of a Neo4j", hint="set NEO4J_URI")
    if settings.max_cost_usd is not None and files:
        settings = settings.model_copy(update={"max_cost_usd": settings.max_cost_usd / len(files)})
    # `stop` only ends live sources, and a threading.Event cannot be sent to another process.
    how = replace(how, stop=None)
    return [
        VideoTask(file, replace(how, found=how.found or not is_named), settings, on == LOCAL)
        for file, is_named in files.items()
    ]


def _on_this_machine(task: VideoTask) -> Settings:
    """Return the task's settings with the folders of this worker's machine.

    Raises ConfigError: the worker has another version of the program.
    """
    if task.version != __version__:
        hint = "install the same version on all machines"
        raise ConfigError(f"a worker has amr-neo4j {__version__}, and not {task.version}", hint=hint)
    if task.is_here:
        return task.settings
    # The folders of the calling machine need not exist on this one.
    here = load()
    return task.settings.model_copy(update={"data_dir": here.data_dir, "cache_dir": here.cache_dir})
