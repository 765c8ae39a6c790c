"""Folders that are watched: each file is taken in when it has stopped growing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from amr_neo4j.app.growing_files import Growing, Pace, State
from amr_neo4j.app.ingest_sources import IngestOptions, ingest_places
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import InputError, NoSuchFile, StoreUnavailable
from amr_neo4j.ingest.live_clips import Rate
from amr_neo4j.media import source_files

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_SAY_EVERY = 60.0


def watch_folders(
    parts: Parts, folders: Iterable[str | Path], how: IngestOptions, pace: Pace, watch: Watch, stop: Event
) -> IngestReport:
    """Take in the files of folders, and those that come, until `stop` is set or Ctrl-C.

    A file is taken in once it has not changed for a while; one that changes later is taken in again, and what it
    has more is added (a recording that grows stays one video). A file that cannot be taken in is rejected in the
    report, and tried again when it changes. A database that is away is waited for, and so is a folder that goes, as
    that of a disk on the network does. Raises NoSuchFile: no such folder.
    """
    places = [Path(folder) for folder in folders]
    for place in places:
        if not place.is_dir():
            raise NoSuchFile(
                f"there is no folder {place}", hint="name a folder; for a file: amr ingest FILE --follow"
            )
    report = IngestReport()
    taken: dict[Path, State] = {}
    growing, gone, says_away = Growing(pace.settle_s), set[Path](), Rate(_SAY_EVERY)
    with suppress(KeyboardInterrupt):
        while not stop.is_set():
            gone = _gone(parts, places, gone)
            for path, state in growing.complete(_files(places), time.monotonic()):
                if taken.get(path) == state or stop.is_set():
                    continue
                try:
                    _take(parts, path, how, watch, report)
                    taken[path] = state
                except StoreUnavailable as error:
                    if says_away():
                        parts.notify(f"{error.message}; files are taken in once it is back")
                    break
            stop.wait(pace.poll_s)
    return report


def _gone(parts: Parts, folders: Iterable[Path], before: set[Path]) -> set[Path]:
    """The folders that are not there; says which have gone, or come back, since."""
    gone = {folder for folder in folders if not os.path.isdir(folder)}  # noqa: PTH112 - false for any error of a disk
    for folder in sorted(gone ^ before):
        now = "is not there any more; it is looked for again" if folder in gone else "is back"
        parts.notify(f"the folder {folder} {now}")
    return gone


def _files(folders: Iterable[Path]) -> dict[Path, State]:
    found: dict[Path, State] = {}
    for folder in folders:
        with suppress(NoSuchFile, OSError):  # there is no known file in it yet, or its disk has gone
            for source in source_files.find_sources([folder]):
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
