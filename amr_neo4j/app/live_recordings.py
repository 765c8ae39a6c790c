"""Recordings of live sources on this machine: begun, held by their process, and taken up where that was killed."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.recording_lock import hold, is_held
from amr_neo4j.domain.live import OnLag, RecordedFile, Recording, SpooledClip
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.files import private_folder
from amr_neo4j.ingest.segment import clip_id
from amr_neo4j.media import segmenter
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.live_address import Address
from amr_neo4j.media.live_source import JOINED, LiveSource
from amr_neo4j.store.read.receipts import ReceiptReader

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_MOMENTS = ("started_at", "recorded_at", "arrived_at")
_GAP = 1.0
"""Seconds from which on a stretch between two files is missing, and not only the delay of the network."""
_SHORTEST = 0.001
"""Seconds of a file that ffmpeg was killed over: one picture has no length."""


_NOTE = "recording.json"
"""In its folder, what is known of a recording: all that is left of it where the spool's file is lost."""


@dataclass(frozen=True)
class LiveOptions:
    """Of one call; see Memory.ingest."""

    place: str = ""
    video_id: str = ""
    recorded_at: datetime | None = None
    on_lag: OnLag = "wait"


def begin(parts: Parts, source: Address, how: LiveOptions, locks: ExitStack) -> Recording:
    """A new recording of a source, held until `locks` is closed. Raises InputError: there is one of that id."""
    started = parts.now()
    usual = f"{source.name}-{source.key[:4]}-{started:%Y%m%dT%H%M%SZ}"
    names = [how.video_id] if how.video_id else chain([usual], (f"{usual}-{number}" for number in count(2)))
    for video_id in names:
        folder = private_folder(parts.live_folder / _folder_name(parts.group_id, video_id))
        new = Recording(parts.group_id, video_id, source.shown, started, str(folder), how.place, how.recorded_at)
        found = replace(new, dated_by="given" if how.recorded_at else "")
        if hold(folder, locks) and parts.live_spool.begin(found):
            note_down(found)
            return found
    hint = "each run records a video of its own: choose another id, or leave it out"
    raise InputError(f"{how.video_id} is the id of an earlier recording", hint=hint)


def live_source(parts: Parts, address: Address, recording: Recording) -> LiveSource:
    """What records the source into the recording's folder, and stores how it stands."""

    def stands(running: str) -> None:
        if running != known[0]:
            known[0] = running
            parts.live_spool.update(recording.group_id, recording.video_id, parts.now(), running=running)

    known = ["starting"]
    return LiveSource(
        address,
        Path(recording.folder),
        target_sec=parts.settings.target_clip_sec,
        reconnect_sec=parts.settings.live_reconnect_sec,
        notify=parts.notify,
        recorded_at=recording.recorded_at,
        stdin=sys.stdin.buffer if address.kind == "stdin" else None,
        state=stands,
    )


def left_behind(parts: Parts, locks: ExitStack) -> list[Recording]:
    """The recordings of earlier runs, now dead, that may have clips left; held until `locks` is closed."""
    _adopt(parts)
    found: list[Recording] = []
    for recording, stands in parts.live_spool.recordings(parts.group_id):
        folder = Path(recording.folder)
        if stands["running"] in ("ended", "failed") or not folder.is_dir() or not hold(folder, locks):
            continue
        found.append(recording)
        parts.notify(f"{recording.source}: clips that an earlier run left behind are taken up ({recording.video_id})")
    return found


def note_down(recording: Recording) -> None:
    """Store what is known of a recording beside its films."""
    file = Path(recording.folder, _NOTE)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(asdict(recording), default=datetime.isoformat))
    part.replace(file)


def _adopt(parts: Parts) -> None:
    """Take up recordings that only their folder knows: the spool's file was damaged and moved away.

    Of their films, those that are in the graph are done.
    """
    known = {each.folder for each, _ in parts.live_spool.recordings(parts.group_id)}
    for file in sorted(parts.live_folder.glob(f"*/{_NOTE}")):
        recording = None if str(file.parent) in known else _noted(file)
        if recording is None or recording.group_id != parts.group_id or is_held(file.parent):
            continue
        try:
            films = ReceiptReader(parts.database, parts.group_id).films(recording.video_id)
        except StoreUnavailable:
            parts.notify(f"{recording.source}: an earlier recording is taken up once the database is back")
            return
        if parts.live_spool.begin(recording):
            for path, clip in films.items():
                if Path(path).parent == file.parent and Path(path).exists():
                    parts.live_spool.receive(parts.group_id, clip)


def _noted(file: Path) -> Recording | None:
    """The recording of a note; None where it is damaged."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        found = json.loads(file.read_text())
        moments = {name: datetime.fromisoformat(found[name]) for name in _MOMENTS if found[name]}
        return Recording(**found | moments | {"folder": str(file.parent)})
    return None


def unnoted(parts: Parts, recording: Recording) -> list[SpooledClip]:
    """The files that were cut but not stored in the spool: the process was killed in between."""
    folder = Path(recording.folder)
    for part in folder.glob(f"*{JOINED}"):
        part.unlink(missing_ok=True)
    known = parts.live_spool.clips(recording.group_id, recording.video_id)
    names = {Path(clip.path).name for clip in known}
    end = max((clip.t_end for clip in known), default=0.0)
    found: list[SpooledClip] = []
    for file in sorted(folder.glob("c*.csv")):
        whole = segmenter.listed(file)
        for segment in [*whole, *segmenter.left_over(file)]:
            if segment.path.name in names or not segment.path.exists():
                continue
            cut = _placed(segment, end, recording.arrived_at)
            found.append(spooled(recording, cut, parts.now()))
            end = cut.end
    return found


def known_by(recording: Recording, cut: RecordedFile, source: LiveSource) -> Recording:
    """With what the first clip tells: the clocks and the pictures."""
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
