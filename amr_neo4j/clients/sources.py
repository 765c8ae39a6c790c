"""What a user points at: files, folders and globs, as the files that can be ingested."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from amr_neo4j.errors import NoSuchFile

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

    Raises NoSuchFile: a place that is not there, or a folder or glob with nothing in it for us.
    """
    seen: set[Path] = set()
    for place in places:
        for path in _files(place):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield Source(path, "lines" if path.suffix.lower() in _LINES else "video")


def _files(place: str | Path) -> list[Path]:
    path = Path(place)
    if path.is_dir():
        return _some(
            place, [p for p in sorted(path.rglob("*")) if p.is_file() and p.suffix.lower() in _LINES | _VIDEOS]
        )
    if path.exists():
        return [path]
    if glob.has_magic(str(place)):
        matches = [Path(match) for match in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207 - a glob may be absolute
        return _some(place, [p for p in matches if p.is_file()])
    raise NoSuchFile(f"{place} is not there", hint="check the path")


def _some(place: str | Path, files: list[Path]) -> list[Path]:
    if not files:
        raise NoSuchFile(f"{place}: no video or .jsonl file there", hint="name the files themselves")
    return files
