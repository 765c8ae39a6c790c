"""Gives up a server that falls silent while a statement runs.

The driver alone waits as long as the server asked for when the connection was opened, mostly two minutes. A server
that works on a long statement is silent, too. So a connection of its own asks whether the server still answers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

_log = logging.getLogger(__name__)

_PROBE_SECONDS = 5.0  # the least that a healthy server that is far away or busy may need to answer


class SilenceWatch:
    """Watches calls of a server. A thread runs while there are calls, and ends soon after the last."""

    def __init__(self, wait_sec: float, *, answers: Callable[[float], bool], give_up: Callable[[], object]) -> None:
        """wait_sec: how long a server may be silent.

        answers: asks the server over a new connection, and returns whether it answers within that many seconds.
        give_up: ends the calls that are under way.
        """
        # Asked early, so that most of the time is left for the answer of a busy server.
        self._patience, self._probe_sec = wait_sec / 4, max(wait_sec * 3 / 4, _PROBE_SECONDS)
        self._answers, self._give_up = answers, give_up
        self._calls: dict[object, float] = {}
        self._ended: set[object] = set()
        self._lock = threading.Lock()
        self._is_watching = False

    @contextmanager
    def watching(self) -> Generator[Callable[[], bool]]:
        """Context manager around a call. It returns a function: whether the call was given up."""
        call = object()
        with self._lock:
            self._calls[call] = time.monotonic()
            if not self._is_watching:
                self._start()
        try:
            yield lambda: call in self._ended
        finally:
            with self._lock:
                del self._calls[call]
                self._ended.discard(call)

    def _start(self) -> None:
        try:
            threading.Thread(target=self._watch, name="amr-silence", daemon=True).start()
        except RuntimeError as error:  # no more threads: the call runs unwatched, the next one tries again
            _log.warning("calls of the server are not watched: %s", error)
        else:
            self._is_watching = True

    def _watch(self) -> None:
        pause = self._patience
        while True:
            time.sleep(pause)
            with self._lock:
                if not self._calls:
                    self._is_watching = False
                    return
                oldest = min(self._calls.values())
            pause = oldest + self._patience - time.monotonic()
            if pause > 0:
                continue
            asked = time.monotonic()
            is_there = self._asked()
            with self._lock:
                # A call that began after the server was asked may still be answered: the next round judges it.
                waiting = [call for call, begun in self._calls.items() if begun < asked]
                for call in waiting:
                    if is_there:
                        self._calls[call] = asked
                    else:
                        self._ended.add(call)
            if waiting and not is_there:
                try:
                    self._give_up()
                except Exception:  # noqa: BLE001 (the thread must live on)
                    _log.exception("silent calls could not be ended")
            pause = self._patience

    def _asked(self) -> bool:
        try:
            return self._answers(self._probe_sec)
        except Exception:  # noqa: BLE001 (the thread must live on, and calls are ended only for silence)
            _log.exception("the server could not be asked whether it answers")
            return True
