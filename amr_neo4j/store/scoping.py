"""The parameters of every statement that includes recall/scope."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import inf
from typing import Any

from amr_neo4j.domain.recall import Moment, Scope

_OPEN = {"since": -inf, "until": inf, "as_of": inf}


def parameters(scope: Scope) -> dict[str, Any]:
    """Returns group_id, video_ids, persons (empty: all), seconds and clock (each since, until, as_of), known_at.

    seconds: of the video. clock: epoch seconds, or null where the scope has no wall-clock moment: with one, events
    without a wall clock are out of scope.
    """
    moments = {"since": scope.since, "until": scope.until, "as_of": scope.as_of}
    clock = {name: moment.timestamp() for name, moment in moments.items() if isinstance(moment, datetime)}
    return {
        "group_id": scope.group_id,
        "video_ids": list(scope.video_ids),
        "persons": list(scope.persons),
        "seconds": _OPEN | _seconds(moments),
        "clock": _OPEN | clock if clock else None,
        "known_at": scope.known_at,
    }


def _seconds(moments: Mapping[str, Moment | None]) -> dict[str, float]:
    return {n: float(m) for n, m in moments.items() if m is not None and not isinstance(m, datetime)}
