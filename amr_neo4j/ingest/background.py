"""Runs work in a daemon thread. The threads of a ThreadPoolExecutor would keep the program from ending."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def started(work: Callable[[], Result]) -> Future[Result]:
    """Start the work in a daemon thread. Returns its future result."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is read
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
