"""Finds the files that a user names to ingest: videos and JSON lines, or clips that were cut beforehand."""

from __future__ import annotations

import csv
import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from amr_neo4j.domain.analysis import LONGEST_LINE
from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import InputError, NoSuchFile
from amr_neo4j.files import whole_path
from amr_neo4j.media import ffmpeg

_LINES = {".jsonl", ".ndjson"}
VIDEOS = {
    *(".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg"),
    *(".mpeg", ".ts", ".mts", ".wmv", ".flv", ".3gp", ".ogv"),
}


@dataclass(frozen=True)
class SourceFile:
    """A file to ingest: a video, or clip analyses as JSON lines. is_named: it was named itself, not its folder."""

    path: Path
    kind: Literal["video", "lines"]
    is_named: bool = False


def find_sources(places: Iterable[str | Path]) -> Iterator[SourceFile]:
    """Yield the files of every place, each once. For a folder, these are the files with a known suffix at any depth.

    Folders that cannot be read are yielded too, so that the caller reports them when it opens them.
    Raises NoSuchFile: a place that does not exist, or a folder or glob without a known file; InputError: a pipe.
    """
    seen: set[Path] = set()
    places = list(places)
    # Two places may name the same file: it is named itself although its folder is named before it.
    named = {Path(place).resolve() for place in places if str(place) and Path(place).is_file()}
    for place in places:
        for path in _files(place):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                kind = "lines" if is_lines(path) else "video"
                yield SourceFile(path, kind, is_named=path.resolve() in named)


def is_lines(path: Path) -> bool:
    """Return whether a file is one of JSON lines, by its suffix."""
    return path.suffix.lower() in _LINES


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines. A line over LONGEST_LINE is cut just above that length, so that no file exhausts memory."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        # Read on to the end of the long line, and drop the rest, so that it does not look like a line of its own.
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
    """Yield the files with a known suffix in a folder, at any depth, and then the folders that cannot be read."""
    closed: list[OSError] = []
    for parent, _, names in os.walk(folder, onerror=closed.append):
        paths = (Path(parent, name) for name in names)
        yield from (path for path in paths if path.suffix.lower() in _LINES | VIDEOS and path.is_file())
    yield from (Path(error.filename) for error in closed)


def _some(place: str | Path, files: list[Path]) -> list[Path]:
    if not files:
        raise NoSuchFile(f"no video or .jsonl file in {place}", hint="name the files themselves")
    return files


_PLAYLISTS = {".m3u8", ".m3u", ".csv"}
_LARGEST_PLAYLIST = 2**24
# The range at the end of a name. Two numbers of nine digits are milliseconds, other numbers are seconds.
_MILLISECONDS = re.compile(r"(?<!\d)(\d{9})-(\d{9})$")
_SECONDS_IN_NAME = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)s?[-_](\d+(?:\.\d+)?)s?$")
_HINT = "name them like hall_10-20.mp4 (seconds) or 000010000-000020000.mp4 (milliseconds), or add a playlist"


@dataclass(frozen=True)
class CutFile:
    """A file that is one clip of a video. t_start, t_end: seconds of the video."""

    path: Path
    t_start: float
    t_end: float


def find_cut_files(places: Iterable[str | Path]) -> Iterator[tuple[Path, list[CutFile], bool]]:
    """Yield (a place, its clips in order of time, whether they were found in a folder that was named).

    A place is a folder, a playlist (.m3u8, .csv) or a file. All named files together are one place: the folder of the
    first.
    Raises NoSuchFile; InputError: a clip's times are unknown.
    """
    files: list[Path] = []
    for place in map(Path, places):
        if not place.exists():
            raise NoSuchFile(f"{place} does not exist", hint="check the path")
        if place.is_file() and place.suffix.lower() not in _PLAYLISTS:
            files.append(place)
            continue
        is_folder = place.is_dir()
        yield place, _in_order(_cut_files_of_folder(place) if is_folder else _of_playlist(place)), is_folder
    if files:
        yield files[0].absolute().parent, _in_order([_by_name(file) for file in files]), False


