"""The explorer's clip tool: cuts segments out of a video, exact to the frame, into a folder of limited size."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from amr_neo4j.domain.exploration import Segment, Span
from amr_neo4j.domain.view import Area
from amr_neo4j.errors import InputError, NoSpace
from amr_neo4j.files import private_folder
from amr_neo4j.media.ffmpeg import Stretch, encode, fingerprint, probe, probe_video, readable

MOST_BYTES = 2**30
_WIDEST = 1280
# A .part file that was not changed for this many seconds is abandoned: its run was killed.
_LEFT_S = 600
_VIDEO: dict[str, Any] = {"vcodec": "libx264", "preset": "ultrafast", "crf": 21, "pix_fmt": "yuv420p", "threads": 1}
_SOUND: dict[str, Any] = {"acodec": "aac", "audio_bitrate": "96k"}


class SegmentCutter:
    """Cuts segments out of one video. Thread-safe."""

    def __init__(
        self, path: Path | str, folder: Path, most_bytes: int = MOST_BYTES, *, mask: Sequence[Area] = ()
    ) -> None:
        """folder: where the segments are written; made if missing.
        most_bytes: the limit on all segments in it. Segments of earlier runs are removed to make room.
        mask: what is blacked out.
        Raises NoSuchFile, ToolError; InputError: no video stream, or an unknown duration.
        """
        self.path = readable(path)
        self._found = probe_video(self.path, "name a video; sound alone is not explored")
        if not self._found.duration_s:
            hint = "repair it: ffmpeg -i FILE -c copy repaired.mkv"
            raise InputError(f"the duration of {self.path} is unknown", hint=hint)
        self.duration_s = self._found.duration_s
        self.fingerprint = fingerprint(self.path)
        self.mask = tuple(mask)
        self._folder = private_folder(folder.absolute())
        self._remove_left_parts()
        self._most_bytes = most_bytes
        self._own: set[Path] = set()
        self._lock = Lock()

    @property
    def size(self) -> tuple[int, int, float]:
        """Width and height of the video in pixels, and its frames a second."""
        return self._found.width, self._found.height, self._found.fps or 0.0

    @property
    def has_sound(self) -> bool:
        """Whether the video has a sound track."""
        return self._found.has_audio

    def __call__(self, span: Span) -> Segment:
        """Return the segment of a range: from the first frame at or after its start to the last one before its end.

        A segment that was cut before is reused. Raises InputError: nothing can be decoded there; NoSpace.
        """
        file = self._folder / self._name(span)
        reused = file.is_file()
        if not reused:
            self._cut(span, file)
        size = file.stat().st_size
        with self._lock:
            # Segments of this run are in use, so they are never removed to make room.
            self._own.add(file)
            self._keep_to_budget(file)
        return Segment(str(file), span, size, reused)

    def clip_video_segment(self, start_s: float, end_s: float) -> Segment:
        """Return the segment from `start_s` to `end_s`, as a call of this object does.

        Raises the same errors; InputError also if the range is empty or outside of the video.
        """
        try:
            span = Span(start_s, min(end_s, self.duration_s))
        except ValueError as error:
            raise InputError(str(error), hint=f"the video has {self.duration_s:g} s") from error
        return self(span)

    def _name(self, span: Span) -> str:
        # With the fingerprint, so that a video whose content has changed gets no segments of the old one.
        hidden = f"_{hashlib.sha256(str(self.mask).encode()).hexdigest()[:8]}" if self.mask else ""
        return f"segment_{self.fingerprint[:8]}{hidden}_{round(span.start_s * 1000)}_{round(span.end_s * 1000)}.mp4"

    def _cut(self, span: Span, file: Path) -> None:
        """Encode into a part and rename it, so that an interrupted cut leaves no broken segment."""
        part = file.with_name(f"{file.stem}.{os.getpid()}.part")
        stretch = Stretch(self.path, self._found, span.start_s, span.seconds, mask=self.mask)
        video = stretch.video.filter("scale", f"trunc(min({_WIDEST},iw)/2)*2", -2)
        streams = [video, stretch.sound] if stretch.sound else [video]
        options = {**_VIDEO, **(_SOUND if self._found.has_audio else {})}
        try:
            encode(streams, part, self.path, format="mp4", movflags="+faststart", **options)
            if not probe(part).has_video:
                hint = "check that it plays there; it may be truncated"
                raise InputError(f"{self.path.name} has no decodable video from {span.start_s:g} s on", hint=hint)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)

    def _remove_left_parts(self) -> None:
        """Remove parts that killed runs left. Fresh parts may belong to another run, which is still writing."""
        for part in self._folder.glob("segment_*.part"):
            with suppress(FileNotFoundError):
                if time.time() - part.stat().st_mtime > _LEFT_S:
                    part.unlink()

    def _keep_to_budget(self, newest: Path) -> None:
        """Remove segments of earlier runs, the oldest first, until the rest fits. Raises NoSpace if it cannot."""
        files = {file: file.stat() for file in self._folder.glob("segment_*.mp4")}
        total = sum(status.st_size for status in files.values())
        for file in sorted(files.keys() - self._own, key=lambda file: files[file].st_mtime):
            if total <= self._most_bytes:
                return
            file.unlink(missing_ok=True)
            total -= files[file].st_size
        if total > self._most_bytes:
            self._own.discard(newest)
            newest.unlink(missing_ok=True)
            limit = f"{self._most_bytes / 1e6:g} MB"
            raise NoSpace(f"the segments of this run need more than {limit}", hint="raise --disk-budget")
