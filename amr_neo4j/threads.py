"""Runs work in threads that have the context of the caller, such as who pays for calls to models."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
Given = TypeVar("Given")
Result = TypeVar("Result")
# Seconds that the end of the program waits for a daemon thread that is inside a native library.
_AT_EXIT = 30.0


class ContextPool(ThreadPoolExecutor):
    """A ThreadPoolExecutor that runs each call in the context of its caller."""

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        return super().submit(cast("Callable[..., Result]", copy_context().run), fn, *args, **kwargs)


# The threads of a pool would keep the program from ending, so what may take long gets a daemon thread.
def started(work: Callable[[], Result]) -> Future[Result]:
    """Start the work in a daemon thread, with the context of this one. Returns the Future of its result."""
    future: Future[Result] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001 - raised where the result is read
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def waits_at_exit(wait: Callable[[float], object]) -> None:
    """Let the end of the program wait for a daemon thread that may be inside a native library, such as a network.

    An interpreter that exits before that aborts. Nearly every library counts: pydantic calls validators written in
    Python, and the driver of Neo4j calls Python for each record.

    wait: takes the most seconds, such as `Thread.join`.
    """
    atexit.register(wait, _AT_EXIT)


def side_by_side(work: Callable[[Given], Result], given: Sequence[Given]) -> list[Result]:
    """Return the result of each, in order, once all are done. Ctrl-C ends the wait at once."""
    if len(given) == 1:
        return [work(given[0])]
    futures = [started(partial(work, each)) for each in given]
    wait(futures)
    return [future.result() for future in futures]
