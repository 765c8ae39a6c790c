"""Resolve files, folders and globs that a user names into the files to ingest."""

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
VIDEOS = {
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
    """Yield the files of every place, each once; of a folder those with a known suffix, at any depth.

    Unreadable folders are yielded too, so that the caller reports them when it opens them.
    Raises NoSuchFile: a place that does not exist, or a folder or glob without a known file; InputError: a pipe.
    """
    seen: set[Path] = set()
    for place in places:
        for path in _files(place):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield Source(path, "lines" if path.suffix.lower() in _LINES else "video")


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; one over LONGEST_LINE is truncated just above it, so that no file exhausts memory."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE + 1)


def _files(place: str | Path) -> list[Path]:
    if not str(place):  # from an unset shell variable; as a path it would be the working directory
        raise NoSuchFile("the file name is empty", hint="check the command line")
    path = Path(place)
    if path.is_dir():
        return _some(place, sorted(_inside(path)))
    if path.is_file():
        return [path]
    if path.exists():
        raise InputError(f"{place} is not a regular file", hint="to read lines from a pipe, run: amr ingest -")
    if glob.has_magic(str(place)):
        matches = [Path(match) for match in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207 - a glob may be absolute
        return _some(place, [p for p in matches if p.is_file()])
    raise NoSuchFile(f"{place} does not exist", hint="check the path")


def _inside(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for parent, _, names in os.walk(folder, onerror=closed.append):
        paths = (Path(parent, name) for name in names)
        yield from (path for path in paths if path.suffix.lower() in _LINES | VIDEOS and path.is_file())
    yield from (Path(error.filename) for error in closed)


def _some(place: str | Path, files: list[Path]) -> list[Path]:
    if not files:
        raise NoSuchFile(f"no video or .jsonl file in {place}", hint="name the files themselves")
    return files
