"""Commits that share a transaction: each call gets the receipts, or the error, of its own clips."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread, current_thread
from typing import Any

import numpy as np
import pytest

from amr_neo4j.errors import StoreError, StoreRefused, StoreUnavailable
from amr_neo4j.store.write.shared_commits import SharedCommits


class Store:
    """Commits names; the first call waits for `go`. A name in `bad` makes a call fail with `error`."""

    def __init__(self, bad: Sequence[str] = (), error: StoreError | None = None) -> None:
        self.error = error or StoreRefused("no such clip")
        self.calls: list[list[str]] = []
        self.vectors: list[np.ndarray] = []
        self.entered, self.go, self.bad = Event(), Event(), set(bad)

    def commit(self, clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        self.calls.append(list(clips))
        self.vectors.append(vectors)
        if len(self.calls) == 1:
            self.entered.set()
            assert self.go.wait(10)
        if self.bad.intersection(clips):
            raise self.error
        return [f"{model} {clip}" for clip in clips]


def _vectors(clips: Sequence[str]) -> np.ndarray:
    return np.array([[float(clip[1:])] * 3 for clip in clips], np.float32).reshape(-1, 3)


def _run(store: Store, calls: Sequence[list[str]], models: Sequence[str] = ()) -> list[Any]:
    """The results of calls of which all but the first come while that is under way."""
    commit = SharedCommits(store.commit)  # type: ignore[arg-type]
    with ThreadPoolExecutor(len(calls)) as pool:
        models = models or ["m"] * len(calls)
        futures = [pool.submit(commit, calls[0], _vectors(calls[0]), models[0])]  # type: ignore[arg-type]
        assert store.entered.wait(10)
        for clips, model in zip(calls[1:], models[1:], strict=True):
            futures.append(pool.submit(commit, clips, _vectors(clips), model))  # type: ignore[arg-type]
        while len(commit._waiting) < len(calls) - 1:
            time.sleep(0.001)
        store.go.set()
        return [future.exception() or future.result() for future in futures]


def test_calls_that_wait_are_committed_together_and_each_gets_its_own_receipts() -> None:
    store = Store()
    calls = [["c1"], ["c2", "c3"], ["c4"], []]
    assert _run(store, calls) == [[f"m {clip}" for clip in clips] for clips in calls]
    first, shared = store.calls
    assert first == ["c1"] and sorted(shared) == ["c2", "c3", "c4"]
    assert store.vectors[1].tolist() == _vectors(shared).tolist()


def test_an_error_reaches_the_call_that_it_is_about() -> None:
    store = Store(bad=["c3"])
    one, two, three = _run(store, [["c1"], ["c2"], ["c3"]])
    assert (one, two) == (["m c1"], ["m c2"]) and isinstance(three, StoreRefused)
    with pytest.raises(StoreRefused):
        SharedCommits(store.commit)(["c3"], _vectors(["c3"]), "m")  # type: ignore[arg-type, list-item]


def test_a_database_that_is_away_is_not_asked_once_more_for_each_call() -> None:
    store = Store(bad=["c3"], error=StoreUnavailable("away"))
    one, *others = _run(store, [["c1"], ["c2"], ["c3"], ["c4"]])
    assert one == ["m c1"] and all(isinstance(other, StoreUnavailable) for other in others)
    assert len(store.calls) == 2


def test_vectors_of_different_models_are_not_mixed() -> None:
    store = Store()
    found = _run(store, [["c1"], ["c2"], ["c3"], ["c4"]], ["m", "m", "n", "m"])
    assert found == [["m c1"], ["m c2"], ["n c3"], ["m c4"]]
    assert sorted(map(sorted, store.calls)) == [["c1"], ["c2", "c4"], ["c3"]]


def test_a_call_has_its_receipts_while_the_next_ones_are_committed() -> None:
    gates = [Event(), Event(), Event()]
    entered = [Event(), Event(), Event()]
    rounds = iter(range(3))

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        now = next(rounds)
        entered[now].set()
        assert gates[now].wait(10)
        return list(clips)

    commit = SharedCommits(committed)  # type: ignore[arg-type]
    with ThreadPoolExecutor(31) as pool:

        def come(first: int, last: int) -> list[Any]:
            names = [f"c{number}" for number in range(first, last)]
            return [pool.submit(commit, [name], _vectors([name]), "m") for name in names]  # type: ignore[list-item]

        come(0, 1)
        assert entered[0].wait(10)
        second = come(1, 11)
        while len(commit._waiting) < 10:
            time.sleep(0.001)
        gates[0].set()
        assert entered[1].wait(10)
        third = come(11, 21)
        while len(commit._waiting) < 10:
            time.sleep(0.001)
        gates[1].set()
        try:
            assert [call.result(2)[0] for call in second] == [f"c{number}" for number in range(1, 11)]
            assert not any(call.done() for call in third)
        finally:
            gates[2].set()
        assert [call.result(10)[0] for call in third] == [f"c{number}" for number in range(11, 21)]


def test_one_bad_clip_of_many_costs_a_few_commits_more() -> None:
    store = Store(bad=["c3"])
    calls = [[f"c{n}"] for n in range(33)]
    for call, found in zip(calls, _run(store, calls), strict=True):
        assert isinstance(found, StoreRefused) if call == ["c3"] else found == [f"m {call[0]}"]
    assert len(store.calls) <= 2 + 2 * 5


def test_after_an_interrupted_commit_those_that_wait_are_committed() -> None:
    entered, go = Event(), Event()

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        if clips == ["c1"]:
            entered.set()
            assert go.wait(10)
            raise KeyboardInterrupt
        return list(clips)

    commit = SharedCommits(committed)  # type: ignore[arg-type]
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(commit, ["c1"], _vectors(["c1"]), "m")]  # type: ignore[list-item]
        assert entered.wait(10)
        calls += [pool.submit(commit, [clip], _vectors([clip]), "m") for clip in ("c2", "c3")]  # type: ignore[list-item]
        while len(commit._waiting) < 2:
            time.sleep(0.001)
        go.set()
        ends = [type(call.exception(timeout=10)).__name__ for call in calls]
    assert ends == ["KeyboardInterrupt", "NoneType", "NoneType"]


def test_a_call_alone_is_committed_in_its_own_thread() -> None:
    threads: list[Thread] = []

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        threads.append(current_thread())
        return list(clips)

    commit = SharedCommits(committed)  # type: ignore[arg-type]
    for name in ("c1", "c2"):
        assert commit([name], _vectors([name]), "m") == [name]  # type: ignore[list-item]
    assert threads == [current_thread()] * 2
