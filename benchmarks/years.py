"""The EPIC-KITCHENS records as often as wanted, for measurements by size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

Line = dict[str, Any]


def years(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, then again a year later, and so on."""
    yield from lines
    for year in count(1):
        for line in lines:
            then = datetime.fromisoformat(line["recorded_at"]) + timedelta(days=365 * year)
            yield line | {"video_id": f"{line['video_id']}-{year}", "recorded_at": then.isoformat()}
