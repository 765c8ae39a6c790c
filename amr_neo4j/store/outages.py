"""Repeats calls of the database while it is unavailable."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential, wait_random

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import StoreUnavailable

T = TypeVar("T")

# 0.5 s, 1 s, 2 s ... 10 s, with up to a second of jitter, so that waiting processes do not retry at once.
_BACK_OFF = wait_exponential(multiplier=0.5, max=10.0) + wait_random(0.0, 1.0)


@dataclass(frozen=True)
class OutageRetry:
    """Calls a function again while it raises StoreUnavailable. Other errors are raised at once.

    >>> retry = OutageRetry(300.0, notify)
    >>> retry(lambda: database.write("ingest/drop_clip", ...))

    wait_sec: how long to retry after the first failure, in seconds; 0: not at all.
    notify: called with a line when waiting begins, and with one when the database is back.
    """

    wait_sec: float
    notify: Notify
    _: KW_ONLY
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def __call__(self, call: Callable[[], T]) -> T:
        """Return the result of the call. Raises StoreUnavailable: the database did not come back in time."""
        try:
            return call()
        except StoreUnavailable as error:
            failed = error
        return self._retried(call, failed)  # only now, because Retrying is slow to construct

    def _retried(self, call: Callable[[], T], failed: StoreUnavailable) -> T:
        """Retry a call that has just failed; return its result."""
        first = [failed]  # the first attempt of Retrying raises this again, so that the failure counts as an attempt

        def again() -> T:
            if first:
                raise first.pop()
            return call()

        failed_at = cache(self.clock)  # called first after the first failure, and returns that moment ever after
        attempts = Retrying(
            retry=retry_if_exception_type(StoreUnavailable),
            wait=_BACK_OFF,
            stop=lambda _: failed_at() + self.wait_sec <= self.clock(),
            sleep=self.sleep,
            before_sleep=self._announce,
            reraise=True,
        )
        try:
            result = attempts(again)
        except StoreUnavailable as error:
            resume = "what was committed is kept; run the same again to continue"
            raise StoreUnavailable(error.message, hint=f"{error.hint}; {resume}") from error
        self.notify("Neo4j answers again; continuing")
        return result

    def _announce(self, state: RetryCallState) -> None:
        error = state.outcome and state.outcome.exception()
        if isinstance(error, StoreUnavailable) and state.attempt_number == 1:
            self.notify(f"{error.message}; retrying for up to {_length(self.wait_sec)} ({error.hint})")


def _length(seconds: float) -> str:
    return f"{seconds / 60:.3g} min" if seconds >= 60 else f"{seconds:.3g} s"
