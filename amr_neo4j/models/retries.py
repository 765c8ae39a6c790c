"""Trying again: what passes is waited out, as long as the caller has patience."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_exponential, wait_random

from amr_neo4j.errors import ModelUnavailable

Result = TypeVar("Result")


@dataclass(frozen=True)
class Patience:
    """timeout_s: for one try. total_s: for all of them with the waits between. Waits double and vary by chance."""

    timeout_s: float = 60.0
    total_s: float = 120.0
    tries: int = 5
    sleep: Callable[[float], None] = time.sleep


def patiently(attempt: Callable[[float], Result], patience: Patience, retrying: Callable[[], None]) -> Result:
    """What the attempt, told how many seconds it has, comes to at last. Raises ModelUnavailable when patience ends.

    retrying: called before each new try. A server's own word on how long to wait counts more than ours.
    """
    begin = time.monotonic()

    def within_time() -> Result:
        left = patience.total_s - (time.monotonic() - begin)
        return attempt(max(0.001, min(patience.timeout_s, left)))

    def out_of_time(state: RetryCallState) -> bool:
        gone = max(time.monotonic() - begin, state.idle_for)
        return gone + state.upcoming_sleep >= patience.total_s

    return Retrying(
        sleep=patience.sleep,
        retry=retry_if_exception_type(ModelUnavailable),
        stop=lambda state: stop_after_attempt(patience.tries)(state) or out_of_time(state),
        wait=_wait,
        before_sleep=lambda _: retrying(),
        retry_error_callback=_give_up,
    )(within_time)


def _wait(state: RetryCallState) -> float:
    asked = _reason(state).after_s
    least = wait_exponential(multiplier=0.5, max=20)(state) if asked is None else asked
    return least + wait_random(0, 1)(state)


def _give_up(state: RetryCallState) -> NoReturn:
    reason = _reason(state)
    asked = f"; it asks to wait {reason.after_s:.0f} s" if reason.after_s else ""
    tried = f"; tried {state.attempt_number} times" if state.attempt_number > 1 else ""
    message = f"{reason.message}{asked}{tried}"
    raise type(reason)(message, hint=reason.hint, after_s=reason.after_s) from reason


def _reason(state: RetryCallState) -> ModelUnavailable:
    reason = state.outcome.exception() if state.outcome else None
    if not isinstance(reason, ModelUnavailable):
        raise TypeError(f"tried again after {reason!r}")
    return reason