def cut_files_name(place: Path) -> str:
    """Return the name of the video whose clips a place holds."""
    return place.absolute().name if place.is_dir() else place.stem


def open_cut_clip(clip: Clip, folder: Path) -> Clip:
    """Return the clip with the absolute path and the fingerprint of its file.

    folder: where relative paths begin.
    Raises NoSuchFile, ToolError; InputError: not a video.
    """
    if re.match(r"\w{2,}://", clip.uri) and not clip.uri.startswith("file://"):
        raise InputError(f"{clip.uri} is not a file of this machine", hint="download it first")
    path = folder / clip.uri.removeprefix("file://")
    if not ffmpeg.probe(path).has_video:
        raise InputError(f"{path} has no video stream", hint="to ingest sound, write clip analyses (JSON lines)")
    return replace(clip, uri=str(whole_path(path)), fingerprint=ffmpeg.fingerprint(path))


def _cut_files_of_folder(folder: Path) -> list[CutFile]:
    """Return the clips of the folder's only playlist; without a playlist, the videos with times in their names."""
    inside = sorted(folder.iterdir())
    playlists = [path for path in inside if path.suffix.lower() in _PLAYLISTS and path.is_file()]
    if len(playlists) > 1:
        raise InputError(f"{folder} has {len(playlists)} playlists", hint="name one of them")
    if playlists:
        return _of_playlist(playlists[0])
    videos = [path for path in inside if path.suffix.lower() in VIDEOS and path.is_file()]
    if not videos:
        raise NoSuchFile(f"no video and no playlist in {folder}", hint="name the files themselves")
    return [_by_name(path) for path in videos]


def _by_name(path: Path) -> CutFile:
    if found := _MILLISECONDS.search(path.stem):
        start, end = (int(part) / 1000 for part in found.groups())
    elif found := _SECONDS_IN_NAME.search(path.stem):
        start, end = map(float, found.groups())
    else:
        raise InputError(f"the name {path.name} tells no times", hint=_HINT)
    return _checked(path, start, end)


def _of_playlist(path: Path) -> list[CutFile]:
    if path.stat().st_size > _LARGEST_PLAYLIST:
        raise InputError(f"{path} is longer than {_LARGEST_PLAYLIST >> 20} MiB", hint="split it")
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
    files = list(_of_csv(path, lines) if path.suffix.lower() == ".csv" else _of_m3u(path, lines))
    if not files:
        raise InputError(f"{path} names no file", hint="name the files themselves")
    return files


def _of_csv(path: Path, lines: list[str]) -> Iterator[CutFile]:
    """Yield clips from lines like "file,start,end" (s), which `ffmpeg -f segment -segment_list_type csv` writes."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            [(name, start, end)] = csv.reader([line])
            yield _checked(path.parent / name, float(start), float(end))
        except (ValueError, csv.Error) as error:
            raise InputError(f"{path}, line {number}: not file,start,end", hint="times are in seconds") from error


def _of_m3u(path: Path, lines: list[str]) -> Iterator[CutFile]:
    """Yield clips from a playlist. The files follow one another, each as long as its EXTINF line says."""
    start, seconds = 0.0, None
    for line in map(str.strip, lines):
        if found := re.match(r"#EXTINF:\s*(\d+(?:\.\d+)?)", line):
            seconds = float(found[1])
        elif line and not line.startswith("#"):
            if seconds is None:
                raise InputError(f"{path}: no EXTINF before {line}", hint="an EXTINF line states its length")
            # Rounded, because the sum of many lengths gathers small errors.
            yield _checked(path.parent / line, round(start, 6), round(start + seconds, 6))
            start, seconds = start + seconds, None


def _checked(path: Path, start: float, end: float) -> CutFile:
    if not 0 <= start < end < float("inf"):
        raise InputError(f"{path.name} would run from {start:g} s to {end:g} s", hint=_HINT)
    return CutFile(path, start, end)


def _in_order(files: Iterable[CutFile]) -> list[CutFile]:
    return sorted(files, key=lambda file: (file.t_start, file.t_end))
