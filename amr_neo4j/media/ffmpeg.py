"""Runs ffmpeg and ffprobe on files. No other module imports the untyped package ffmpeg-python.

A file that a user names is never trusted: only formats that hold media are opened, and no other file or address.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.view import Area
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
# Where sound begins long after the pictures, a transport stream tells only then what it is. By default ffmpeg looks
# at the first 5 MB, or 5 s (here in microseconds).
_INPUT = {**_SAFE, "probesize": "50M", "analyzeduration": "3600M"}
_LONGEST_HEAD = 2**17
# Ctrl-C in a terminal reaches every process of its group. It is for ours, which then completes the clip that is being
# read: a decoder that it ended would leave a shorter film, as if the rest were damaged.
APART = True
# Seconds.
_BEFORE_KEY = 0.5
_JUMP = 0.1
_LATE = 1.0
_DISAGREEMENT = 2.0
_HOLE = 1.0
_FORCED = re.compile(r"(?<!\bnon[- ])(?<!\bnot )(?<!\bun-)\bforced\b", re.IGNORECASE)
# The mean of two channels has less than this share of the power of the first one.
_CANCELLED = 0.01
# In a transport stream, ffmpeg lets time begin with the streams that it reads, so that sound read alone would lose
# its late start. If an offset is given, even one microsecond, time begins with the first stream of the file.
_SHARED_START = "0.000001"
# Seconds. In a transport stream, ffmpeg takes a hole of more than 10 s, also before the first sound, for a clock that
# jumps, and moves what follows into it. Where the clock of the pictures does not jump, that of the sound does not.
_LONGEST_HOLE = 1e6
_NOT_ALLOWED = "not on whitelist"

# Formats whose seek may land after the second asked for, and whose clock may begin again within the file.
_WITHOUT_INDEX = ("mpegts", "mpeg")
# Formats of sound whose length ffmpeg estimates if no header states it.
_ESTIMATED = ("mp3", "aac")
# Bare streams. They have neither an index nor times.
_BARE = ("h264", "hevc", "mpegvideo", "m4v", "av1", "obu")
_TEXT_FORMATS = {"ass": "ass", "ssa": "ass", "webvtt": "webvtt", "subrip": "srt", "srt": "srt", "mov_text": "srt"}


@dataclass(frozen=True)
class SubtitleStream:
    """A subtitle stream of a file.

    format: the text format to extract it in; empty for bitmap subtitles.
    is_forced: whether it has only what a viewer who understands the sound needs, such as signs.
    """

    index: int
    format: str
    is_forced: bool = False
    is_default: bool = False


@dataclass(frozen=True)
class SoundStream:
    """A sound track of a file. language: as the file states it, such as eng; empty if it states none."""

    index: int
    language: str = ""
    is_default: bool = False
    channels: int = 1


@dataclass(frozen=True)
class Jump:
    """A place where the clock of a file begins again or skips.

    second: where, in decoded time.
    by_s: how far the clock jumps there; negative if it goes back.
    """

    second: float
    by_s: float


@dataclass(frozen=True)
class Probe:
    """The streams of a file.

    duration_s: the container's duration, else that of the longest stream, else that of the packets; None if unknown.
        Of a transport stream it is what can be decoded, whatever its clock says.
    width, height: as displayed, with the rotation applied.
    video_stream: the index of the video stream, or None.
    picture_end: the second at which the video stream ends, often a little before the sound; None if unknown.
    created: when the container says that it was made, as written there, or empty.
    format: ffmpeg's name of the container.
    jumps: where the clock of a transport stream jumps.
    """

    duration_s: float | None
    fps: float | None
    width: int
    height: int
    sound_streams: tuple[SoundStream, ...]
    video_stream: int | None
    subtitle_streams: tuple[SubtitleStream, ...]
    picture_end: float | None = None
    created: str = ""
    format: str = ""
    jumps: tuple[Jump, ...] = ()

    @property
    def has_video(self) -> bool:
        """Whether there is a video stream (the cover of an audio file does not count)."""
        return self.video_stream is not None

    @property
    def has_audio(self) -> bool:
        return bool(self.sound_streams)

    @property
    def main_stream(self) -> int | None:
        """The index of the video stream, or of a sound file's track; None if there is neither."""
        sound = self.sound()
        return self.video_stream if self.has_video else sound and sound.index

    def sound(self, track: str = "") -> SoundStream | None:
        """Return a sound track: by number from 1, by language, or the default one; None if the file is silent.

        Raises InputError if there is no such track.
        """
        if not track or not self.sound_streams:
            return next(
                (each for each in self.sound_streams if each.is_default), next(iter(self.sound_streams), None)
            )
        for number, each in enumerate(self.sound_streams, start=1):
            if track == str(number) or each.language.startswith(track.lower()):
                return each
        there = ", ".join(f"{n} {each.language}".strip() for n, each in enumerate(self.sound_streams, start=1))
        raise InputError(f"there is no sound track {track}", hint=f"set sound_track to one of: {there}")


