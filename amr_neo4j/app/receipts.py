"""Receipts of clips, the state of live sources, and how soon a search finds a clip."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.app.live_recordings import is_held
from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.live import ClipReceipt, Recording, SourceStatus, SpooledClip
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import EventReader, Notify
from amr_neo4j.domain.recall import Hit, Scope
from amr_neo4j.domain.receipt import IngestReport, Receipt
from amr_neo4j.errors import StoreUnavailable

if TYPE_CHECKING:
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.store.read.receipts import ReceiptReader

_OVER = ("ended", "failed")
_MINUTE = 60.0
# Seconds between two searches for a clip, and until they are given up.
_PATIENCE, _GIVE_UP = 0.02, 5.0
_MOST_HITS = 50
# Seconds between two looks at receipts that are waited for.
_POLL = 0.5


@dataclass(frozen=True, kw_only=True)
class Receipts:
    """What became of clips, for any group.

    graph: group_id -> reader of the group's receipts.
    live: returns the spool of live sources on this machine; None if there is none.
    """

    graph: Callable[[str], ReceiptReader]
    live: Callable[[], LiveSpool | None]
    now: Callable[[], datetime]
    notify: Notify

    def of(self, group_id: str, video_id: str, asked: PageRequest, *, wait_s: float = 0.0) -> Page[ClipReceipt]:
        """Return the latest receipts of a video, or without one of the group, oldest first.

        The page after this one has older receipts.

        wait_s: how many seconds to wait at most until none of these clips waits for analysis or commit any more.
        """
        until = time.monotonic() + wait_s
        while True:
            found = self._now(group_id, video_id, asked)
            is_done = not any(each.is_waiting for each in found)
            if is_done or time.monotonic() >= until:
                return found
            time.sleep(_POLL)

    def _now(self, group_id: str, video_id: str, asked: PageRequest) -> Page[ClipReceipt]:
        reader, live = self.graph(group_id), self.live()
        stored, total = (reader.of_video(video_id), 0) if video_id else reader.latest(asked.end)
        found = {(each.video_id, each.clip_id): each for each in stored}
        if live:
            # -1 is no limit to SQLite: all clips of the video.
            for clip in live.clips(group_id, video_id or None, limit=-1 if video_id else asked.end):
                known = found.get((clip.video_id, clip.clip_id))
                found[clip.video_id, clip.clip_id] = _joined(known, clip)
            # The others are in the graph, too.
            total += len(live.clips(group_id, states=("received", "analysed")))
        whole = sorted(found.values(), key=lambda each: (_seconds(each), each.video_id, each.t_start))
        last = len(whole) - asked.start
        page = whole[max(0, last - asked.limit) : max(0, last)]
        return asked.part(page, len(whole) if video_id else max(total, len(whole)))

    def status(self, group_id: str, *, every: bool, from_disk: bool = False) -> list[SourceStatus]:
        """Return the state of each source's latest recording, or with `every` of each recording, latest first.

        from_disk: do not ask the database. Then, or if it is unreachable, the counts come from the spool alone.
        """
        live = self.live()
        if not live:
            return []
        recordings = live.recordings(group_id)
        if not every:
            latest: dict[str, tuple[Recording, dict[str, Any]]] = {}
            for recording, stands in recordings:
                # The latest recordings come first, so the first one of a source stays.
                latest.setdefault(recording.source, (recording, stands))
            recordings = list(latest.values())
        counts: dict[str, dict[str, Any]] = {}
        try:
            if not from_disk:
                counts = self.graph(group_id).counts([each.video_id for each, _ in recordings])
        except StoreUnavailable as error:
            self.notify(f"the graph is left out: {error.message}")
        now = self.now()
        return [
            _status(live, recording, stands, counts.get(recording.video_id, {}), now)
            for recording, stands in recordings
        ]


@dataclass(frozen=True, kw_only=True)
class FirstHit:
    """Measures how soon a search finds a committed clip. search: (group_id, text, limit, bounds) -> hits."""

    reader: EventReader
    search: Callable[[str, str, int, Bounds], Sequence[Hit]]
    live: Callable[[], LiveSpool | None]
    now: Callable[[], datetime]

    def add_to(self, group_id: str, receipt: Receipt, report: IngestReport) -> None:
        """Add to the report how long it took until a search found a committed clip."""
        if receipt.outcome == "committed" and receipt.node_ids:
            seconds = self.measure(group_id, receipt)
            if seconds is not None:
                report.found_after(seconds)

    def measure(self, group_id: str, receipt: Receipt) -> float | None:
        """Repeat a search for the first event of a committed clip until it finds the clip.

        Returns the seconds since the end of a live clip, or since this call for other clips. Returns None if the clip
        has no event, or is not found within five seconds.
        """
        scope = Scope(group_id, (receipt.video_id,))
        begun = time.monotonic()
        events = self.reader.events(receipt.node_ids[:1], scope)
        if not events:
            return None
        bounds = Bounds(videos=[receipt.video_id], since=receipt.t_start, until=receipt.t_end)
        while True:
            hits = self.search(group_id, events[0].summary_text, _MOST_HITS, bounds)
            if any(hit.event.node_id in receipt.node_ids for hit in hits):
                # A live clip is timed from its own end. Other clips have none on the wall clock.
                return self._found(group_id, receipt) or time.monotonic() - begun
            if time.monotonic() - begun >= _GIVE_UP:
                return None
            time.sleep(_PATIENCE)

    def _found(self, group_id: str, receipt: Receipt) -> float | None:
        """Store that a search has found a live clip. Returns the seconds since its end; None if it is not live."""
        live, now, key = self.live(), self.now(), (group_id, receipt.video_id, receipt.clip_id)
        clip = live.clip(*key) if live else None
        if live is None or clip is None:
            return None
        live.found(*key, now)
        return (now - clip.ended_at).total_seconds() if clip.ended_at else None


def _status(
    live: LiveSpool, recording: Recording, stands: dict[str, Any], graph: dict[str, Any], now: datetime
) -> SourceStatus:
    """Return the state of a recording.

    stands: its state in the spool.
    graph: counts of its clips in the graph; empty if there are none.
    """
    key = (recording.group_id, recording.video_id)
    running = stands["running"]
    # No process holds the lock: the one that recorded was killed.
    if running not in _OVER and not is_held(Path(recording.folder)):
        running = "interrupted"
    waiting, last, counts = live.waiting(*key), live.last_done(*key), live.counts(*key)
    dropped, dropped_s = counts.get("dropped", (0, 0.0))
    is_live = running in ("recording", "reconnecting", "finishing")
    lag = (now - last.ended_at).total_seconds() if is_live and last and last.ended_at else None
    return SourceStatus(
        source=recording.source,
        video_id=recording.video_id,
        running=running,
        started_at=recording.started_at,
        seen_at=stands["seen_at"],
        last_clip=last.clip_id if last else None,
        last_clip_ended_at=last.ended_at if last else None,
        lag_s=None if lag is None else round(lag, 1),
        waiting=len(waiting),
        waiting_s=round(sum(clip.t_end - clip.t_start for clip in waiting), 1),
        clips_per_s=round(live.rate(*key, now - timedelta(seconds=_MINUTE)) / _MINUTE, 3),
        committed=graph.get("committed", counts.get("committed", (0, 0.0))[0]),
        failed=graph.get("failed", counts.get("failed", (0, 0.0))[0]),
        dropped=graph.get("dropped", dropped),
        dropped_s=round(graph.get("dropped_sec", dropped_s), 1),
        reconnects=stands["reconnects"],
        away_s=round(stands["away_s"], 1),
        error=stands["error"],
    )


def _joined(known: ClipReceipt | None, clip: SpooledClip) -> ClipReceipt:
    """Return the graph's receipt of a clip, completed with the times that only the spool has."""
    known = known or ClipReceipt(**picked(clip, "video_id", "clip_id", "state", "t_start", "t_end"))
    times = {name: getattr(known, name) or getattr(clip, name) for name in ("received_at", "analysed_at")}
    return replace(known, **times, ended_at=clip.ended_at, searchable_at=clip.searchable_at)


def _seconds(receipt: ClipReceipt) -> float:
    # Only clips of live sources have a time of arrival.
    moment = receipt.received_at or receipt.committed_at or receipt.failed_at
    return moment.timestamp() if moment else 0.0
