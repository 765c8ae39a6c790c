"""Runs ffmpeg and ffprobe on files. No other module imports the untyped package ffmpeg-python.

A file that a user names is never trusted: only formats that hold media are opened, and no other file or address.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.errors import InputError, NoSuchFile, ToolError

# ffmpeg-python has no types. Imported by name, it is Any to the type checker.
ffmpeg = import_module("ffmpeg")
SAMPLE_RATE = 16_000
CONTAINERS = (
    *("mov", "matroska", "avi", "mpegts", "mpeg", "flv", "asf", "ogg"),
    *("mxf", "nut", "dv", "gxf", "wtv", "ivf", "gif"),
    *("mpegvideo", "m4v", "h264", "hevc", "av1", "obu"),  # bare streams
    *("mp3", "wav", "flac", "aac", "aiff", "amr", "ac3", "w64", "caf"),
)
"""Formats that hold media and cannot make ffmpeg open other files."""
# ffmpeg recognises formats by their content. A text file named .mp4 may be a playlist (HLS, DASH), a script
# (ffconcat) or a pattern of images, and each of these opens other files.
_SAFE = {"protocol_whitelist": "file", "format_whitelist": ",".join(CONTAINERS)}
_LONGEST_HEAD = 2**17
_NOT_ALLOWED = "not on whitelist"

_TEXT_FORMATS = {"ass": "ass", "ssa": "ass", "webvtt": "webvtt", "subrip": "srt", "srt": "srt", "mov_text": "srt"}


@dataclass(frozen=True)
class SubtitleStream:
    """A subtitle stream of a file. format: the text format to extract it in; empty for bitmap subtitles."""

    index: int
    format: str


@dataclass(frozen=True)
class Probe:
    """The streams of a file.

    duration_s: the container's duration, else that of the longest stream; None if unknown.
    width, height: as displayed, with the rotation applied.
    video_stream: the index of the video stream, or None.
    picture_end: the second at which the video stream ends, often a little before the sound; None if unknown.
    created: when the container says that it was made, as written there, or empty.
    """

    duration_s: float | None
    fps: float | None
    width: int
    height: int
    has_audio: bool
    video_stream: int | None
    subtitle_streams: tuple[SubtitleStream, ...]
    picture_end: float | None = None
    created: str = ""

    @property
    def has_video(self) -> bool:
        """Whether there is a video stream (the cover of an audio file does not count)."""
        return self.video_stream is not None


@cache
def version() -> tuple[int, ...]:
    """Returns ffmpeg's version, such as (5, 1); (0,) if it is missing, (999,) for a build between releases."""
    try:
        said = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return (0,)
    found = re.match(r"ffmpeg version n?(\d+(?:\.\d+)*)", said)
    return tuple(map(int, found[1].split("."))) if found else (999,)


def probe(path: Path | str) -> Probe:
    """Returns the streams of a file.

    Raises NoSuchFile: it does not exist or cannot be read; InputError: ffmpeg cannot read it; ToolError: no ffmpeg.
    """
    path = readable(path)
    with mapped_errors(path):
        found = ffmpeg.probe(str(path), **_SAFE)
    streams: list[dict[str, Any]] = found["streams"]
    video = next((stream for stream in streams if _is_video(stream)), dict[str, Any]())
    width, height = video.get("width", 0), video.get("height", 0)
    if _is_rotated(video):
        width, height = height, width
    return Probe(
        duration_s=_duration(found["format"], streams),
        fps=_rate(video),
        width=width,
        height=height,
        has_audio=any(stream.get("codec_type") == "audio" for stream in streams),
        video_stream=video.get("index"),
        subtitle_streams=tuple(
            SubtitleStream(stream["index"], _TEXT_FORMATS.get(stream.get("codec_name", ""), ""))
            for stream in streams
            if stream.get("codec_type") == "subtitle"
        ),
        picture_end=_end(video, found["format"]),
        created=_created(found["format"].get("tags", {})),
    )


def _created(tags: Mapping[str, str]) -> str:
    """Returns the time in a container. Apple's creationdate is when it was filmed, in local time.

    creation_time may be when it was exported.
    """
    return str(tags.get("com.apple.quicktime.creationdate") or tags.get("creation_time", ""))


def probe_video(path: Path, hint: str) -> Probe:
    """Does the same as `probe`, but raises InputError with this hint if the file has no video stream."""
    found = probe(path)
    if not found.has_video:
        raise InputError(f"{path.name} has no video stream", hint=hint)
    return found


def audio(path: Path | str, start: float, end: float) -> npt.NDArray[np.float32]:
    """Returns the sound from `start` to `end` (s): mono, 16 kHz, from -1 to 1; shape (samples,)."""
    path = readable(path)
    source = opened(path, start, t=end - start)
    sound = encode([source.audio], "pipe:", path, format="f32le", ac=1, ar=SAMPLE_RATE)
    return np.frombuffer(sound, np.float32)


def subtitles(path: Path | str, stream: SubtitleStream) -> str:
    """Returns a subtitle stream as text in `stream.format`."""
    path = readable(path)
    source = ffmpeg.input(str(path), **_SAFE)
    return encode([source[str(stream.index)]], "pipe:", path, format=stream.format).decode("utf-8")


