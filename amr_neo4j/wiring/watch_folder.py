"""Folders that are watched: each file is taken in when it has stopped growing."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import InputError, NoSuchFile
from amr_neo4j.media import sources
from amr_neo4j.wiring.growing_files import Growing, Pace, State
from amr_neo4j.wiring.ingest_sources import IngestOptions, ingest_places

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def watch_folders(
    parts: Parts, folders: Iterable[str | Path], how: IngestOptions, pace: Pace, watch: Watch, stop: Event
) -> IngestReport:
    """Take in the files of folders, and those that come, until `stop` is set or Ctrl-C.

    A file is taken in once it has not changed for a while; one that changes later is taken in again, and what it
    has more is added (a recording that grows stays one video). A file that cannot be taken in is rejected in the
    report, and tried again when it changes. Raises NoSuchFile: no such folder.
    """
    places = [Path(folder) for folder in folders]
    for place in places:
        if not place.is_dir():
            raise NoSuchFile(
                f"there is no folder {place}", hint="name a folder; for a file: amr ingest FILE --follow"
            )
    report = IngestReport()
    taken: dict[Path, State] = {}
    growing = Growing(pace.settle_s)
    with suppress(KeyboardInterrupt):
        while not stop.is_set():
            for path, state in growing.complete(_files(places), time.monotonic()):
                if taken.get(path) != state:
                    taken[path] = state
                    _take(parts, path, how, watch, report)
            stop.wait(pace.poll_s)
    return report


def _files(folders: Iterable[Path]) -> dict[Path, State]:
    found: dict[Path, State] = {}
    for folder in folders:
        with suppress(NoSuchFile):  # there is no known file in it yet
            for source in sources.find([folder]):
                with suppress(OSError):  # it was removed meanwhile
                    status = source.path.stat()
                    if status.st_size:
                        found[source.path] = (status.st_size, status.st_mtime_ns)
    return found


def _take(parts: Parts, path: Path, how: IngestOptions, watch: Watch, report: IngestReport) -> None:
    try:
        done = ingest_places(parts, [path], how, watch)
    except InputError as error:
        progress = Progress(str(path), Receipt("", "", "rejected", error=str(error)))
        report.add(progress.receipt, str(path))
        watch(progress)
        return
    report.include(done)
