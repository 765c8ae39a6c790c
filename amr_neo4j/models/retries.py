"""Retries calls to a model server, and limits how many run at once.

Transient failures are retried with backoff within a total time. The number of concurrent calls halves when the
provider reports overload.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Lock
from typing import NoReturn, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_exponential, wait_random

from amr_neo4j.errors import ModelBusy, ModelUnavailable

Result = TypeVar("Result")


# An attempt after the budget is spent may take this long to connect, since another server may be well.
_LAST_CONNECT_S = 0.25


class WaitBudget:
    """The seconds that one question may wait in all, over its roles: for connections, and between retries.

    A reply under way is not waited for here: it has its role's timeout_s. Thread-safe.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._lock = Lock()
        # Base URLs of servers that could not be reached.
        self.unreachable = set[str]()

    @property
    def left(self) -> float:
        return max(0.0, self._left)

    @property
    def connect_s(self) -> float:
        """How long a connection may take."""
        return max(self.left, _LAST_CONNECT_S)

    def spend(self, seconds: float) -> None:
        with self._lock:
            self._left -= seconds


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a call is tried.

    timeout_s: the limit of each attempt.
    total_s: the limit of all attempts and the waits between them, which double and have jitter.
    budget: what the question that the call is for may still wait.
    """

    timeout_s: float = 60.0
    total_s: float = 120.0
    attempts: int = 5
    sleep: Callable[[float], None] = time.sleep
    budget: WaitBudget | None = None


def with_retries(attempt: Callable[[float], Result], policy: RetryPolicy, retrying: Callable[[], None]) -> Result:
    """Return the result of `attempt`, which takes the seconds it may use. Raises the last ModelUnavailable.

    A Retry-After of the server overrides the backoff.

    retrying: called before each retry.
    """
    begin = time.monotonic()

    def within_time() -> Result:
        started = time.monotonic()
        left = policy.total_s - (started - begin)
        try:
            return attempt(max(0.001, min(policy.timeout_s, left)))
        except ModelUnavailable:
            # An attempt in vain was a wait, too.
            if policy.budget:
                policy.budget.spend(time.monotonic() - started)
            raise

    def out_of_time(state: RetryCallState) -> bool:
        # If the next attempt would begin too late, give up at once rather than wait in vain.
        if policy.budget and state.upcoming_sleep >= policy.budget.left:
            return True
        elapsed = max(time.monotonic() - begin, state.idle_for)
        return elapsed + state.upcoming_sleep >= policy.total_s

    def sleep(seconds: float) -> None:
        if policy.budget:
            policy.budget.spend(seconds)
        policy.sleep(seconds)

    return Retrying(
        sleep=sleep,
        retry=retry_if_exception_type(ModelUnavailable),
        stop=lambda state: stop_after_attempt(policy.attempts)(state) or out_of_time(state),
        wait=_wait,
        before_sleep=lambda _: retrying(),
        retry_error_callback=_give_up,
    )(within_time)


def _wait(state: RetryCallState) -> float:
    requested = _error(state).after_s
    # The random second keeps callers that failed together from coming back together.
    base = wait_exponential(multiplier=0.5, max=20)(state) if requested is None else requested
    return base + wait_random(0, 1)(state)


def _give_up(state: RetryCallState) -> NoReturn:
    error = _error(state)
    requested = f"; it asks to wait {error.after_s:.0f} s" if error.after_s else ""
    tried = f"; tried {state.attempt_number} times" if state.attempt_number > 1 else ""
    message = f"{error.message}{requested}{tried}"
    raise type(error)(message, hint=error.hint, after_s=error.after_s) from error


def _error(state: RetryCallState) -> ModelUnavailable:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, ModelUnavailable):
        raise TypeError(f"retried after {error!r}")
    return error


class AdaptiveConcurrency:
    """How many requests may be in flight: half as many after an overload, then slowly more again.

    Additive increase, multiplicative decrease (Chiu and Jain 1989), as in TCP. Thread-safe.
    """

    def __init__(self, maximum: int) -> None:
        self._maximum, self._limit, self._in_flight, self._cuts = maximum, float(maximum), 0, 0
        self._changed = Condition()

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    @contextmanager
    def slot(self, most_s: float | None = None) -> Generator[None]:
        """Wait for a free slot and hold it during one request, whose outcome adjusts the limit.

        Raises ModelUnavailable: none is free within `most_s`.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._in_flight < self.limit, most_s):
                raise ModelUnavailable("all connections to the model are in use", hint="raise at_once of its role")
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
            # After as many successes as the limit, it has grown by one.
            self._release(self._limit + 1 / self._limit)

    def _release(self, limit: float, *, cut: bool = False) -> None:
        with self._changed:
            self._limit = min(max(limit, 1.0), self._maximum)
            self._cuts += cut
            self._in_flight -= 1
            self._changed.notify_all()
