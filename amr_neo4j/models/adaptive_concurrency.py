"""A limit on concurrent requests that halves when a provider reports overload and grows back slowly."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

from amr_neo4j.errors import ModelBusy


class AdaptiveConcurrency:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989), as in TCP. Thread-safe."""

    def __init__(self, maximum: int) -> None:
        self._maximum, self._limit, self._in_flight, self._cuts = maximum, float(maximum), 0, 0
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    @contextmanager
    def slot(self) -> Generator[None]:
        """Wait for a free slot and hold it during one request, whose outcome adjusts the limit."""
        with self._changed:
            self._changed.wait_for(lambda: self._in_flight < self.limit)
            self._in_flight += 1
            cuts = self._cuts
        try:
            yield
        except ModelBusy:
            # Requests that were in flight before the last cut report the same overload: they cut only once.
            is_new = cuts == self._cuts
            self._release(self._limit / 2 if is_new else self._limit, cut=is_new)
            raise
        except BaseException:
            self._release(self._limit)
            raise
        else:
            self._release(self._limit + 1 / self._limit)

    def _release(self, limit: float, *, cut: bool = False) -> None:
        with self._changed:
            self._limit = min(max(limit, 1.0), self._maximum)
            self._cuts += cut
            self._in_flight -= 1
            self._changed.notify_all()
