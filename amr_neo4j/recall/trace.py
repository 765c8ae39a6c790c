"""How long each stage of a question took."""

from __future__ import annotations

from collections.abc import Callable

from amr_neo4j.domain.recall import Trace
from amr_neo4j.recall.retrieve.beam import Walk

Clock = Callable[[], float]


class TraceRecorder:
    """A stopwatch over the stages, started when it is made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock()
        self._stages: dict[str, float] = {}
        self._walk: Walk | None = None

    def lap(self, stage: str) -> None:
        """The stage that ends now."""
        now = self._clock()
        self._stages[stage] = self._stages.get(stage, 0.0) + now - self._last
        self._last = now

    def walked(self, walk: Walk) -> None:
        """How the walk went."""
        self._walk = walk

    def trace(self) -> Trace:
        """What is known by now."""
        if self._walk is None:
            return Trace(dict(self._stages))
        return Trace(dict(self._stages), self._walk.stopped, self._walk.frontiers)