def fingerprint(path: Path | str) -> str:
    """Returns 16 hex digits that identify a file's content: a hash of its size and of 18 samples of 64 KiB."""
    path, chunk = readable(path), 65_536
    digest = hashlib.sha256()
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        # Samples instead of the whole file, because a film may have many gigabytes.
        digest.update(str(size).encode())
        for step in range(18):
            file.seek(max(0, size - chunk) * step // 17)
            digest.update(file.read(chunk))
    return digest.hexdigest()[:16]


def file_keys(path: Path | str) -> tuple[str, ...]:
    """Returns keys that a file keeps while it grows or is renamed. The key that covers most comes first.

    Each is made of device, inode and a hash of the second half of the first 4, 8 ... 128 KiB. The first half is left
    out because containers rewrite sizes and durations there when a recording ends. Empty for a file under 4 KiB.
    """
    with readable(path).open("rb") as file:
        status, head = os.fstat(file.fileno()), file.read(_LONGEST_HEAD)
    lengths = [2**power for power in range(12, _LONGEST_HEAD.bit_length()) if 2**power <= len(head)]
    hashes = {length: hashlib.sha256(head[length // 2 : length]).hexdigest()[:32] for length in reversed(lengths)}
    return tuple(f"{status.st_dev}:{status.st_ino}:{length}:{digest}" for length, digest in hashes.items())


def readable(path: Path | str) -> Path:
    """Returns the absolute path, which is never mistaken for an option or a URL.

    Raises NoSuchFile: it does not exist or cannot be read; InputError: not a regular file.
    """
    path = Path(path).absolute()
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
        elif stat.S_ISDIR(mode):
            os.scandir(path).close()
    except OSError as error:
        raise NoSuchFile(f"cannot read {path}: {error.strerror}", hint="check the path") from error
    if stat.S_ISDIR(mode):
        raise InputError(f"{path} is a folder", hint="name a file in it")
    if not stat.S_ISREG(mode):  # opening a pipe may block forever, and a device may never end
        raise InputError(f"{path} is not a regular file", hint="copy its content to a file first")
    return path


def opened(path: Path, start: float, **options: Any) -> Any:
    """Returns the file as an ffmpeg input from `start` (s) on.

    It does not seek to 0, which fails on some broken files.
    """
    seek = {"ss": start} if start else {}
    return ffmpeg.input(str(path), threads=1, **seek, **options, **_SAFE)


def safe_arguments() -> list[str]:
    """Returns the arguments that every call of ffprobe on a user's file needs: see _SAFE."""
    return [word for name, value in _SAFE.items() for word in (f"-{name}", value)]


def unreadable(path: Path, complaints: Sequence[str]) -> InputError:
    """Returns the error for a file that ffmpeg cannot decode. complaints: ffmpeg's error messages."""
    if any(_NOT_ALLOWED in line for line in complaints):
        hint = "name a video file; playlists, manifests, scripts and images are not opened"
        return InputError(f"{path.name} is not a video container", hint=hint)
    reason = complaints[-1].removeprefix(f"{path}: ") if complaints else "nothing in it could be decoded"
    hint = "check that it plays; it may be truncated or not a video. Then copy or convert it again"
    return InputError(f"ffmpeg cannot read {path.name}: {reason}", hint=hint)


@contextmanager
def mapped_errors(path: Path) -> Generator[None]:
    """Wraps a call of ffmpeg on a file. Raises ToolError: there is no ffmpeg; InputError: it failed."""
    try:
        yield
    except FileNotFoundError as error:
        hint = "install it: apt-get install ffmpeg, or brew install ffmpeg"
        raise ToolError(f"{error.filename or 'ffmpeg'} is not installed", hint=hint) from error
    except ffmpeg.Error as error:
        raise unreadable(path, error.stderr.decode(errors="replace").strip().splitlines()) from error


def encode(streams: Sequence[Any], target: Path | str, source: Path, **options: Any) -> bytes:
    """Encode streams into a file, which is replaced, or into "pipe:". Returns what went to the pipe.

    streams: made from what `opened` returns.
    source: the file that errors name.
    options: ffmpeg's options for the output.
    Raises the errors of `mapped_errors`.
    """
    # -nostdin below, because ffmpeg would otherwise read keys from the user's terminal.
    output = ffmpeg.output(*streams, str(target), **options).overwrite_output()
    with mapped_errors(source):
        return output.global_args("-nostdin", "-loglevel", "error").run(capture_stdout=True, capture_stderr=True)[0]


def _is_video(stream: Mapping[str, Any]) -> bool:
    return stream.get("codec_type") == "video" and not stream.get("disposition", {}).get("attached_pic")


def _is_rotated(video: Mapping[str, Any]) -> bool:
    """Returns whether a player rotates the picture by 90 degrees."""
    angles = [side["rotation"] for side in video.get("side_data_list", []) if "rotation" in side]
    return bool(angles) and round(float(angles[0])) % 180 != 0


def _duration(container: Mapping[str, Any], streams: Sequence[Mapping[str, Any]]) -> float | None:
    if duration := container.get("duration"):
        return float(duration)
    return max((float(stream["duration"]) for stream in streams if stream.get("duration")), default=None)


def _end(video: Mapping[str, Any], container: Mapping[str, Any]) -> float | None:
    """Returns the second at which the video stream ends. Matroska gives its duration in a tag, as HH:MM:SS."""
    duration = video.get("duration") or video.get("tags", {}).get("DURATION")
    if not duration:
        return None
    *larger, seconds = map(float, str(duration).split(":"))
    length = seconds + sum(part * 60**power for power, part in enumerate(reversed(larger), start=1))
    # Times of the file count from the container's start, which may lie before or after 0.
    return float(video.get("start_time", 0)) - float(container.get("start_time", 0)) + length


def _rate(video: Mapping[str, Any]) -> float | None:
    """Returns the frames per second: the average rate if the file has one, else the base rate."""
    for name in ("avg_frame_rate", "r_frame_rate"):
        above, _, below = video.get(name, "0/0").partition("/")
        if int(below or 0) and int(above):
            return float(Fraction(int(above), int(below)))
    return None