@cache
def version() -> tuple[int, ...]:
    """Return ffmpeg's version, such as (5, 1); (0,) if it is missing, (999,) for a build between releases."""
    try:
        said = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return (0,)
    found = re.match(r"ffmpeg version n?(\d+(?:\.\d+)*)", said)
    return tuple(map(int, found[1].split("."))) if found else (999,)


def probe(path: Path | str) -> Probe:
    """Return the streams of a file. One that has not changed since is not read again.

    Raises NoSuchFile: it does not exist or cannot be read; InputError: ffmpeg cannot read it; ToolError: no ffmpeg.
    """
    path = readable(path)
    return _probe(path, _state(path))


# Cached, because each clip of a film asks again: a film of an hour would start hundreds of processes.
@lru_cache(maxsize=64)
def _probe(path: Path, _: tuple[int, int]) -> Probe:
    with mapped_errors(path):
        found = json.loads(
            _run(["ffprobe", "-show_format", "-show_streams", "-of", "json", *input_arguments(), str(path)])
        )
    container, streams = found["format"], found["streams"]
    video = next((stream for stream in streams if _is_video(stream)), dict[str, Any]())
    name = container.get("format_name", "")
    duration, end, jumps = _duration(container, streams), _end(video, container), ()
    # Where times do not begin at 0, as in a part of a live recording, Matroska states the last time as the length.
    is_late = float(container.get("start_time", 0)) >= _LATE
    # The length in the header may be wrong, so it is compared with the lengths of the streams.
    is_doubtful = abs((duration or 0.0) - (_longest(streams) or duration or 0.0)) > _DISAGREEMENT
    if video and (duration is None or is_late or is_doubtful or name in _WITHOUT_INDEX):
        read = packets(path, video["index"])
        duration, end = read.seconds or duration, read.picture_end or end
        jumps = read.jumps if name in _WITHOUT_INDEX else ()
    if not video and name in _ESTIMATED and _is_estimate(container, streams):
        duration = packets(path, streams[0]["index"]).seconds or duration
    width, height = video.get("width", 0), video.get("height", 0)
    if _is_rotated(video):
        width, height = height, width
    return Probe(
        duration_s=duration,
        fps=_rate(video),
        width=width,
        height=height,
        # A transport stream may state a track that has no sound.
        sound_streams=tuple(
            _sound_stream(each) for each in streams if each.get("codec_type") == "audio" and each.get("channels")
        ),
        video_stream=video.get("index"),
        subtitle_streams=tuple(_subtitle_stream(each) for each in streams if each.get("codec_type") == "subtitle"),
        picture_end=end,
        created=_created(container.get("tags", {})),
        format=name,
        jumps=jumps,
    )


def _sound_stream(stream: Mapping[str, Any]) -> SoundStream:
    language = stream.get("tags", {}).get("language", "")
    is_default = bool(stream.get("disposition", {}).get("default"))
    return SoundStream(stream["index"], language.lower(), is_default, int(stream.get("channels", 1)))


def _subtitle_stream(stream: Mapping[str, Any]) -> SubtitleStream:
    disposition = stream.get("disposition", {})
    # Where the flag is missing, the title often says it.
    is_forced = disposition.get("forced") or _FORCED.search(stream.get("tags", {}).get("title", ""))
    text = _TEXT_FORMATS.get(stream.get("codec_name", ""), "")
    return SubtitleStream(stream["index"], text, bool(is_forced), bool(disposition.get("default")))


def _created(tags: Mapping[str, str]) -> str:
    """Return the time in a container. Apple's creationdate is when it was filmed, in local time.

    creation_time may be when it was exported.
    """
    return str(tags.get("com.apple.quicktime.creationdate") or tags.get("creation_time", ""))


def probe_video(path: Path, hint: str) -> Probe:
    """Does the same as `probe`, but raises InputError with this hint if the file has no video stream."""
    found = probe(path)
    if not found.has_video:
        raise InputError(f"{path.name} has no video stream", hint=hint)
    return found


