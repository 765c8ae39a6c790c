"""Records a live source as clips, cut as the pictures arrive. A lost connection is opened again."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import BinaryIO

from amr_neo4j.domain.live import RecordedFile
from amr_neo4j.domain.ports import Notify
from amr_neo4j.media.hls import HlsList, Resume
from amr_neo4j.media.live_address import Address
from amr_neo4j.media.recording_time import recording_time
from amr_neo4j.media.segmenter import RecordedSegment, Segmenter

_POLL = 0.25
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 30.0
_STALL = 20.0
"""A connection counts as lost after this many seconds without a picture."""
_SEGMENTS = 5
"""An HLS source is lost after this many segments' time without a picture, but not before _STALL."""
_ENDS_S = 5.0
"""After a request to end, a connection that brings no picture for this many seconds is closed."""
_MISSED_S = 1.0
"""A connection with a missing segment is ended once it has brought no picture for this many seconds."""
# If ffmpeg's error has one of these, another attempt would fail too.
_HOPELESS = (
    *("401 Unauthorized", "403 Forbidden", "404 Not Found", "Protocol not found", "not on whitelist"),
    *("Invalid argument", "Option not found", "No such file or directory", "matches no streams"),
    "Inappropriate ioctl for device",
)


class LiveSource:
    """Records one source. All methods are called from one thread.

    recorded_at: the wall clock of second 0; None if unknown, and before the first clip.
    dated_by: as in Video.
    arrived_at: when second 0 arrived; None if the source sends a film and not what happens now.
    reconnects: how often the connection came back.
    away_s: how many seconds are missing.
    error: why the recording ended early, else empty.
    """

    def __init__(
        self,
        address: Address,
        folder: Path,
        *,
        target_sec: float,
        reconnect_sec: float,
        notify: Notify,
        recorded_at: datetime | None = None,
        stdin: BinaryIO | None = None,
        state: Callable[[str], None] = lambda state: None,
        stall_sec: float = _STALL,
        first_wait_sec: float = _FIRST_WAIT,
        connect: Callable[..., Segmenter] = Segmenter,
    ) -> None:
        """folder: where the clips are written; it exists.
        reconnect_sec: how long to retry a lost connection; 0 for not at all.
        recorded_at: the wall clock of second 0, if it is known beforehand.
        stdin: what a source of kind "stdin" is read from.
        state: called with "recording" and "reconnecting".
        stall_sec: a connection counts as lost after this many seconds without a picture.
        first_wait_sec: the wait before the first retry. Each further wait is twice as long.
        connect: opens a connection.
        """
        self._address, self._folder = address, folder
        self._target = target_sec
        self._reconnect_sec, self._stall_sec = reconnect_sec, stall_sec
        self._notify, self._state, self._stdin = notify, state, stdin
        self._first_wait, self._connect = first_wait_sec, connect
        self.recorded_at = recorded_at
        self.arrived_at: datetime | None = None
        self.dated_by = "given" if recorded_at else ""
        self.reconnects, self.away_s, self.error = 0, 0.0, ""
        self._end = 0.0
        self._running: Segmenter | None = None
        self._list: HlsList | None = None

    def clips(self, stop: Event) -> Generator[RecordedFile]:
        """Yield the clips as they are cut, until the source ends, is lost for good, or `stop` is set.

        When `stop` is set, the current clip is completed first.
        Raises ToolError.
        """
        number, seen_at, wait = 0, time.monotonic(), self._first_wait
        attempts = 0
        while not stop.is_set():
            begin = self._list.resume() if self._list else Resume()
            why, is_hopeless = begin.why, False
            if begin.options is not None:
                number += 1
                running = self._running = self._connect(
                    self._address,
                    self._folder,
                    number,
                    target_sec=self._target,
                    stdin=self._stdin,
                    options=begin.options,
                )
                before = self._end
                try:
                    yield from self._recorded(running, stop, attempts=attempts, notes=begin.notes)
                finally:
                    status = running.close()
                    self._running = None
                if self._list and self._end == before:
                    self._list.undo()
                # The connection brought pictures, so the retries after the next loss begin with the shortest wait.
                if self._end > before:
                    seen_at, wait, attempts = time.monotonic(), self._first_wait, 0
                if stop.is_set() or self._is_over(running, status):
                    return
                why, is_hopeless = running.complaint or "the stream ended", self._is_hopeless(running)
            elif begin.is_over:
                return
            lost_for = time.monotonic() - seen_at
            if is_hopeless or lost_for + wait > self._reconnect_sec:
                self.error = "" if self._end and not self._reconnect_sec else f"lost: {why}"
                return
            if not attempts:
                self._notify(f"{self._address.shown}: {why}; trying again for up to {self._reconnect_sec:g} s")
            self._state("reconnecting")
            attempts += 1
            stop.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT if self._list is None else max(self._list.target_s, self._first_wait))

    def pause(self) -> None:
        """Stop reading from the source, because clips are not taken as fast as they come."""
        if self._running:
            self._running.pause()

    def resume(self) -> None:
        """Go on reading after `pause`."""
        if self._running:
            self._running.resume()

    def _recorded(
        self, running: Segmenter, stop: Event, *, attempts: int, notes: tuple[str, ...]
    ) -> Generator[RecordedFile]:
        """Yield the clips of one connection.

        attempts: how often it was tried after the connection before was lost; 0 for the first one.
        notes: put on the first clip.
        """
        base: float | None = None
        asked_to_end = alive = False
        while True:
            alive = running.poll(_POLL)
            if running.reached:
                self._state("recording")
            # The list shows that the stream began too late. It is not discarded once clips were passed on.
            if not self._follow_list(running) and base is None:
                running.discard()
                return
            if self._list and self._list.late_by:
                notes = (*notes, f"{self._list.late_by} segments of the list were gone before they were read")
                self._list.late_by = 0
            # A segment that is missing may still come, and ffmpeg would go on without it.
            is_missed = (
                bool(self._reconnect_sec)
                and running.missed is not None
                and time.monotonic() - running.moved_at > _MISSED_S
            )
            if (stop.is_set() or is_missed) and not asked_to_end:
                asked_to_end = True
                running.finish()
            patience = _ENDS_S if asked_to_end else self._patience
            if alive and time.monotonic() - running.moved_at > patience:
                running.stall(patience)
            for segment in (*running.closed(), *(() if alive else running.unlisted())):
                # Only now, because the first file tells when the pictures really began to arrive.
                if base is None:
                    base = self._base(running, segment)
                    if self._end:
                        self.reconnects += 1
                        gap = f"{base + segment.start - self._end:.0f} s before this clip"
                        notes = (f"the source was lost for about {gap} ({max(attempts, 1)} attempts)", *notes)
                skipped = [f"segment {running.skipped.pop(0)} of the list was missing" for _ in [*running.skipped]]
                yield self._cut(segment, base, (*notes, *skipped))
                notes = ()
            if not alive:
                return

    def _follow_list(self, running: Segmenter) -> bool:
        """Note which segments of an HLS source are read, so that the next connection begins after them.

        Returns False if the connection began too late in the list and has to be given up.
        """
        if running.is_hls:
            self._list = self._list or HlsList(self._address.opened)
            while running.opened:
                if not self._list.opened(running.opened.popleft()):
                    return False
            if running.missed is not None:
                self._list.missed(running.missed)
        return True

    @property
    def _patience(self) -> float:
        """The seconds without a picture after which a connection counts as lost. A segment brings many at once."""
        return max(self._stall_sec, _SEGMENTS * self._list.target_s) if self._list else self._stall_sec

    def _base(self, running: Segmenter, segment: RecordedSegment) -> float:
        """Return the second of the recording at which a connection begins."""
        start = running.wall_start or segment.closed_at - timedelta(seconds=segment.end)
        if not self._end:
            self._begin(running, start)
            return 0.0
        # A film continues where it broke off. A camera has lost the time between the connections.
        if self.arrived_at is None:
            return self._end
        return max(self._end, (start - self.arrived_at).total_seconds())

    def _begin(self, running: Segmenter, start: datetime) -> None:
        """Set the clocks of the recording. start: when its second 0 arrived."""
        is_film = self._address.kind == "stdin" or running.duration_s is not None or running.is_faster
        self.arrived_at = None if is_film else start
        if self.recorded_at is None:
            if not is_film:
                self.recorded_at, self.dated_by = start, "arrival"
            elif stated := recording_time(Path(), running.created, datetime.now(UTC)):
                self.recorded_at, self.dated_by = stated

    def _cut(self, segment: RecordedSegment, base: float, notes: tuple[str, ...]) -> RecordedFile:
        # Clips never overlap, even if the clocks of two connections disagree.
        start = max(self._end, round(base + segment.start, 3))
        # No clip is empty, even if rounding would leave it no length.
        end = max(start + 0.001, round(base + segment.end, 3))
        if gap := round(start - self._end, 1) if self._end else 0.0:
            self.away_s += gap
        self._end = end
        return RecordedFile(segment.path, start, end, segment.closed_at, notes)

    def _is_over(self, running: Segmenter, status: int) -> bool:
        """Return whether the source has come to its end, and was not lost."""
        if self._list and status == 0 and self._list.resume().is_over:
            return True
        return self._address.kind == "stdin" or (status == 0 and running.duration_s is not None)

    def _is_hopeless(self, running: Segmenter) -> bool:
        # Only before the first picture: a source that worked once may come back.
        return not self._end and any(words in running.complaint for words in _HOPELESS)
