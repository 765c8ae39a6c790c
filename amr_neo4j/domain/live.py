"""Live sources: their recordings, the clips, and the state of both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

OnLag = Literal["wait", "drop", "sample"]
"""What happens to clips that arrive faster than they are analysed."""
State = Literal["received", "analysed", "committed", "failed", "dropped"]

SHORTEST_TAIL = 2.0
"""A remainder at the end of a recording that is shorter than this, in seconds, joins the clip before it."""


def shortest_tail(target_sec: float) -> float:
    """Return the seconds below which a remainder joins the clip before it: 2, but at most half a clip."""
    return min(SHORTEST_TAIL, target_sec / 2)


@dataclass(frozen=True)
class RecordedFile:
    """A file with a stretch of a live source.

    start, end: seconds of the recording.
    closed_at: when the file was complete.
    notes: what is missing before it, for example after a lost connection.
    """

    path: Path
    start: float
    end: float
    closed_at: datetime
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recording:
    """An uninterrupted run of recording one source, which becomes one video.

    source: the address of the source, without a password.
    started_at: when the recording began.
    recorded_at: wall clock of second 0; None if unknown.
    dated_by, timezone, wearer: as in Video.
    arrived_at: when second 0 arrived; None for a film that is sent as a file, and before the first clip.
    folder: where its clips are.
    """

    group_id: str
    video_id: str
    source: str
    started_at: datetime
    folder: str
    place: str = ""
    recorded_at: datetime | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    arrived_at: datetime | None = None
    dated_by: str = ""
    timezone: str = ""
    wearer: str = ""


@dataclass(frozen=True)
class SpooledClip:
    """A clip of a recording on this machine.

    ended_at: when its end arrived; None for a film that is sent as a file.
    """

    video_id: str
    clip_id: str
    path: str
    t_start: float
    t_end: float
    received_at: datetime
    state: State = "received"
    ended_at: datetime | None = None
    analysed_at: datetime | None = None
    searchable_at: datetime | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ClipReceipt:
    """What became of a clip, and when. None means unknown.

    state: received or analysed (on this machine); committed, failed, skipped or dropped (in the graph).
    t_start, t_end: seconds of the video.
    ended_at: when the clip's end arrived.
    searchable_at: when a search first found it; None as well if it has no event.
    """

    video_id: str
    clip_id: str
    state: str
    t_start: float
    t_end: float
    ended_at: datetime | None = None
    received_at: datetime | None = None
    analysed_at: datetime | None = None
    committed_at: datetime | None = None
    failed_at: datetime | None = None
    searchable_at: datetime | None = None
    events: int | None = None
    error: str | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether it still waits for its analysis or commit."""
        return self.state in ("received", "analysed")

    @property
    def behind_s(self) -> float | None:
        """Seconds from the end of the clip to its first search hit."""
        if self.ended_at is None or self.searchable_at is None:
            return None
        return round((self.searchable_at - self.ended_at).total_seconds(), 3)


@dataclass(frozen=True, kw_only=True)
class SourceStatus:
    """The state of a source's recording.

    running: starting, recording, reconnecting, finishing, ended, failed, or interrupted (its process is gone).
    last_clip, last_clip_ended_at: the latest committed clip.
    lag_s: while recording, seconds from the end of that clip until now.
    waiting, waiting_s: number and length of clips that are not committed yet.
    clips_per_s: average over the last minute.
    dropped_s: seconds that were dropped because analysis was behind.
    away_s: seconds that are missing because the source was unreachable.
    """

    source: str
    video_id: str
    running: str
    started_at: datetime
    seen_at: datetime | None
    last_clip: str | None
    last_clip_ended_at: datetime | None
    lag_s: float | None
    waiting: int
    waiting_s: float
    clips_per_s: float
    committed: int
    failed: int
    dropped: int
    dropped_s: float
    reconnects: int
    away_s: float
    error: str
