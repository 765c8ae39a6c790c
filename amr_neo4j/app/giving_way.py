"""Work that can wait makes room for work that somebody waits for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import perf_counter, thread_time

# Seconds of work before it is compared with the processor time that it got; shorter stretches say little.
_STRETCH = 0.01
# Others want the processor where a stretch takes so many times its processor time.
_CONTENDED = 1.3
# A pause, and all of them together: on a machine that is always busy the work is to end too.
_PAUSE, _PATIENCE = 0.5, 120.0


class GivingWay:
    """Called between pieces of work by the thread that does them: waits a moment where others want the processor.

    Python runs one thread at a time, and one that never waits keeps each of the others from going on for five
    milliseconds at a time. A search goes on many times.
    """

    def __init__(
        self, wall: Callable[[], float] = perf_counter, processor: Callable[[], float] = thread_time
    ) -> None:
        """wall: seconds; processor: seconds for which the calling thread ran."""
        self._wall, self._processor = wall, processor
        self._from: tuple[float, float] | None = None
        self._left = _PATIENCE

    def __call__(self, hurried: Event) -> None:
        """hurried: set where somebody waits for this work; then it does not wait."""
        wall, processor = self._wall(), self._processor()
        if self._from is not None:
            took, ran = wall - self._from[0], processor - self._from[1]
            if took < _STRETCH:
                return
            if took > _CONTENDED * ran and self._left > 0:
                hurried.wait(_PAUSE)
                self._left -= _PAUSE
        self._from = self._wall(), self._processor()
