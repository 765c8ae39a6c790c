"""Receipts and the state of sources, from the spool and the graph; and how long a clip takes to be found."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.app.recording_lock import is_held
from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.live import ClipReceipt, Recording, SourceStatus, SpooledClip
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.receipt import IngestReport, Receipt
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.store.read.receipts import ReceiptReader

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_OVER = ("ended", "failed")
_MINUTE = 60.0
_PATIENCE, _GIVE_UP = 0.02, 5.0
_MOST_HITS = 50
_POLL = 0.5


def receipts(parts: Parts, video_id: str, limit: int) -> list[ClipReceipt]:
    """The receipts of a video, or the latest of the group, in order of time."""
    reader = ReceiptReader(parts.database, parts.group_id)
    found = {_key(each): each for each in (reader.of_video(video_id) if video_id else reader.latest(limit))}
    if parts.live_file.exists():
        for clip in parts.live_spool.clips(parts.group_id, video_id or None, limit=-1 if video_id else limit):
            known = found.get((clip.video_id, clip.clip_id))
            found[clip.video_id, clip.clip_id] = _joined(known, clip)
    whole = sorted(found.values(), key=lambda each: (_seconds(each), each.video_id, each.t_start))
    return whole[-limit:]


def await_receipts(
    parts: Parts, video_id: str, limit: int, timeout_s: float, sleep: Callable[[float], None] = time.sleep
) -> list[ClipReceipt]:
    """The same, once no clip waits any more, or after so many seconds."""
    until = time.monotonic() + timeout_s
    while True:
        found = receipts(parts, video_id, limit)
        if not any(each.state in ("received", "analysed") for each in found) or time.monotonic() >= until:
            return found
        sleep(_POLL)


def status(parts: Parts, *, every: bool) -> list[SourceStatus]:
    """How the latest recording of each source stands, or each recording, the latest first."""
    if not parts.live_file.exists():
        return []
    recordings = parts.live_spool.recordings(parts.group_id)
    if not every:
        latest: dict[str, tuple[Recording, dict[str, Any]]] = {}
        for recording, stands in recordings:
            latest.setdefault(recording.source, (recording, stands))
        recordings = list(latest.values())
    try:
        counts = ReceiptReader(parts.database, parts.group_id).counts([each.video_id for each, _ in recordings])
    except StoreUnavailable as error:
        parts.notify(f"the graph is left out: {error.message}")
        counts = {}
    return [_status(parts, recording, stands, counts.get(recording.video_id)) for recording, stands in recordings]


def measure(parts: Parts, receipt: Receipt, report: IngestReport) -> None:
    """Add to the report how long a committed clip took to be found."""
    if receipt.outcome == "committed" and receipt.node_ids:
        seconds = measure_first_hit(parts, receipt)
        if seconds is not None:
            report.found_after(seconds)


def measure_first_hit(parts: Parts, receipt: Receipt, sleep: Callable[[float], None] = time.sleep) -> float | None:
    """Search for an event of a committed clip until it is found, and note down when that was.

    Returns seconds: from the end of the clip if it is of a live source, else from this call. None where the clip has
    no event, or none was found in five seconds.
    """
    from amr_neo4j.recall.pipeline import search  # noqa: PLC0415 - heavy

    scope = Scope(parts.group_id, (receipt.video_id,))
    begun = time.monotonic()
    events = parts.reader.events(receipt.node_ids[:1], scope)
    if not events:
        return None
    bounds = Bounds(videos=[receipt.video_id], since=receipt.t_start, until=receipt.t_end)
    until = time.monotonic() + _GIVE_UP
    while True:
        sources = parts.sources.of(bounds)
        hits = search(events[0].summary_text, sources, most=_MOST_HITS, limits=parts.limits)
        if any(hit.event.node_id in receipt.node_ids for hit in hits):
            return _found(parts, receipt) or time.monotonic() - begun
        if time.monotonic() >= until:
            return None
        sleep(_PATIENCE)


def _found(parts: Parts, receipt: Receipt) -> float | None:
    """Note down that a search found a live clip; returns seconds since its end."""
    if not parts.live_file.exists():
        return None
    now, key = parts.now(), (parts.group_id, receipt.video_id, receipt.clip_id)
    clip = parts.live_spool.clip(*key)
    if clip is None:
        return None
    parts.live_spool.found(*key, now)
    return (now - clip.ended_at).total_seconds() if clip.ended_at else None


def _status(
    parts: Parts, recording: Recording, stands: dict[str, Any], counted: dict[str, Any] | None
) -> SourceStatus:
    live, now = parts.live_spool, parts.now()
    key = (recording.group_id, recording.video_id)
    running = stands["running"]
    if running not in _OVER and not is_held(Path(recording.folder)):
        running = "interrupted"
    waiting, last, counts = live.waiting(*key), live.last_done(*key), live.counts(*key)
    graph = counted or {}
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
        dropped=graph.get("dropped", counts.get("dropped", (0, 0.0))[0]),
        dropped_s=round(graph.get("dropped_sec", counts.get("dropped", (0, 0.0))[1]), 1),
        reconnects=stands["reconnects"],
        away_s=round(stands["away_s"], 1),
        error=stands["error"],
    )


def _joined(known: ClipReceipt | None, clip: SpooledClip) -> ClipReceipt:
    """What the graph knows of a clip, and what only the spool does."""
    if known is None:
        return ClipReceipt(
            video_id=clip.video_id,
            clip_id=clip.clip_id,
            state=clip.state,
            t_start=clip.t_start,
            t_end=clip.t_end,
            ended_at=clip.ended_at,
            received_at=clip.received_at,
            analysed_at=clip.analysed_at,
            searchable_at=clip.searchable_at,
        )
    return replace(
        known,
        ended_at=clip.ended_at,
        received_at=known.received_at or clip.received_at,
        analysed_at=known.analysed_at or clip.analysed_at,
        searchable_at=clip.searchable_at,
    )


def _key(receipt: ClipReceipt) -> tuple[str, str]:
    return receipt.video_id, receipt.clip_id


def _seconds(receipt: ClipReceipt) -> float:
    moment = receipt.received_at or receipt.committed_at or receipt.failed_at
    return moment.timestamp() if moment else 0.0
