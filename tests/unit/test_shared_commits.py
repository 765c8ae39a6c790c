"""Commits that share a transaction: each call gets the receipts, or the error, of its own clips."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
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


def test_what_an_interrupted_thread_leaves_is_committed_by_the_next() -> None:
    interrupts = iter([KeyboardInterrupt()])
    entered, go = Event(), Event()

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        if len(clips) > 1 and (error := next(interrupts, None)):
            raise error
        if clips == ["c1"]:
            entered.set()
            assert go.wait(10)
        return list(clips)

    commit = SharedCommits(committed)  # type: ignore[arg-type]
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(commit, ["c1"], _vectors(["c1"]), "m")]  # type: ignore[list-item]
        assert entered.wait(10)
        calls += [pool.submit(commit, [clip], _vectors([clip]), "m") for clip in ("c2", "c3")]  # type: ignore[list-item]
        while len(commit._waiting) < 2:
            time.sleep(0.001)
        go.set()
        ends = [call.exception(timeout=10) for call in calls]
    assert sorted(type(end).__name__ for end in ends) == ["KeyboardInterrupt", "NoneType", "NoneType"]
