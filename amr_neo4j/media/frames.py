"""Decodes a video's frames lazily through a pipe, makes thumbnails, and measures how much moves in each second."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.footage import Frame, Image
from amr_neo4j.domain.view import Area
from amr_neo4j.media.ffmpeg import (
    APART,
    Probe,
    Stretch,
    mapped_errors,
    packets,
    probe_video,
    readable,
    unreadable,
)

CUT_SCORE = 10.0
"""If two frames differ this much (scdet's score, in percent), the second starts a new shot."""

_DUE = 1.0
"""A file that lasts for at least this many steps between frames must yield a frame."""
_COMPLAINT = re.compile(r"\[(?:error|fatal|panic)\] (.*\S)")
_SCENE_CUT = re.compile(r"lavfi\.scd\.time: ([\d.]+)")


def frames(
    path: Path | str, *, fps: float, width: int, start: float = 0.0, mask: Sequence[Area] = ()
) -> Generator[Frame]:
    """Yield `fps` frames per second from `start` (s) on, resampled and scaled down to at most `width` pixels.

    mask: what is blacked out. The seek is exact. The ffmpeg process ends when the generator is exhausted or closed.
    Raises NoSuchFile and ToolError when `probe` does; InputError: no video stream, or none that can be decoded.
    """
    path = readable(path)
    found = probe_video(path, "name a video; sound alone is not analysed")
    size = _fitted(found, width)
    count = 0
    with _decoder(path, _command(Stretch(path, found, start, mask=mask), fps=fps, size=size)) as (pipe, log):
        for count, image in enumerate(_images(pipe, size), start=1):
            # ffmpeg's fps filter outputs, at k / fps, the last frame before (k + 0.5) / fps.
            cut, complaints = log.read_on((count - 0.5) / fps)
            yield Frame(start + (count - 1) / fps, image, cut, complaints)
        # The fps filter may output no frame of a file that is shorter than a step.
        if not count and not start and (found.duration_s is None or found.duration_s * fps >= _DUE):
            raise unreadable(path, log.read_on(0.0)[1])


def _fitted(found: Probe, width: int) -> tuple[int, int]:
    """Return (width, height) of the frames: even, and never larger than the video's."""
    scale = min(1.0, width / found.width)
    return max(2, round(found.width * scale / 2) * 2), max(2, round(found.height * scale / 2) * 2)


def _command(stretch: Stretch, *, fps: float, size: tuple[int, int]) -> list[str]:
    picture = stretch.seen.filter("scale", *size).filter("scdet", threshold=CUT_SCORE)
    sampled = picture.filter("fps", fps=fps, start_time=0).output("pipe:", format="rawvideo", pix_fmt="bgr24")
    return sampled.global_args("-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info").compile()


@contextmanager
def _decoder(path: Path, command: list[str]) -> Generator[tuple[IO[bytes], _Log]]:
    """Runs ffmpeg. Gives its output and its log until the end of the block."""
    # The log goes to a file. A second pipe would block ffmpeg while unread, and a thread that reads it would lag
    # behind.
    with tempfile.NamedTemporaryFile(suffix=".log") as stderr, Path(stderr.name).open("rb") as log:
        with mapped_errors(path):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, start_new_session=APART)
        with process:
            try:
                yield process.stdout, _Log(log)  # type: ignore[misc]
            finally:
                # The caller may stop reading in the middle, and ffmpeg would wait forever for the pipe.
                process.kill()


def _images(pipe: IO[bytes], size: tuple[int, int]) -> Iterator[Image]:
    width, height = size
    length = width * height * 3
    # Fewer bytes at the end are a picture that ffmpeg did not complete.
    while len(data := pipe.read(length)) == length:
        yield np.reshape(np.frombuffer(data, np.uint8), (height, width, 3))


class _Log:
    """ffmpeg's log while it decodes. It has the times of cuts, and error messages."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._cuts: list[float] = []

    def read_on(self, until: float) -> tuple[bool, tuple[str, ...]]:
        """Return (whether a cut came since the last call, the error messages since then).

        until: seconds from the first frame. Later cuts are kept for the next call.
        """
        text = self._file.read().decode(errors="replace")
        self._cuts += [float(time) for time in _SCENE_CUT.findall(text)]
        passed = [time for time in self._cuts if time < until]
        self._cuts = self._cuts[len(passed) :]
        return bool(passed), tuple(_COMPLAINT.findall(text))


WIDTH = 32
# The most thumbnails of a video: one each second of an hour.
_MOST_THUMBNAILS = 3600


def thumbnails(path: Path | str, seconds: float, mask: Sequence[Area] = ()) -> tuple[npt.NDArray[np.uint8], float]:
    """Return (small pictures of the whole video, shape (n, height, 32, 3); the seconds from each to the next).

    The step is 1 s, and more for a video of over an hour. All frames are decoded.
    seconds: the length of the video.
    mask: what is blacked out.
    Raises NoSuchFile, ToolError; InputError: nothing can be decoded.
    """
    step = max(1.0, seconds / _MOST_THUMBNAILS)
    with closing(frames(path, fps=1 / step, width=WIDTH, mask=mask)) as found:
        return np.array([each.image for each in found], dtype=np.uint8), step


Seconds = npt.NDArray[np.float64]


def activity(path: Path | str, seconds: float) -> Seconds:
    """Return the bytes of compressed pictures in each second of the video, without key frames; shape (seconds,).

    Nothing is decoded. A picture between two key frames holds what changed, so a second in which nothing moves has
    few bytes. All are 0 if the codec has key frames only. Raises NoSuchFile, InputError, ToolError.
    """
    path = readable(path)
    total = np.zeros(max(1, int(np.ceil(seconds))))
    stream = probe_video(path, "name a video").video_stream
    read = packets(path, stream or 0)
    moving = ~np.isin(read.times, read.keys) & (read.times >= 0) & (read.times < len(total))
    np.add.at(total, read.times[moving].astype(int), read.sizes[moving])
    return total
