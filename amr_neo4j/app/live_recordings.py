"""Recordings of live sources on this machine.

A recording is begun and held by a process. The next run takes it up if that process was killed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from amr_neo4j.domain.live import OnLag, RecordedFile, Recording, SpooledClip
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.files import private_folder
from amr_neo4j.ingest.segment import clip_id
from amr_neo4j.media import segmenter
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.live_address import Address
from amr_neo4j.media.live_source import JOINED, LiveSource

if TYPE_CHECKING:
    from amr_neo4j.spool.live import LiveSpool

_MOMENTS = ("started_at", "recorded_at", "arrived_at")
_GAP = 1.0
"""Seconds from which on a stretch between two files is missing, and not only the delay of the network."""
_SHORTEST = 0.001
"""Seconds that count for a file of one picture, which has no length: ffmpeg was killed while it wrote it."""
_NOTE = "recording.json"
"""In a recording's folder, what is known of it: all that is left if the spool's file is lost."""
_LOCK = ".lock"
"""In a recording's folder: its process holds it, so that others see whether that process lives."""
_ASKED = 1.0
"""Seconds for which those who only ask may share a lock: far more than they take."""


@dataclass(frozen=True)
class LiveOptions:
    """Of one call; see Memory.ingest."""

    place: str = ""
    video_id: str = ""
    recorded_at: datetime | None = None
    on_lag: OnLag = "wait"


@dataclass(frozen=True, kw_only=True)
class Recordings:
    """The recordings of this machine.

    folder: of all of them. films: (group_id, video_id) -> the films that the graph has of a recording, by file.
    target_sec: the length of a clip. reconnect_sec: how long a source that is lost is tried again.
    """

    spool: LiveSpool
    folder: Path
    films: Callable[[str, str], dict[str, SpooledClip]]
    target_sec: float
    reconnect_sec: float
    now: Callable[[], datetime]
    notify: Notify

    def begin(self, group_id: str, source: Address, how: LiveOptions, locks: ExitStack) -> Recording:
        """A new recording of a source, held until `locks` is closed. Raises InputError: its id is in use."""
        started = self.now()
        usual = f"{source.name}-{source.key[:4]}-{started:%Y%m%dT%H%M%SZ}"
        names = [how.video_id] if how.video_id else chain([usual], (f"{usual}-{number}" for number in count(2)))
        for video_id in names:
            folder = private_folder(self.folder / _folder_name(group_id, video_id))
            new = Recording(group_id, video_id, source.shown, started, str(folder), how.place, how.recorded_at)
            found = replace(new, dated_by="given" if how.recorded_at else "")
            if hold(folder, locks) and self.spool.begin(found):
                note_down(found)
                return found
        hint = "each run records a video of its own: choose another id, or leave it out"
        raise InputError(f"{how.video_id} is the id of an earlier recording", hint=hint)

    def source(self, address: Address, recording: Recording) -> LiveSource:
        """What records an address into the recording's folder, and stores how it stands."""
        known = ["starting"]

        def stands(running: str) -> None:
            if running != known[0]:
                known[0] = running
                self.spool.update(recording.group_id, recording.video_id, self.now(), running=running)

        return LiveSource(
            address,
            Path(recording.folder),
            target_sec=self.target_sec,
            reconnect_sec=self.reconnect_sec,
            notify=self.notify,
            recorded_at=recording.recorded_at,
            stdin=sys.stdin.buffer if address.kind == "stdin" else None,
            state=stands,
        )

    def left_behind(self, group_id: str, locks: ExitStack) -> list[Recording]:
        """The recordings of earlier, dead runs that may have clips left; held until `locks` is closed."""
        self._adopt(group_id)
        found: list[Recording] = []
        for recording, stands in self.spool.recordings(group_id):
            folder = Path(recording.folder)
            if stands["running"] in ("ended", "failed") or not folder.is_dir() or not hold(folder, locks):
                continue
            found.append(recording)
            self.notify(
                f"{recording.source}: clips that an earlier run left behind are taken up ({recording.video_id})"
            )
        return found

    def unnoted(self, recording: Recording) -> list[SpooledClip]:
        """The files that were cut but not stored in the spool: the process was killed in between."""
        folder = Path(recording.folder)
        for part in folder.glob(f"*{JOINED}"):
            part.unlink(missing_ok=True)
        known = self.spool.clips(recording.group_id, recording.video_id)
        names = {Path(clip.path).name for clip in known}
        end = max((clip.t_end for clip in known), default=0.0)
        found: list[SpooledClip] = []
        for file in sorted(folder.glob("c*.csv")):
            whole = segmenter.listed(file)
            for segment in [*whole, *segmenter.left_over(file)]:
                if segment.path.name in names or not segment.path.exists():
                    continue
                cut = _placed(segment, end, recording.arrived_at)
                found.append(spooled(recording, cut, self.now()))
                end = cut.end
        return found

    def _adopt(self, group_id: str) -> None:
        """Take up recordings that only their folder knows: the spool's file was damaged and moved away.

        Those of their films that are in the graph are done.
        """
        known = {each.folder for each, _ in self.spool.recordings(group_id)}
        for file in sorted(self.folder.glob(f"*/{_NOTE}")):
            recording = None if str(file.parent) in known else _noted(file)
            if recording is None or recording.group_id != group_id or is_held(file.parent):
                continue
            try:
                films = self.films(group_id, recording.video_id)
            except StoreUnavailable:
                self.notify(f"{recording.source}: an earlier recording is taken up once the database is back")
                return
            if self.spool.begin(recording):
                for path, clip in films.items():
                    if Path(path).parent == file.parent and Path(path).exists():
                        self.spool.receive(group_id, clip)


