"""Checks of a group's data for amr doctor. Each returns what it found, or raises an AmrError with the remedy."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.errors import StoreError
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings

REPAIR = "run: amr doctor --repair"
_SHOWN = 5


def counters(settings: Settings) -> str:
    """No counter gives a number that is in use."""
    with Memory.connect(settings) as memory:
        if low := memory.integrity.low_counters():
            raise StoreError(f"counters below the numbers in use: {', '.join(low)}", hint=REPAIR)
    return "all are above the numbers in use"


def events(settings: Settings) -> str:
    """No event was deleted."""
    with Memory.connect(settings) as memory:
        if gone := memory.integrity.deleted_events():
            hint = f"restore a backup of the database; to go on without them, {REPAIR}"
            raise StoreError(f"{len(gone)} events were deleted: node_id {_some(gone)}", hint=hint)
        return f"{memory.stats().events} events, none was deleted outside of amr"


def receipts(settings: Settings) -> str:
    """Every event has the receipts of its clips."""
    with Memory.connect(settings) as memory:
        if lost := memory.integrity.lost_receipts():
            raise StoreError(f"{len(lost)} clips have events and no receipt: {_some(lost)}", hint=REPAIR)
    return "every event belongs to a clip"


def edges(settings: Settings) -> str:
    """The events of each video are one TEMPORAL chain."""
    with Memory.connect(settings) as memory:
        if broken := memory.integrity.broken_chains():
            raise StoreError(f"TEMPORAL edges of {len(broken)} videos are wrong: {_some(broken)}", hint=REPAIR)
    return "the events of each video are one chain"


def channels(settings: Settings) -> str:
    """The edges of all four channels are those that an ingest makes (--deep)."""
    with Memory.connect(settings) as memory:
        if wrong := memory.integrity.wrong_edges():
            raise StoreError(f"{wrong} edges are missing or superfluous", hint=REPAIR)
    return "all edges are those that an ingest makes"


def fulltext(settings: Settings) -> str:
    """The full-text indexes find every event, turn and fact (--deep)."""
    with Memory.connect(settings) as memory:
        if wrong := memory.integrity.incomplete_full_text():
            raise StoreError(f"not every text is found by {', '.join(wrong)}", hint=REPAIR)
    return "every event, turn and fact is found"


def _some(items: Sequence[object]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(map(str, items[:_SHOWN])) + more
