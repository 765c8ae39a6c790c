"""One connection to a live source: an ffmpeg process that writes short files as the pictures arrive."""

from __future__ import annotations

import csv
import io
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BufferedReader
from pathlib import Path
from shutil import which
from threading import Thread
from typing import IO, BinaryIO
from urllib.parse import urlsplit

from amr_neo4j.errors import AmrError, ToolError
from amr_neo4j.media.ffmpeg import APART, probe
from amr_neo4j.media.live_address import Address, without_secrets

SUFFIX = ".mkv"
_WAIT_AFTER_FIRST, _WAIT_AFTER_SECOND = 1.0, 5.0
"""ffmpeg gets this many seconds to complete its last file, after the first request and after the second."""
_MOST_LINES = 20
_MOST_OPENED = 200
_PROBED = "1500000"
"""How many microseconds of a stream ffmpeg examines before it begins.

Its default, 5 s, would delay the first clip.
"""
_LARGEST_PIECE = str(256 << 20)
"""The most bytes that ffmpeg allocates at once. A picture that never ends would take 2 GB."""
_MENDED = ["-bsf:v", "setts=dts='if(eq(DTS,NOPTS),PTS-0.5/TB,DTS)'"]
"""Gives pictures a decoding time. Over RTP the first ones have none, and no muxer accepts them."""
_BURST = {"network": 60.0, "device": 5.0, "stdin": 5.0}
"""How many seconds of pictures a live source may send at once when it begins. HLS sends several segments."""
_DURATION = re.compile(r"^\s*Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N/A)")
_RANGE = re.compile(r"^a=range:\s*npt=(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
"""The description of an RTSP stream that is a recording has this line: from second to second."""
_CREATED = re.compile(r"^\s*creation_time\s*: (\S+)")
_LINE = re.compile(r"^(?:\[[^\]]* @ \w+\] )?\[(\w+)\] (.*)$")
_HLS = re.compile(r"^Input #0, hls,")
_OPENED = re.compile(r"^Opening '(?:crypto\+)?(\S+)' for reading$")
_MISSED = re.compile(r"^Failed to open segment (\d+) of playlist 0")
_WRONG = ("error", "fatal", "panic")
# On Linux the process ends with ours, even if ours is killed. For this, prctl(1, 9) sets PR_SET_PDEATHSIG to SIGKILL.
# The parent's id is checked after that, because ours may have ended before.
_LAUNCH = (
    "import ctypes, os, sys\n"
    "try: ctypes.CDLL(None).prctl(1, 9)\n"
    "except AttributeError: pass\n"
    "os.getppid() == int(sys.argv[1]) or os._exit(1)\n"
    "os.execvp(sys.argv[2], sys.argv[2:])"
)


@dataclass(frozen=True)
class RecordedSegment:
    """A complete file.

    start, end: seconds of the connection.
    closed_at: when it was complete.
    """

    path: Path
    start: float
    end: float
    closed_at: datetime


class Segmenter:
    """Records one connection until it ends. Not thread-safe. `close` ends the process.

    reached: how many seconds are recorded.
    moved_at: when that last grew, by time.monotonic.
    duration_s: the length that the source states, as a film does; None if it states none.
    created: the creation_time that the source states; empty if it states none.
    is_hls: whether the source is a list of segments.
    opened: the files that ffmpeg has opened for it, in order, until `finish`; the caller takes them out.
    missed: the number of a segment that could not be opened, until a later one is.
    skipped: the numbers of those after which a later one was; the caller takes them out.
    """

    def __init__(
        self,
        address: Address,
        folder: Path,
        number: int,
        *,
        target_sec: float,
        stdin: BinaryIO | None = None,
        options: Sequence[str] = (),
    ) -> None:
        """folder: where the files are written.
        number: the number of the connection, from 1. It is part of the files' names.
        stdin: what a source of kind "stdin" is read from.
        options: further arguments for the input.
        Raises ToolError: no ffmpeg.
        """
        self._address = address
        self._list = SegmentList(folder / list_name(number))
        self._folder = folder
        command = _command(address, folder, number, target_sec=target_sec, options=options)
        read = io.BytesIO(address.script.encode()) if address.script else stdin
        self._process = _started(command, piped=read is not None)
        if read is not None:
            Thread(target=_pump, args=(read, self._process.stdin), daemon=True).start()
        self._selector = selectors.DefaultSelector()
        self._buffers: dict[int, bytes] = {}
        for pipe, take in ((self._process.stdout, self._progress), (self._process.stderr, self._complained)):
            assert pipe  # noqa: S101 - both are piped
            # One thread reads both pipes: blocking on one would let the other fill up and stop ffmpeg.
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, take)
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._is_paused = False
        self.reached = 0.0
        self.moved_at = time.monotonic()
        self.duration_s: float | None = None
        self.created = ""
        self.is_hls = False
        self.opened: deque[str] = deque(maxlen=_MOST_OPENED)
        self.missed: int | None = None
        self.skipped: list[int] = []
        self._opened_last = ""
        self._is_ending = False
        self._first_wall: datetime | None = None
        self._first_at: float | None = None

    @property
    def wall_start(self) -> datetime | None:
        """The wall clock of the connection's second 0, derived from when pictures arrived.

        None before the first picture.
        """
        return self._first_wall

    @property
    def is_faster(self) -> bool:
        """Whether pictures arrive much faster than they were filmed. Those of a film do, those of a camera do not."""
        if self._first_at is None:
            return False
        return self.reached > time.monotonic() - self._first_at + _BURST[self._address.kind]

    @property
    def complaint(self) -> str:
        """ffmpeg's last error message; empty if it had none."""
        return self._lines[-1] if self._lines else ""

    def poll(self, wait_sec: float) -> bool:
        """Read what ffmpeg reports, and wait at most `wait_sec` for it.

        Returns False once ffmpeg has ended and everything that it reported is read.
        """
        if not self._selector.get_map():
            return self._process.poll() is None and not time.sleep(wait_sec)
        for key, _ in self._selector.select(wait_sec):
            pipe: IO[bytes] = key.fileobj  # type: ignore[assignment]
            data = os.read(pipe.fileno(), 2**16)
            if not data:
                self._selector.unregister(pipe)
            self._take(key.fd, data, key.data)
        return bool(self._selector.get_map()) or self._process.poll() is None

    def closed(self) -> list[RecordedSegment]:
        """Return the files that were completed since the last call."""
        new: list[RecordedSegment] = []
        for segment in self._list.new():
            # ffmpeg lists a file without a picture too, if it was ended before the first one.
            if segment.end > segment.start or _holds_video(segment.path):
                new.append(segment)
            else:
                segment.path.unlink(missing_ok=True)
        self.reached = max([self.reached, *(segment.end for segment in new)])
        return new

    def unlisted(self) -> list[RecordedSegment]:
        """Return readable files that ffmpeg could not list because it was killed."""
        return left_over(self._list.file)

    def discard(self) -> None:
        """End the connection and remove its files."""
        self.close()
        for path in self._folder.glob(f"{self._list.file.stem}-*{SUFFIX}"):
            path.unlink()

    def pause(self) -> None:
        """Stop reading from the source."""
        if not self._is_paused:
            self._is_paused = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on reading after `pause`."""
        if self._is_paused:
            self._is_paused = False
            # The time of the pause must not count as a stall of the source.
            self.moved_at = time.monotonic()
            self._signal(signal.SIGCONT)

    def finish(self) -> None:
        """Ask ffmpeg to end; it completes the current file."""
        self._is_ending = True
        self.resume()
        self._signal(signal.SIGTERM)

    def stall(self, seconds: float) -> None:
        """End a connection that brought no picture for this many seconds."""
        self.close()
        self._lines.append(f"no picture for {seconds:g} s")

    def close(self) -> int:
        """End the process, by force if it does not end itself. Returns its exit status."""
        # A paused process would get the signal only when it is resumed.
        self.resume()
        for wait in (_WAIT_AFTER_FIRST, _WAIT_AFTER_SECOND):
            self._signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait)
                break
            # While it waits for its source, ffmpeg ignores the first signal. At the second it completes its file.
        else:
            self._process.kill()
        status = self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()
        self._selector.close()
        return status

    def _signal(self, number: int) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)

    def _take(self, number: int, data: bytes, line_taken: Callable[[str], None]) -> None:
        *lines, rest = (self._buffers.get(number, b"") + data).split(b"\n")
        # Bounded, because an endless line of a broken source would fill the memory.
        self._buffers[number] = rest[-(2**14) :]
        for line in lines:
            line_taken(line.decode(errors="replace").rstrip())

    def _progress(self, line: str) -> None:
        name, _, value = line.partition("=")
        if name != "out_time_us" or not value.lstrip("-").isdigit():
            return
        reached = int(value) / 1e6
        if reached <= self.reached:
            return
        self.reached, self.moved_at = reached, time.monotonic()
        # Pictures may wait in a buffer and arrive late, so the earliest start is the right one.
        start = datetime.now(UTC) - timedelta(seconds=reached)
        self._first_wall = min(start, self._first_wall or start)
        self._first_at = self._first_at or time.monotonic()

    def _complained(self, line: str) -> None:
        level, said = found.groups() if (found := _LINE.match(line)) else ("", line)
        if (found := _DURATION.match(said)) and found[1]:
            self._states(int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]))
        elif found := _RANGE.match(said):
            self._states(float(found[2]) - float(found[1]))
        elif (found := _CREATED.match(said)) and not self.created:
            self.created = found[1]
        elif _HLS.match(said):
            self.is_hls = True
        elif found := _OPENED.match(said):
            # While it ends, ffmpeg may open one more segment and record nothing in it.
            if not self._is_ending and not urlsplit(found[1]).path.endswith((".m3u8", ".m3u")):
                # ffmpeg tries a missed segment several times before it goes on to the next one.
                if self.missed is not None and found[1] != self._opened_last:
                    self.skipped.append(self.missed)
                    self.missed = None
                self._opened_last = found[1]
                self.opened.append(found[1])
        elif found := _MISSED.match(said):
            self.missed = int(found[1])
        elif level in _WRONG:
            if self._address.script:
                said = said.replace("pipe:0", self._address.shown)
            self._lines.append(without_secrets(said.replace(self._address.opened, self._address.shown)))

    def _states(self, length: float) -> None:
        """Set the length of a film. Some cameras state a length of 0 (npt=0-0), which means that it is unknown."""
        if length > 0:
            self.duration_s = length


class SegmentList:
    """The list of complete files, to which ffmpeg appends a line for each.

    Only what was added is read, because `new` is called several times a second.
    """

    def __init__(self, file: Path) -> None:
        """file: the list, which need not exist yet."""
        self.file = file
        self._taken = 0

    def new(self) -> list[RecordedSegment]:
        """Return the lines added since the last call. An incomplete line is left for the next call."""
        try:
            if self.file.stat().st_size <= self._taken:
                return []
        except FileNotFoundError:
            return []
        with self.file.open("rb") as file:
            file.seek(self._taken)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._taken += len(whole)
        return _segments(self.file.parent, whole.decode("utf-8", "replace"))


def list_name(number: int) -> str:
    """Return the file name of the list of a connection's segments."""
    return f"c{number:04d}.csv"


