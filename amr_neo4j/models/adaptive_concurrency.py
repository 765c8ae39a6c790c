"""How many requests are under way at once: fewer when a provider says that it is too many, slowly more again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

from amr_neo4j.errors import ModelBusy


class AdaptiveConcurrency:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989), as TCP does it. Safe to use from threads."""

    def __init__(self, most: int) -> None:
        self._most, self._limit, self._under_way, self._cuts = most, float(most), 0, 0
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """So many may be under way just now."""
        return int(self._limit)

    @contextmanager
    def turn(self) -> Generator[None]:
        """Around a request: waits until there is room for it, and heeds how it ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.limit)
            self._under_way += 1
            cuts = self._cuts
        try:
            yield
        except ModelBusy:
            self._ended(self._limit / 2 if cuts == self._cuts else self._limit, cut=cuts == self._cuts)
            raise
        except BaseException:
            self._ended(self._limit)
            raise
        else:
            self._ended(self._limit + 1 / self._limit)

    def _ended(self, limit: float, *, cut: bool = False) -> None:
        """cut: the requests that were under way by then and are refused too tell nothing new."""
        with self._changed:
            self._limit = min(max(limit, 1.0), self._most)
            self._cuts += cut
            self._under_way -= 1
            self._changed.notify_all()