def hold(folder: Path, locks: ExitStack) -> bool:
    """Hold a recording until `locks` is closed; returns False if a process holds it already."""
    if is_held(folder):
        return False
    try:
        locks.enter_context(FileLock(folder / _LOCK, timeout=_ASKED))
    except Timeout:
        return False
    return True


def is_held(folder: Path) -> bool:
    """Whether a process holds a recording. Another one that only asks at the same time does not count."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def note_down(recording: Recording) -> None:
    """Store what is known of a recording beside its films."""
    file = Path(recording.folder, _NOTE)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(asdict(recording), default=datetime.isoformat))
    part.replace(file)


def _noted(file: Path) -> Recording | None:
    """The recording that a note describes; None if the note is damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(file.read_text())
        moments = {name: datetime.fromisoformat(found[name]) for name in _MOMENTS if found[name]}
        return Recording(**found | moments | {"folder": str(file.parent)})
    return None


def known_by(recording: Recording, cut: RecordedFile, source: LiveSource) -> Recording:
    """The recording with what its first clip tells: clocks, and the size and rate of its pictures."""
    found = probe(cut.path)
    return replace(
        recording,
        recorded_at=source.recorded_at,
        arrived_at=source.arrived_at,
        dated_by=source.dated_by,
        width=found.width,
        height=found.height,
        fps=found.fps,
    )


def spooled(recording: Recording, cut: RecordedFile, now: datetime) -> SpooledClip:
    """A clip as the spool keeps it."""
    ended = recording.arrived_at + timedelta(seconds=cut.end) if recording.arrived_at else None
    return SpooledClip(
        recording.video_id,
        clip_id(cut.start, cut.end),
        str(cut.path),
        cut.start,
        cut.end,
        now,
        "received",
        ended,
        notes=cut.notes,
    )


def clip_of(clip: SpooledClip) -> Clip:
    """A clip as ingestion takes it."""
    return Clip(clip.clip_id, clip.t_start, clip.t_end, clip.path, 0.0)


def video_of(recording: Recording) -> Video:
    """The video that a recording is."""
    begun = f"{recording.source} {recording.started_at.timestamp()}"
    return Video(
        recording.group_id,
        recording.video_id,
        uri=recording.source,
        fingerprint=hashlib.sha256(begun.encode()).hexdigest()[:16],
        fps=recording.fps,
        width=recording.width,
        height=recording.height,
        recorded_at=recording.recorded_at,
        place=recording.place,
        dated_by=recording.dated_by,
    )


def _folder_name(group_id: str, video_id: str) -> str:
    return hashlib.sha256(f"{group_id}\0{video_id}".encode()).hexdigest()[:16]


def _placed(segment: segmenter.RecordedSegment, end: float, arrived_at: datetime | None) -> RecordedFile:
    """A file at its seconds of the recording. end: of what is known of it."""
    length, start = segment.end - segment.start, end
    if arrived_at:
        begun = (segment.closed_at - arrived_at).total_seconds() - length
        start = round(begun, 3) if begun - end > _GAP else end
    return RecordedFile(segment.path, start, round(start + max(length, _SHORTEST), 3), segment.closed_at)