def audio(path: Path | str, start: float, end: float, *, track: str = "") -> npt.NDArray[np.float32]:
    """Return the sound from `start` to `end` (s): mono, 16 kHz, from -1 to 1; shape (samples,).

    Sound that begins late, or has holes, is filled with silence, so that sample n is heard at start + n / 16,000 s.
    It is shorter than asked for only where the file ends; without a sound track it is empty.
    track: as in Probe.sound.
    """
    path = readable(path)
    found = probe(path)
    heard = found.sound(track)
    if heard is None:
        return np.zeros(0, np.float32)
    stretch = Stretch(path, found, start, end - start, track=track)
    # Of more than two channels, ffmpeg knows how loud each is meant to be.
    channels = 2 if heard.channels == 2 else 1
    content = encode([stretch.sound], "pipe:", path, format="f32le", ac=channels, ar=SAMPLE_RATE)
    # Floating point may be anything, and after one sample that is no number the models would hear nothing any more.
    samples = np.clip(np.nan_to_num(np.frombuffer(content, np.float32), posinf=0.0, neginf=0.0), -1.0, 1.0)
    sound = _mixed(samples.reshape(-1, channels))
    lacking = min(end, found.duration_s or 0.0) - start - len(sound) / SAMPLE_RATE
    # ffmpeg fills a hole only if the stretch has sound after it, and no loss of less than .1 s.
    if lacking < _HOLE:
        missing = round(lacking * SAMPLE_RATE) if end <= (found.duration_s or 0.0) else 0
        return np.pad(sound, (0, max(0, missing)))
    # A header may state any length.
    assert found.main_stream is not None  # noqa: S101 - it has sound
    lacking = min(end, packets(path, found.main_stream).seconds) - start - len(sound) / SAMPLE_RATE
    return np.pad(sound, (0, max(0, round(lacking * SAMPLE_RATE))))


