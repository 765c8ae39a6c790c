# pyright: basic
"""Frames of a video as they are asked for: one ffmpeg process and a pipe, from any second on."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import Probe, opened, probe, readable, told_plainly, unreadable

CUT_SCORE = 10.0
"""From this much change between two pictures on (scdet's measure, percent), the second opens a new shot."""

_COMPLAINT = re.compile(r"\[(?:error|fatal|panic)\] (.*\S)")
_CUT = re.compile(r"lavfi\.scd\.time: ([\d.]+)")


def frames(path: Path | str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
    """`fps` frames a second from `start` (s) on, whatever rate the file has; at most `width` wide.

    The seek is exact. ffmpeg ends when the iterator is used up or closed.
    Raises NoSuchFile, ToolError: as `probe`; InputError: no picture in it, or none that can be decoded.
    """
    path = readable(path)
    found = probe(path)
    if not found.has_video:
        raise InputError(f"{path.name} has no picture", hint="give a video; sound alone is not analysed")
    size = _fitted(found, width)
    count = 0
    with _decoder(path, _command(path, found, fps, size, start)) as (pipe, log):
        for count, image in enumerate(_images(pipe, size), start=1):
            # ffmpeg's fps filter shows, at k / fps, the last picture before (k + 0.5) / fps
            cut, complaints = log.read_on((count - 0.5) / fps)
            yield Frame(start + (count - 1) / fps, image, cut, complaints)
        if not count and not start:
            raise unreadable(path, log.read_on(0.0)[1])


def _fitted(found: Probe, width: int) -> tuple[int, int]:
    """Width and height of the frames: even, never enlarged."""
    scale = min(1.0, width / found.width)
    return max(2, round(found.width * scale / 2) * 2), max(2, round(found.height * scale / 2) * 2)


def _command(path: Path, found: Probe, fps: float, size: tuple[int, int], start: float) -> list[str]:
    picture = opened(path, start)[str(found.video_stream)].filter("scale", *size).filter("scdet", threshold=CUT_SCORE)
    sampled = picture.filter("fps", fps=fps, start_time=0).output("pipe:", format="rawvideo", pix_fmt="bgr24")
    return sampled.global_args("-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info").compile()


@contextmanager
def _decoder(path: Path, command: list[str]) -> Generator[tuple[IO[bytes], _Log]]:
    """ffmpeg's pictures and what it says, until the end of the block."""
    # what it says goes to a file: a second pipe that nobody empties would block it, a thread would lag behind
    with tempfile.NamedTemporaryFile(suffix=".log") as said, Path(said.name).open("rb") as log:
        with told_plainly(path):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said)
        with process:
            try:
                yield process.stdout, _Log(log)  # type: ignore[misc]
            finally:
                process.kill()


def _images(pipe: IO[bytes], size: tuple[int, int]) -> Iterator[Image]:
    width, height = size
    length = width * height * 3
    while len(data := pipe.read(length)) == length:
        yield np.frombuffer(data, np.uint8).reshape(height, width, 3)


class _Log:
    """What ffmpeg says while it decodes: where it saw a cut, and its complaints."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._cuts: list[float] = []

    def read_on(self, until: float) -> tuple[bool, tuple[str, ...]]:
        """Whether a cut fell before `until` (s since the first frame) that was not told yet; the new complaints."""
        said = self._file.read().decode(errors="replace")
        self._cuts += [float(time) for time in _CUT.findall(said)]
        passed = [time for time in self._cuts if time < until]
        self._cuts = self._cuts[len(passed) :]
        return bool(passed), tuple(_COMPLAINT.findall(said))
