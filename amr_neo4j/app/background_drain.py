"""A thread that commits what waits in the spool, so that nobody who speaks waits for the database."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from amr_neo4j.errors import AmrError

_log = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
# Seconds that a commit may take on a busy machine.
_UNDER_WAY = 30.0


class BackgroundDrain:
    """Runs `drain` after each `wake`, and again, at growing intervals, while it fails. One thread.

    tick: called beside it every `every` seconds, for what changed elsewhere.
    """

    def __init__(
        self,
        drain: Callable[[], None],
        tick: Callable[[], None],
        notify: Callable[[str], None] = _log.warning,
        every: float = 0.4,
    ) -> None:
        """notify: gets one line when the database goes away and one when it is back."""
        self._drain, self._tick, self._notify, self._every = drain, tick, notify, every
        self._wanted, self._ended, self._idle = Event(), Event(), Event()
        self._idle.set()
        self._pause = 0.0
        self._away = False
        self._thread = Thread(target=self._run, name="amr-drain", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There is something to commit."""
        self._idle.clear()
        self._wanted.set()

    def wait(self, seconds: float) -> bool:
        """Wait until everything is committed, at most so long; returns whether it is."""
        return self._idle.wait(seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Commit what waits, for at most so long, and end the thread. What is left stays in the spool.

        A commit that is under way is waited for longer: the connection must not be closed under it.
        """
        if self._wanted.is_set() and not self._away:
            self._idle.wait(seconds)
        self._ended.set()
        self._wanted.set()
        self._thread.join(max(seconds, _UNDER_WAY))

    def _run(self) -> None:
        while not self._ended.is_set():
            wanted = self._wanted.wait(self._pause or self._every)
            if self._ended.is_set():
                return
            if wanted and self._pause:  # the database is away: not at once
                self._ended.wait(self._pause)
            self._attempt(self._drain if wanted else None)

    def _attempt(self, drain: Callable[[], None] | None) -> None:
        """Drain, where it is wanted, then tick; an error is reported once and tried again after a pause."""
        try:
            if drain:
                self._wanted.clear()
                drain()
            self._tick()
        except AmrError as error:
            if drain:
                self._wanted.set()
            self._pause = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._pause))
            if not self._away:
                self._notify(f"{error.message}; turns are kept on this machine and committed later")
            self._away = True
        else:
            if self._away:
                self._notify("the database answers again")
            self._away, self._pause = False, 0.0
            if not self._wanted.is_set():
                self._idle.set()