def _mixed(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the mean of the channels. samples: shape (samples, channels).

    Where a cable is wired the wrong way round, one channel is the other one inverted, and their mean is silence. Then
    it is the first one.
    """
    mean = samples.mean(axis=1)
    return samples[:, 0] if np.square(mean).sum() < _CANCELLED * np.square(samples[:, 0]).sum() else mean


def subtitles(path: Path | str, stream: SubtitleStream) -> str:
    """Return a subtitle stream as text in `stream.format`."""
    path = readable(path)
    source = ffmpeg.input(str(path), **_INPUT)
    return encode([source[str(stream.index)]], "pipe:", path, format=stream.format).decode("utf-8")


def fingerprint(path: Path | str) -> str:
    """Return 16 hex digits that identify a file's content: a hash of its size and of 18 samples of 64 KiB."""
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
    """Return keys that a file keeps while it grows or is renamed. The key that covers most comes first.

    There is one for each size of head (4, 8 ... 128 KiB): device, inode and a hash of the second half of that head.
    The first half is left out because containers rewrite sizes and durations there when a recording ends. Empty for a
    file under 4 KiB.
    """
    with readable(path).open("rb") as file:
        status, head = os.fstat(file.fileno()), file.read(_LONGEST_HEAD)
    lengths = [2**power for power in range(12, _LONGEST_HEAD.bit_length()) if 2**power <= len(head)]
    hashes = {length: hashlib.sha256(head[length // 2 : length]).hexdigest()[:32] for length in reversed(lengths)}
    return tuple(f"{status.st_dev}:{status.st_ino}:{length}:{digest}" for length, digest in hashes.items())


def readable(path: Path | str) -> Path:
    """Return the absolute path, which is never mistaken for an option or a URL.

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


class Stretch:
    """A stretch of a file as streams for ffmpeg. Their times count from its start.

    seen: the video from the last key frame before the start, so that a filter can show what is in view at the start.
        Frames before the start have negative times.
    video: the frames that begin within the stretch.
    sound: the sound track; None if there is none. Silence stands for what is missing.
    """

    def __init__(
        self,
        path: Path,
        found: Probe,
        start: float,
        seconds: float | None = None,
        *,
        track: str = "",
        mask: Sequence[Area] = (),
    ) -> None:
        """start, seconds: in seconds of the file, by default up to its end.

        track: as in Probe.sound.
        mask: what is blacked out.
        """
        seek = _seek(path, found, start)
        # A seek to 0 fails on some broken files.
        where: dict[str, Any] = {"ss": seek, "noaccurate_seek": None} if seek else {}
        if not found.jumps:
            where |= {"dts_delta_threshold": _LONGEST_HOLE}
        source = ffmpeg.input(str(path), threads=1, itsoffset=_SHARED_START, **where, **_INPUT)
        within = {"start": 0} if seconds is None else {"start": 0, "end": seconds}
        shift = f"PTS-{start - seek:.6f}/TB"
        if found.video_stream is not None:
            self.seen = source[str(found.video_stream)].filter("setpts", shift)
            for left, top, right, bottom in mask:
                corner = {"x": f"floor(iw*{left:.5f})", "y": f"floor(ih*{top:.5f})"}
                size = {"w": f"ceil(iw*{right - left:.5f})+1", "h": f"ceil(ih*{bottom - top:.5f})+1"}
                self.seen = self.seen.filter("drawbox", **corner, **size, color="black", thickness="fill")
            self.video = self.seen.filter("trim", **within)
        heard = found.sound(track)
        self.sound = None
        if heard:
            played = source[str(heard.index)].filter("asetpts", shift).filter("atrim", **within)
            # `async` fills holes and follows a clock that drifts; `first_pts` fills what is missing at the start.
            self.sound = played.filter("aresample", **{"async": 1, "first_pts": 0})


def _seek(path: Path, found: Probe, start: float) -> float:
    """Return the second to seek to, so that everything from `start` on can be decoded; 0 for no seek."""
    if found.format in _BARE or found.jumps:
        return 0.0
    if found.format not in _WITHOUT_INDEX or found.video_stream is None:
        return start
    keys = packets(path, found.video_stream).keys
    before = keys[keys <= start]
    # A little earlier than the key frame, because the seek lands at the first packet of any stream after it.
    return max(0.0, float(before[-1]) - _BEFORE_KEY) if len(before) else 0.0


@dataclass(frozen=True)
class Packets:
    """The compressed pictures of a file, in decoded time: seconds from the first packet, as ffmpeg plays the file.

    times, sizes, keys: of each picture: its second; its bytes; the seconds of those that are key frames.
    picture_end: the second at which the last picture ends.
    seconds: the length, sound included.
    jumps: where the clock of the file differs from decoded time.
    """

    times: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    keys: npt.NDArray[np.float64]
    picture_end: float
    seconds: float
    jumps: tuple[Jump, ...]


def packets(path: Path, stream: int) -> Packets:
    """Return the packets of a video stream. Nothing is decoded, but the whole file is read, once per process.

    Raises InputError, ToolError.
    """
    return _packets(path, stream, _state(path))


class _Picture(NamedTuple):
    """A compressed picture: when it is decoded and shown, in seconds, and its bytes."""

    decoded: float
    shown: float
    size: int
    is_key: bool


def _state(path: Path) -> tuple[int, int]:
    """Return the size and the time of the last change: while both are the same, what was read of a file holds.

    Raises NoSuchFile.
    """
    try:
        status = path.stat()
    except OSError as error:  # deleted since it was found to be readable, as old parts of a live recording are
        raise NoSuchFile(f"cannot read {path}: {error.strerror}", hint="check the path") from error
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=8)
def _packets(path: Path, stream: int, _: tuple[int, int]) -> Packets:
    # This muxer lists the packets after ffmpeg has corrected a clock that jumps. It takes no track without sound (u).
    copied = ["-map", f"0:{stream}", "-map", "0:a:u?", "-c", "copy", "-copyinkf", "-f", "framecrc", "-"]
    scales, pictures, end = dict[int, Fraction](), list[_Picture](), 0.0
    source = [*input_arguments(), "-itsoffset", _SHARED_START, "-i", str(path)]
    for line in _lines(path, ["ffmpeg", "-v", "error", "-nostdin", *source, *copied]):
        if found := re.match(r"#tb (\d+): (\d+/\d+)", line):
            scales[int(found[1])] = Fraction(found[2])
        elif not line.startswith("#"):
            number, decoded, shown, lasts, size, *rest = line.split(",")
            scale = float(scales[int(number)])
            # A bare stream has no times of showing; its times of decoding are made of the frame rate.
            at = int(shown) if int(shown) > -(2**63) else int(decoded)
            end = max(end, (at + int(lasts)) * scale)
            if int(number) == 0:
                is_key = not any("F=0x" in word for word in rest)
                pictures.append(_Picture(int(decoded) * scale, at * scale, int(size), is_key))
    times = np.array([picture.shown for picture in pictures], float)
    order = np.sort(times)
    last = float(order[-1] + np.median(np.diff(order))) if len(order) > 1 else end
    return Packets(
        times=times,
        sizes=np.array([picture.size for picture in pictures], np.int64),
        keys=np.array([picture.shown for picture in pictures if picture.is_key], float),
        picture_end=last,
        seconds=max(end, last),
        jumps=_jumps(path, stream, np.array([picture.decoded for picture in pictures], float)),
    )


def _jumps(path: Path, stream: int, decoded: npt.NDArray[np.float64]) -> tuple[Jump, ...]:
    """Return where the clock in the file goes another way than decoded time."""
    shown = ["-select_streams", str(stream), "-show_entries", "packet=dts_time", "-of", "csv=p=0", str(path)]
    lines = _lines(path, ["ffprobe", "-v", "error", *input_arguments(), *shown])
    stated = (re.match(r"-?[\d.]+", line) for line in lines if line.strip())
    clock = np.array([float(found[0]) if found else np.nan for found in stated])
    both = min(len(clock), len(decoded))
    away = np.diff(clock[:both] - decoded[:both])
    return tuple(
        Jump(round(float(decoded[at + 1]), 3), round(float(away[at]), 3)) for at in np.flatnonzero(abs(away) > _JUMP)
    )


def _run(command: Sequence[str]) -> bytes:
    """Run a program to its end. Returns its output. Raises ffmpeg.Error: it failed."""
    done = subprocess.run(command, capture_output=True, check=False, start_new_session=APART)
    if done.returncode:
        raise ffmpeg.Error(command[0], done.stdout, done.stderr)
    return done.stdout


def _lines(path: Path, command: list[str]) -> Generator[str]:
    with mapped_errors(path):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=APART
        )
    with process:
        yield from process.stdout or ()


def input_arguments() -> list[str]:
    """Return the arguments that every call of ffprobe on a user's file needs: see _INPUT."""
    return [word for name, value in _INPUT.items() for word in (f"-{name}", value)]


def unreadable(path: Path, complaints: Sequence[str]) -> InputError:
    """Return the error for a file that ffmpeg cannot decode. complaints: ffmpeg's error messages."""
    if any(_NOT_ALLOWED in line for line in complaints):
        hint = "name a video file; playlists, manifests, scripts and images are not opened"
        return InputError(f"{path.name} is not a video container", hint=hint)
    reason = complaints[-1].removeprefix(f"{path}: ") if complaints else "nothing in it could be decoded"
    hint = "check that it plays; it may be truncated or not a video. Then copy or convert it again"
    if reason.startswith("Decoder"):
        hint = "convert it to another codec; if only its sound cannot be decoded, --speech off takes in its pictures"
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

    streams: made from a Stretch.
    source: the file that errors name.
    options: ffmpeg's options for the output.
    Raises the errors of `mapped_errors`.
    """
    # -nostdin below, because ffmpeg would otherwise read keys from the user's terminal.
    output = ffmpeg.output(*streams, str(target), **options).overwrite_output()
    with mapped_errors(source):
        return _run(output.global_args("-nostdin", "-loglevel", "error").compile())


def _is_video(stream: Mapping[str, Any]) -> bool:
    return stream.get("codec_type") == "video" and not stream.get("disposition", {}).get("attached_pic")


def _is_rotated(video: Mapping[str, Any]) -> bool:
    """Return whether a player rotates the picture by 90 degrees."""
    angles = [side["rotation"] for side in video.get("side_data_list", []) if "rotation" in side]
    return bool(angles) and round(float(angles[0])) % 180 != 0


def _duration(container: Mapping[str, Any], streams: Sequence[Mapping[str, Any]]) -> float | None:
    duration = container.get("duration")
    return float(duration) if duration else _longest(streams)


def _is_estimate(container: Mapping[str, Any], streams: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the length of a file of sound may be made of its size and of the bit rate of its first frames.

    A header of a file that was cut off states more than its bytes can hold.
    """
    duration, bits, rate = (
        float(each)
        for each in (container.get("duration", 0), 8 * int(container["size"]), streams[0].get("bit_rate", 0))
    )
    return duration * rate <= bits * 1.01


def _longest(streams: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the length of the longest stream; None if none is stated."""
    return max((float(stream["duration"]) for stream in streams if stream.get("duration")), default=None)


def _end(video: Mapping[str, Any], container: Mapping[str, Any]) -> float | None:
    """Return the second at which the video stream ends. Matroska gives its duration in a tag, as HH:MM:SS."""
    duration = video.get("duration") or video.get("tags", {}).get("DURATION")
    if not duration:
        return None
    *larger, seconds = map(float, str(duration).split(":"))
    length = seconds + sum(part * 60**power for power, part in enumerate(reversed(larger), start=1))
    # Times of the file count from the container's start, which may lie before or after 0.
    return float(video.get("start_time", 0)) - float(container.get("start_time", 0)) + length


def _rate(video: Mapping[str, Any]) -> float | None:
    """Return the frames per second: the average rate if the file has one, else the base rate."""
    for name in ("avg_frame_rate", "r_frame_rate"):
        above, _, below = video.get(name, "0/0").partition("/")
        if int(below or 0) and int(above):
            return float(Fraction(int(above), int(below)))
    return None
