"""Follow files that grow and watch folders. A file in a folder is taken in once it has stopped growing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
from amr_neo4j.errors import InputError, NoSuchFile, StoreUnavailable
from amr_neo4j.ingest.live_clips import Rate
from amr_neo4j.media import source_files
from amr_neo4j.media.ffmpeg import readable

_SAY_EVERY = 60.0
State = tuple[int, int]
"""(size in bytes, time of the last change in nanoseconds)."""


@dataclass(frozen=True)
class Pace:
    """poll_s: seconds between two looks.

    settle_s: a file is complete if it has not changed for these seconds.
    """

    poll_s: float = 2.0
    settle_s: float = 5.0


class Growing:
    """Remembers since when each file has not changed."""

    def __init__(self, settle_s: float) -> None:
        self._settle_s = settle_s
        self._since: dict[Path, tuple[State, float]] = {}

    def complete(self, files: dict[Path, State], now: float) -> list[tuple[Path, State]]:
        """Return the files that have not changed for settle_s seconds, ordered by the time of their last change."""
        known, self._since = self._since, {}  # files that are gone drop out
        for path, state in files.items():
            # A changed file starts its time anew.
            before = known.get(path)
            self._since[path] = before if before and before[0] == state else (state, now)
        settled = ((path, state) for path, (state, since) in self._since.items() if now - since >= self._settle_s)
        return sorted(settled, key=lambda pair: (pair[1][1], pair[0]))


def follow(path: Path, take: Callable[[bool], None], pace: Pace, notify: Notify) -> None:
    """Call take(False) each time a file has grown, and take(True) once it stops growing or after Ctrl-C.

    Raises NoSuchFile: the file was removed in the meantime.
    """
    last, changed = -1, time.monotonic()
    try:
        while True:
            size = readable(path).stat().st_size
            now = time.monotonic()
            if size != last:
                last, changed = size, now
                with suppress(InputError):  # the start of a file may not be readable yet
                    take(False)
            elif now - changed >= pace.settle_s:
                break
            time.sleep(pace.poll_s)
    except KeyboardInterrupt:
        notify("stopping: what has come is taken in")
    take(True)


def watch_folders(
    folders: Iterable[str | Path],
    take_in: Callable[[Path], IngestReport],
    *,
    pace: Pace,
    watch: Watch,
    stop: Event,
    notify: Notify,
) -> IngestReport:
    """Take in the files of folders, and files that appear later, until `stop` is set or Ctrl-C.

    A file is taken in once it has not changed for a while. If it changes later, it is taken in again and its new part
    is added: a recording that grows stays one video. If a file cannot be taken in, the report has it as rejected, and
    it is tried again when it changes. During an outage of the database the loop waits. It also waits for a folder
    that disappears, for example on a network disk.
    take_in: takes in a file.
    watch: is called for files that are rejected.
    Raises NoSuchFile: one of the folders does not exist at the start.
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
            gone = _gone(places, gone, notify)
            for path, state in growing.complete(_files(places), time.monotonic()):
                if taken.get(path) == state or stop.is_set():
                    continue
                try:
                    take(path, take_in, watch, report)
                    taken[path] = state
                except StoreUnavailable as error:
                    if says_away():
                        notify(f"{error.message}; it is tried again")
                    break
            stop.wait(pace.poll_s)
    return report


def _gone(folders: Iterable[Path], before: set[Path], notify: Notify) -> set[Path]:
    """Return the folders that are missing. Reports those that have disappeared or come back since the last call."""
    gone = {folder for folder in folders if not os.path.isdir(folder)}  # noqa: PTH112 - false for any error of a disk
    for folder in sorted(gone ^ before):
        now = "is not there any more; it is looked for again" if folder in gone else "is back"
        notify(f"the folder {folder} {now}")
    return gone


def _files(folders: Iterable[Path]) -> dict[Path, State]:
    found: dict[Path, State] = {}
    for folder in folders:
        with suppress(NoSuchFile, OSError):  # it has no file to take in yet, or its disk is gone
            for source in source_files.find_sources([folder]):
                with suppress(OSError):  # another process removed it
                    status = source.path.stat()
                    if status.st_size:
                        found[source.path] = (status.st_size, status.st_mtime_ns)
    return found


def take(path: Path, take_in: Callable[[Path], IngestReport], watch: Watch, report: IngestReport) -> None:
    """Take in a file, and add what became of it to the report: `rejected` if it cannot be taken in."""
    try:
        done = take_in(path)
    except InputError as error:
        progress = Progress(str(path), Receipt("", "", "rejected", error=str(error)))
        report.add(progress.receipt, str(path))
        watch(progress)
        return
    report.include(done)
