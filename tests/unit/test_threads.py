"""Work side by side in daemon threads."""

from __future__ import annotations

import signal
from threading import Event, Timer, get_ident

import pytest

from amr_neo4j.threads import side_by_side


def test_results_come_in_order_and_an_error_after_all_are_done() -> None:
    done: list[int] = []

    def work(number: int) -> int:
        if number == 1:
            raise ValueError("one")
        done.append(number)
        return 2 * number

    assert side_by_side(work, [3, 2]) == [6, 4]
    with pytest.raises(ValueError, match="one"):
        side_by_side(work, [1, 4, 5])
    assert sorted(done) == [2, 3, 4, 5]


def test_ctrl_c_does_not_wait_for_work_under_way() -> None:
    """As a request to a model that takes a minute."""
    released, main = Event(), get_ident()
    ended: list[bool] = []
    # A program that a script starts behind itself has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        side_by_side(lambda _: ended.append(released.wait(20)), [1, 2])
    signal.signal(signal.SIGINT, before)
    assert not ended
    released.set()
