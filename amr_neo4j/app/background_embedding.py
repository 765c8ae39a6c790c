"""A thread that embeds the facts that wait for it, so that nobody who speaks waits for an embedder."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from amr_neo4j.domain.ports import FactQueue
from amr_neo4j.errors import AmrError
from amr_neo4j.facts.queue import FactEmbedding

_log = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0
# Seconds that new facts wait for others: they are found by their words meanwhile, and a search that follows a turn
# has the processor to itself.
_GATHER = 0.5


class BackgroundEmbedding:
    """Embeds after each `wake`, and when a postponed fact is due. One thread, which the first `wake` starts."""

    def __init__(
        self,
        queue: FactQueue,
        embedding: FactEmbedding,
        now: Callable[[], float],
        notify: Callable[[str], None] = _log.warning,
    ) -> None:
        """now: seconds since 1970. notify: gets one line when the embedder or the database fails."""
        self._queue, self._embedding, self._now, self._notify = queue, embedding, now, notify
        self._wanted, self._ended, self._idle, self._hurried = Event(), Event(), Event(), Event()
        self._idle.set()
        self._pause = 0.0
        self._thread: Thread | None = None

    def wake(self) -> None:
        """There may be facts to embed."""
        self._idle.clear()
        self._wanted.set()
        if self._thread is None:
            self._thread = Thread(target=self._run, name="amr-embed", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until everything that is due is embedded, at most so long; returns whether it is."""
        self._hurried.set()
        return self._idle.wait(seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Embed what is due, for at most so long, and end the thread. What is left waits in the graph."""
        if self._thread is None:
            return
        self._hurried.set()
        if not self._pause:
            self._idle.wait(seconds)
        self._ended.set()
        self._wanted.set()
        self._thread.join(seconds)
        self._thread = None

    def _run(self) -> None:
        delay: float | None = None
        while not self._ended.is_set():
            self._wanted.wait(delay)
            if self._ended.is_set():
                return
            if self._pause:  # the embedder or the database is away: not at once
                self._ended.wait(self._pause)
            else:
                self._hurried.wait(_GATHER)
            self._hurried.clear()
            self._wanted.clear()
            delay = self._attempt()

    def _attempt(self) -> float | None:
        """Embed what is due; returns the seconds until the next attempt, None to wait for a wake."""
        try:
            self._embedding.run(lambda: not self._ended.is_set())
            next_at = self._queue.next_at()
        except AmrError as error:
            if not self._pause:
                self._notify(f"facts wait for their embedding: {error.message}")
            self._pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._pause))
            return 0.0
        self._pause = 0.0
        if not self._wanted.is_set():
            self._idle.set()
        return None if next_at is None else max(0.1, next_at - self._now())
