"""What a user points at: files, folders and globs, as the files that can be ingested."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from amr_neo4j.domain.analysis import LONGEST_LINE
from amr_neo4j.errors import InputError, NoSuchFile

_LINES = {".jsonl", ".ndjson"}
_VIDEOS = {
    ".mp4",
    ".m4v",
    ".mov",
    ".mkv",
    ".webm",
    ".avi",
    ".mpg",
    ".mpeg",
    ".ts",
    ".mts",
    ".wmv",
    ".flv",
    ".3gp",
    ".ogv",
}


@dataclass(frozen=True)
class Source:
    """A file to ingest: a video, or clip analyses as JSON lines."""

    path: Path
    kind: Literal["video", "lines"]


def find(places: Iterable[str | Path]) -> Iterator[Source]:
    """The files of every place, each once; of a folder those whose ending we know, at any depth.

    Folders that cannot be looked into are among them: whoever takes the sources finds out why.
    Raises NoSuchFile: a place that is not there, or a folder or glob with nothing in it for us; InputError: a pipe.
    """
    seen: set[Path] = set()
    for place in places:
        for path in _files(place):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield Source(path, "lines" if path.suffix.lower() in _LINES else "video")


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Its lines; of one that is too long, no more than shows that it is: no file fills the memory."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE + 1)


def _files(place: str | Path) -> list[Path]:
    if not str(place):  # of an unset variable; as a path it would be the folder we are in, with all that is below
        raise NoSuchFile("an empty name is no file", hint="check the command line")
    path = Path(place)
    if path.is_dir():
        return _some(place, sorted(_inside(path)))
    if path.is_file():
        return [path]
    if path.exists():
        raise InputError(f"{place} is no ordinary file", hint="lines come through a pipe as: amr ingest -")
    if glob.has_magic(str(place)):
        matches = [Path(match) for match in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207 - a glob may be absolute
        return _some(place, [p for p in matches if p.is_file()])
    raise NoSuchFile(f"{place} is not there", hint="check the path")


def _inside(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for parent, _, names in os.walk(folder, onerror=closed.append):
        paths = (Path(parent, name) for name in names)
        yield from (path for path in paths if path.suffix.lower() in _LINES | _VIDEOS and path.is_file())
    yield from (Path(error.filename) for error in closed)


def _some(place: str | Path, files: list[Path]) -> list[Path]:
    if not files:
        raise NoSuchFile(f"{place}: no video or .jsonl file there", hint="name the files themselves")
    return files