def listed(file: Path) -> list[RecordedSegment]:
    """Return the complete files in a list that ffmpeg writes, without a line that is not complete yet."""
    return SegmentList(file).new()


def left_over(file: Path) -> list[RecordedSegment]:
    """Return readable files of a connection that its list lacks, in order. Files that cannot be read are removed."""
    known = listed(file)
    end = known[-1].end if known else 0.0
    names = {segment.path.name for segment in known}
    found: list[RecordedSegment] = []
    for path in sorted(file.parent.glob(f"{file.stem}-*{SUFFIX}")):
        # ffmpeg lists its files in order, so only files after the last listed one can be left over.
        if path.name in names or (known and path.name < known[-1].path.name):
            continue
        seconds = _length(path)
        if seconds:
            found.append(RecordedSegment(path, end, end + seconds, _closed(path)))
            end += seconds
        else:
            path.unlink(missing_ok=True)
    return found


def _segments(folder: Path, lines: str) -> list[RecordedSegment]:
    rows = [row for row in csv.reader(lines.splitlines()) if len(row) == 3]
    return [
        RecordedSegment(folder / name, float(start), float(end), _closed(folder / name)) for name, start, end in rows
    ]


def _closed(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return datetime.now(UTC)


def _holds_video(path: Path) -> bool:
    try:
        return probe(path).has_video
    except AmrError:
        return False


def _length(path: Path) -> float:
    """Return how many seconds of a file can be read. A Matroska file that was cut off does not state its length."""
    if not _holds_video(path):
        return 0.0
    command = [
        *("ffprobe", "-v", "error", "-select_streams", "v:0"),
        *("-show_entries", "packet=pts_time", "-of", "csv=p=0", str(path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=APART)
    times = [float(line.rstrip(",")) for line in done.stdout.splitlines() if re.fullmatch(r"[\d.]+,?", line)]
    return max(times, default=0.0) - min(times, default=0.0)


def _command(address: Address, folder: Path, number: int, *, target_sec: float, options: Sequence[str]) -> list[str]:
    # Stored as they come, which takes next to no time. Only the raw pictures of a device have to be encoded.
    pictures = ["-c", "copy", *_MENDED] if address.is_encoded else _encoding(target_sec)
    reads_stdin = address.kind == "stdin" or address.script
    level = "level+verbose" if address.script else "level+info"  # the description of an RTSP stream is verbose
    return [
        *("ffmpeg", "-hide_banner", "-nostats", "-loglevel", level, "-y"),
        *([] if reads_stdin else ["-nostdin"]),
        *("-analyzeduration", _PROBED, "-max_alloc", _LARGEST_PIECE),
        *options,
        *address.input_arguments(),
        *("-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn", *pictures),
        *("-f", "segment", "-segment_time", f"{target_sec:g}", "-segment_format", "matroska"),
        # Short clusters, written at once, so that little is lost if ffmpeg is killed.
        *("-segment_format_options", "cluster_time_limit=500:flush_packets=1"),
        *("-reset_timestamps", "1", "-segment_list_type", "csv", "-segment_list", str(folder / list_name(number))),
        *("-progress", "pipe:1", "-stats_period", "0.25"),
        str(folder / f"{Path(list_name(number)).stem}-%06d{SUFFIX}"),
    ]


def _encoding(target_sec: float) -> list[str]:
    """Return arguments to encode a device's raw pictures, with a key frame at the start of each clip."""
    keys = f"expr:gte(t,n_forced*{target_sec:g})"
    return ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-force_key_frames", keys, "-c:a", "aac"]


def _started(command: Sequence[str], *, piped: bool) -> subprocess.Popen[bytes]:
    launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *command]
    if not which(command[0]):
        raise ToolError("ffmpeg is not installed", hint="install it: apt-get install ffmpeg, or brew install ffmpeg")
    return subprocess.Popen(
        launch,
        stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=APART,
    )


def _pump(source: BinaryIO, pipe: IO[bytes] | None) -> None:
    """Copy what arrives as soon as it arrives, until the source or the pipe ends."""
    assert pipe  # noqa: S101 - it is piped
    # `read` would wait for a full buffer, which takes seconds at a low bit rate.
    take = source.read1 if isinstance(source, BufferedReader) else source.read
    try:
        while data := take(2**16):
            pipe.write(data)
            pipe.flush()
        pipe.close()
    except (BrokenPipeError, ValueError):  # the recording has ended
        return
