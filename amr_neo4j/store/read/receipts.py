"""Receipts of clips as the graph has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import neo4j.time

from amr_neo4j.domain.live import ClipReceipt
from amr_neo4j.store.database import Database, Row

_FIELDS = {field.name for field in fields(ClipReceipt)}


class ReceiptReader:
    """Reads the receipts of one group."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._database, self._group_id = database, group_id

    def of_video(self, video_id: str) -> list[ClipReceipt]:
        """Those of a video, in order of time."""
        rows = self._database.read("show/receipts", group_id=self._group_id, video_id=video_id)
        return [_receipt(row) for row in rows]

    def latest(self, limit: int) -> list[ClipReceipt]:
        """The latest of the group, in order of time."""
        rows = self._database.read("show/latest_receipts", group_id=self._group_id, limit=limit)
        return [_receipt(row) for row in reversed(rows)]

    def counts(self, video_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Returns video_id -> committed, failed, dropped, dropped_sec."""
        rows = self._database.read("show/clip_counts", group_id=self._group_id, video_ids=list(video_ids))
        return {row["video_id"]: dict(row) for row in rows}


def _receipt(row: Row) -> ClipReceipt:
    return ClipReceipt(**{name: _native(value) for name, value in dict(row).items() if name in _FIELDS})


def _native(value: Any) -> Any:
    moment: datetime | Any = value.to_native() if isinstance(value, neo4j.time.DateTime) else value
    return moment
