"""Recordings of live sources on this machine.

A process begins a recording and holds its lock. If the process is killed, the next run takes the recording up.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from amr_neo4j.domain.live import RecordedFile, Recording, SpooledClip
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.receipt import IngestOptions
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.files import private_folder
from amr_neo4j.ingest.segment import clip_id
from amr_neo4j.media import segmenter
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.live_address import Address
from amr_neo4j.media.live_source import LiveSource

if TYPE_CHECKING:
    from amr_neo4j.spool.live import LiveSpool

_MOMENTS = ("started_at", "recorded_at", "arrived_at")
_GAP = 1.0
"""If more seconds than this lie between two files, footage is missing. Shorter gaps are delays of the network."""
_SHORTEST_FILE = 0.001
"""The seconds given to a file with a single picture, which has no length. ffmpeg leaves one if it is killed."""
_NOTE = "recording.json"
"""A file in the recording's folder that describes it. If the spool's file is lost, only this note is left."""
_LOCK = ".lock"
"""A file in the recording's folder. Its process holds the lock, so that others can tell whether it is alive."""
_LOCK_TIMEOUT = 1.0
"""Seconds to wait for the lock. `is_held` in another process shares the lock, but for far less time than this."""


@dataclass(frozen=True, kw_only=True)
class Recordings:
    """The recordings on this machine.

    folder: the parent of all recordings' folders.
    films: (group_id, video_id) -> {path: clip} of the films that the graph has of a recording.
    target_sec: the length of a clip.
    reconnect_sec: how long a lost source is retried.
    zones: {place or name of a source: its time zone}, where no call names one.
    """

    spool: LiveSpool
    folder: Path
    films: Callable[[str, str], dict[str, SpooledClip]]
    target_sec: float
    reconnect_sec: float
    zones: Mapping[str, str]
    now: Callable[[], datetime]
    notify: Notify

    def begin(self, group_id: str, source: Address, how: IngestOptions, locks: ExitStack) -> Recording:
        """Begin a recording of a source and hold it until `locks` is closed. Raises InputError: its id is in use."""
        started = self.now()
        usual = f"{source.name}-{source.key[:4]}-{started:%Y%m%dT%H%M%SZ}"
        # The usual name has whole seconds, so a second recording within one gets a number.
        names = [how.video_id] if how.video_id else chain([usual], (f"{usual}-{number}" for number in count(2)))
        for video_id in names:
            folder = private_folder(folder_of(self.folder, group_id, video_id))
            new = Recording(
                group_id=group_id,
                video_id=video_id,
                source=source.shown,
                started_at=started,
                folder=str(folder),
                place=how.place,
                recorded_at=how.recorded_at,
            )
            zone = how.timezone or self.zones.get(how.place or source.name, "")
            found = replace(new, dated_by="given" if how.recorded_at else "", timezone=zone, wearer=how.wearer)
            if hold(folder, locks) and self.spool.begin(found):
                note_down(found)
                return found
        hint = "each run records a video of its own: choose another id, or leave it out"
        raise InputError(f"{how.video_id} is the id of an earlier recording", hint=hint)

    def source(self, address: Address, recording: Recording) -> LiveSource:
        """Return what records an address into the recording's folder and stores the state of the connection."""
        # A list, so that `stands` can replace the state. Only changes are stored.
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
        """Return recordings of dead earlier runs that may have clips left. They are held until `locks` is closed."""
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
        """Return the files that were cut but are not in the spool, because the process was killed in between."""
        folder = Path(recording.folder)
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
        """Add recordings to the spool that only their folder knows.

        The spool forgets them if its file is damaged and moved away. If the graph has a film of such a recording,
        that film is stored as done.
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


def folder_of(parent: Path, group_id: str, video_id: str) -> Path:
    """Return the folder of a recording. parent: of all recordings."""
    return parent / hashlib.sha256(f"{group_id}\0{video_id}".encode()).hexdigest()[:16]


def hold(folder: Path, locks: ExitStack) -> bool:
    """Hold a recording until `locks` is closed. Returns False if another process holds it."""
    # Asked first: FileLock would wait up to _LOCK_TIMEOUT seconds for the holder.
    if is_held(folder):
        return False
    try:
        locks.enter_context(FileLock(folder / _LOCK, timeout=_LOCK_TIMEOUT))
    except Timeout:
        return False
    return True


def is_held(folder: Path) -> bool:
    """Return whether a process holds a recording.

    This takes a shared lock for a moment, so that two processes that ask at the same time do not see each other.
    """
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
    """Write what is known of a recording to a file beside its films."""
    file = Path(recording.folder, _NOTE)
    # Written whole and then renamed, so that a kill never leaves half a note.
    part = file.with_suffix(".part")
    part.write_text(json.dumps(asdict(recording), default=datetime.isoformat))
    part.replace(file)


def _noted(file: Path) -> Recording | None:
    """Return the recording that a note describes; None if the note is damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(file.read_text())
        moments = {name: datetime.fromisoformat(found[name]) for name in _MOMENTS if found[name]}
        return Recording(**found | moments | {"folder": str(file.parent)})
    return None


def known_by(recording: Recording, cut: RecordedFile, source: LiveSource) -> Recording:
    """Return the recording with what its first clip shows: the clocks, and the size and rate of its pictures."""
    found = probe(cut.path)
    clocks = picked(source, "recorded_at", "arrived_at", "dated_by")
    return replace(recording, **clocks, **picked(found, "width", "height", "fps"))


def spooled(recording: Recording, cut: RecordedFile, now: datetime) -> SpooledClip:
    """Return a recorded file as a clip of the spool."""
    ended = recording.arrived_at + timedelta(seconds=cut.end) if recording.arrived_at else None
    known_as, where = clip_id(cut.start, cut.end), str(cut.path)
    return SpooledClip(
        video_id=recording.video_id,
        clip_id=known_as,
        path=where,
        t_start=cut.start,
        t_end=cut.end,
        received_at=now,
        state="received",
        ended_at=ended,
        notes=cut.notes,
    )


def clip_of(clip: SpooledClip) -> Clip:
    """Return a spooled clip as the ingest pipeline takes it."""
    return Clip(clip.clip_id, clip.t_start, clip.t_end, clip.path, 0.0)


def video_of(recording: Recording) -> Video:
    """Return a recording as a video."""
    begun = f"{recording.source} {recording.started_at.timestamp()}"
    return Video(
        recording.group_id,
        recording.video_id,
        uri=recording.source,
        fingerprint=hashlib.sha256(begun.encode()).hexdigest()[:16],
        **picked(recording, "fps", "width", "height", "recorded_at", "place", "dated_by", "timezone", "wearer"),
    )


def _placed(segment: segmenter.RecordedSegment, end: float, arrived_at: datetime | None) -> RecordedFile:
    """Return a file with its start and end in seconds of the recording.

    end: where the clips known so far end. The file follows there, unless its own clock shows a gap.
    """
    length, start = segment.end - segment.start, end
    if arrived_at:
        begun = (segment.closed_at - arrived_at).total_seconds() - length
        start = round(begun, 3) if begun - end > _GAP else end
    return RecordedFile(segment.path, start, round(start + max(length, _SHORTEST_FILE), 3), segment.closed_at)
