"""Searches of several callers as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from amr_neo4j.domain.ports import Search

Hits = list[tuple[int, float]]
_AT_MOST = 64


class _Searched(Protocol):
    def search_many(self, searches: Sequence[Search]) -> list[Hits]: ...


@dataclass
class _Waiting:
    search: Search
    hits: Hits = field(default_factory=Hits)
    error: Exception | None = None
    done: bool = False


class Batches:
    """Runs the searches of one index. Whoever finds it free runs all searches that wait by then.

    Nobody waits for a batch to fill: alone, a search runs at once.
    """

    def __init__(self, index: _Searched) -> None:
        self._index = index
        self._queue: list[_Waiting] = []
        self._adding, self._running = Lock(), Lock()
        self.count = 0

    def search(self, search: Search) -> Hits:
        """Returns (node_id, cosine) of the nearest, best first. Raises what the index raises for this search."""
        mine = _Waiting(search)
        with self._adding:
            self._queue.append(mine)
        while not mine.done:
            with self._running:
                if not mine.done:
                    self._run()
        if mine.error:
            raise mine.error
        return mine.hits

    def _run(self) -> None:
        with self._adding:
            batch, self._queue = self._queue[:_AT_MOST], self._queue[_AT_MOST:]
        self.count += 1
        try:
            for waiting, hits in zip(batch, self._index.search_many([each.search for each in batch]), strict=True):
                waiting.hits = hits
        except Exception as error:  # noqa: BLE001 - raised to its caller
            self._run_apart(batch, error)
        finally:
            for waiting in batch:
                waiting.done = True

    def _run_apart(self, batch: Sequence[_Waiting], error: Exception) -> None:
        """One of them cannot be searched: the others are."""
        if len(batch) == 1:
            batch[0].error = error
            return
        for waiting in batch:
            try:
                [waiting.hits] = self._index.search_many([waiting.search])
            except Exception as own:  # noqa: BLE001 - raised to its caller
                waiting.error = own
