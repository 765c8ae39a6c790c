"""The limit on concurrent requests."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.errors import ModelBusy, ModelUnavailable
from amr_neo4j.models.retries import AdaptiveConcurrency


def after(concurrency: AdaptiveConcurrency, *outcomes: type[Exception] | None) -> int:
    """The limit after requests with these outcomes in a row."""
    for outcome in outcomes:
        with suppress(ModelUnavailable), concurrency.slot():
            if outcome:
                raise outcome("")
    return concurrency.limit


def test_the_limit_halves_on_rejection_and_grows_by_one() -> None:
    concurrency = AdaptiveConcurrency(8)
    assert after(concurrency, ModelBusy) == 4
    assert after(concurrency, *[None] * 4) == 4
    assert after(concurrency, None) == 5
    assert after(concurrency, *[None] * 100) == 8
    assert after(concurrency, ModelUnavailable) == 8
    assert after(concurrency, *[ModelBusy] * 9) == 1


def test_concurrent_rejections_count_once() -> None:
    concurrency = AdaptiveConcurrency(8)
    turns = [concurrency.slot() for _ in range(8)]
    for turn in turns:
        turn.__enter__()
    for turn in turns:
        turn.__exit__(ModelBusy, ModelBusy(""), None)
    assert concurrency.limit == 4


@given(outcomes=st.lists(st.sampled_from([None, ModelBusy, ModelUnavailable])), most=st.integers(1, 9))
def test_the_limit_stays_within_bounds(outcomes: list[type[Exception] | None], most: int) -> None:
    """In any sequence of outcomes the limit lies between one and the maximum."""
    assert 1 <= after(AdaptiveConcurrency(most), *outcomes) <= most


def test_a_request_over_the_limit_waits() -> None:
    concurrency, went = AdaptiveConcurrency(2), threading.Event()

    def go() -> None:
        with concurrency.slot():
            went.set()

    with ExitStack() as held:
        held.enter_context(concurrency.slot())
        with concurrency.slot():
            thread = threading.Thread(target=go)
            thread.start()
            assert not went.wait(0.1)
        assert went.wait(5)
    thread.join()
