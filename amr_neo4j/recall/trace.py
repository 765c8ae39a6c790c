"""How long each stage of a question took, and how the walk went."""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.recall import Trace
from amr_neo4j.recall.retrieve.beam import Walk

# Seconds from any fixed moment.
Clock = Callable[[], float]


class TraceRecorder:
    """Times the stages, one after the other; the first starts when the recorder is made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock()
        self._stages: dict[str, float] = {}
        self._walk: Walk | None = None

    def end_stage(self, stage: str) -> None:
        """Add the time since the end of the stage before to this stage."""
        now = self._clock()
        self._stages[stage] = self._stages.get(stage, 0.0) + now - self._last
        self._last = now

    def record_walk(self, walk: Walk) -> None:
        """Record where the walk stopped and how large its frontiers were."""
        self._walk = walk

    def trace(self) -> Trace:
        """What was recorded so far."""
        if self._walk is None:
            return Trace(dict(self._stages))
        return Trace(dict(self._stages), self._walk.stopped, self._walk.frontiers)
