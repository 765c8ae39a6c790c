"""Commits that share a transaction: each call gets the receipts, or the error, of its own clips."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Thread, current_thread
from typing import Any

import numpy as np
import pytest

from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import StoreRefused, StoreUnavailable
from amr_neo4j.store.write import shared_commits
from amr_neo4j.store.write.shared_commits import SharedCommits
from tests.support.clips import clip_of


class Store:
    """Commits clips, as "model name"; the first call waits for `go`. A clip in `bad` makes its call fail."""

    def __init__(self, bad: dict[str, BaseException] | None = None) -> None:
        self.calls: list[list[str]] = []
        self.vectors: list[np.ndarray] = []
        self.entered, self.go, self.bad = Event(), Event(), bad or {}

    def commit(self, clips: Sequence[ComposedClip], vectors: Any, model: str) -> list[Any]:
        names = [clip.source.clip.clip_id for clip in clips]
        self.calls.append(names)
        self.vectors.append(vectors)
        if len(self.calls) == 1:
            self.entered.set()
            assert self.go.wait(10)
        for error in [error for name, error in self.bad.items() if name in names]:
            raise error
        return [f"{model} {name}" for name in names]


def _refused(name: str) -> dict[str, BaseException]:
    return {name: StoreRefused("no such clip")}


def _clips(names: Sequence[str], group: str = "g") -> list[ComposedClip]:
    return [clip_of(Video(group, "v"), int(name[1:]), ()) for name in names]


def _vectors(names: Sequence[str]) -> np.ndarray:
    """One for each clip."""
    return np.array([[float(name[1:])] * 3 for name in names], np.float32).reshape(-1, 3)


def _run(
    store: Store, calls: Sequence[list[str]], models: Sequence[str] = (), groups: Sequence[str] = ()
) -> list[Any]:
    """The results of calls of which all but the first come, one after the other, while that is under way."""
    commit = SharedCommits(store.commit)
    models, groups = models or ["m"] * len(calls), groups or ["g"] * len(calls)
    with ThreadPoolExecutor(len(calls)) as pool:
        futures: list[Future[Any]] = []
        for number, (names, model, group) in enumerate(zip(calls, models, groups, strict=True)):
            futures.append(pool.submit(commit, _clips(names, group), _vectors(names), model))
            assert store.entered.wait(10)
            _wait(lambda number=number: len(commit._waiting) == number)
        store.go.set()
        return [future.exception(10) or future.result() for future in futures]


def _wait(until: Callable[[], bool]) -> None:
    while not until():
        time.sleep(0.001)


def _alone(commit: SharedCommits, name: str) -> list[Any]:
    """The result of one call in a thread of its own; fails where it hangs."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(commit, _clips([name]), _vectors([name]), "m")
        try:
            return call.result(5)
        finally:
            for waiting in commit._waiting:  # so that the thread ends
                waiting.done.cancel()


def _interrupt(commit: SharedCommits) -> None:
    """Interrupt the commit once, when its lock is released the next time."""
    lock = commit._queue

    class Interrupted:
        def __enter__(self) -> None:
            assert lock.acquire(timeout=5)

        def __exit__(self, *_: object) -> None:
            commit._queue = lock
            lock.release()
            raise KeyboardInterrupt

    commit._queue = Interrupted()  # type: ignore[assignment]


def test_calls_that_wait_are_committed_together_and_each_gets_its_own_receipts() -> None:
    store = Store()
    calls = [["c1"], ["c2", "c3"], ["c4"]]
    assert _run(store, calls) == [[f"m {name}" for name in names] for names in calls]
    assert store.calls == [["c1"], ["c2", "c3", "c4"]]
    assert store.vectors[1].tolist() == _vectors(["c2", "c3", "c4"]).tolist()


def test_an_error_reaches_the_call_that_it_is_about() -> None:
    store = Store(_refused("c3"))
    one, two, three = _run(store, [["c1"], ["c2"], ["c3"]])
    assert (one, two) == (["m c1"], ["m c2"]) and isinstance(three, StoreRefused)
    with pytest.raises(StoreRefused):
        SharedCommits(store.commit)(_clips(["c3"]), _vectors(["c3"]), "m")


def test_a_database_that_is_away_is_not_asked_once_more_for_each_call() -> None:
    store = Store({"c3": StoreUnavailable("away")})
    one, *others = _run(store, [["c1"], ["c2"], ["c3"], ["c4"]], ["m", "m", "m", "n"])
    assert one == ["m c1"] and all(isinstance(other, StoreUnavailable) for other in others)
    assert len(store.calls) == 2


def test_where_it_goes_away_between_the_halves_the_rest_is_not_tried() -> None:
    store = Store(_refused("c5") | {"c2": StoreUnavailable("away")})
    one, *others = _run(store, [["c1"], ["c2"], ["c3"], ["c4"], ["c5"]])
    assert one == ["m c1"] and all(isinstance(other, StoreUnavailable) for other in others)
    assert store.calls == [["c1"], ["c2", "c3", "c4", "c5"], ["c2", "c3"]]


def test_what_was_committed_before_it_went_away_has_its_receipts() -> None:
    store = Store(_refused("c4") | {"c5": StoreUnavailable("away")})
    found = _run(store, [["c1"], ["c2"], ["c3"], ["c4"], ["c5"]])
    assert found[:3] == [["m c1"], ["m c2"], ["m c3"]]
    assert [type(error) for error in found[3:]] == [StoreRefused, StoreUnavailable]


def test_vectors_of_different_models_are_not_mixed() -> None:
    store = Store()
    found = _run(store, [["c1"], ["c2"], ["c3"], ["c4"]], ["m", "m", "n", "m"])
    assert found == [["m c1"], ["m c2"], ["n c3"], ["m c4"]]
    assert store.calls == [["c1"], ["c2", "c4"], ["c3"]]


def test_a_failed_group_does_not_make_another_s_clips_come_twice() -> None:
    """Each group has its own transaction. In one, receipts of a committed group would be lost with the failed one."""
    store = Store(_refused("c3"))
    found = _run(store, [["c1"], ["c2"], ["c3"], ["c4"]], groups=["g", "g", "h", "g"])
    assert found[:2] == [["m c1"], ["m c2"]] and isinstance(found[2], StoreRefused)
    assert store.calls == [["c1"], ["c2", "c4"], ["c3"]]


def test_a_call_has_its_receipts_while_the_next_ones_are_committed() -> None:
    gates = [Event(), Event(), Event()]
    entered = [Event(), Event(), Event()]
    rounds = iter(range(3))

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        now = next(rounds)
        entered[now].set()
        assert gates[now].wait(10)
        return [clip.source.clip.clip_id for clip in clips]

    commit = SharedCommits(committed)
    with ThreadPoolExecutor(31) as pool:

        def come(first: int, last: int) -> list[Any]:
            names = [f"c{number}" for number in range(first, last)]
            return [pool.submit(commit, _clips([name]), _vectors([name]), "m") for name in names]

        come(0, 1)
        assert entered[0].wait(10)
        second = come(1, 11)
        _wait(lambda: len(commit._waiting) == 10)
        gates[0].set()
        assert entered[1].wait(10)
        third = come(11, 21)
        _wait(lambda: len(commit._waiting) == 10)
        gates[1].set()
        try:
            assert [call.result(2)[0] for call in second] == [f"c{number}" for number in range(1, 11)]
            assert not any(call.done() for call in third)
        finally:
            gates[2].set()
        assert [call.result(10)[0] for call in third] == [f"c{number}" for number in range(11, 21)]


def test_one_bad_clip_of_many_costs_a_few_commits_more() -> None:
    store = Store(_refused("c3"))
    calls = [[f"c{n}"] for n in range(33)]
    for call, found in zip(calls, _run(store, calls), strict=True):
        assert isinstance(found, StoreRefused) if call == ["c3"] else found == [f"m {call[0]}"]
    assert len(store.calls) <= 2 + 2 * 5


def test_after_an_interrupted_commit_those_that_wait_are_committed() -> None:
    store = Store({"c1": KeyboardInterrupt()})
    one, *others = _run(store, [["c1"], ["c2"], ["c3"]])
    assert isinstance(one, KeyboardInterrupt) and others == [["m c2"], ["m c3"]]


def test_an_interrupt_before_a_commit_has_begun_blocks_no_later_one() -> None:
    store = Store()
    store.go.set()
    commit = SharedCommits(store.commit)
    _interrupt(commit)
    with pytest.raises(KeyboardInterrupt):
        commit(_clips(["c1"]), _vectors(["c1"]), "m")
    assert _alone(commit, "c2") == ["m c2"]


def test_an_interrupt_of_one_that_waits_leaves_the_commit_under_way_alone() -> None:
    store = Store()
    commit = SharedCommits(store.commit)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(commit, _clips(["c1"]), _vectors(["c1"]), "m")
        assert store.entered.wait(10)
        _interrupt(commit)
        with pytest.raises(KeyboardInterrupt):
            commit(_clips(["c2"]), _vectors(["c2"]), "m")
        assert commit._committing
        store.go.set()
        assert first.result(10) == ["m c1"]
    assert _alone(commit, "c3") == ["m c3"]


def test_without_a_thread_left_those_that_wait_are_committed_by_the_call_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NoThread(Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(shared_commits, "Thread", NoThread)
    assert _run(Store(), [["c1"], ["c2"], ["c3"]]) == [["m c1"], ["m c2"], ["m c3"]]


def test_vectors_of_no_dimension_are_an_error_of_their_call_alone() -> None:
    store = Store()
    commit = SharedCommits(store.commit)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(commit, _clips(["c1"]), _vectors(["c1"]), "m")]
        assert store.entered.wait(10)
        with pytest.raises(IndexError):
            commit(_clips(["c2"]), np.ones(3, np.float32), "m")
        calls.append(pool.submit(commit, _clips(["c3"]), _vectors(["c3"]), "m"))
        _wait(lambda: len(commit._waiting) == 1)
        store.go.set()
        assert [call.result(10) for call in calls] == [["m c1"], ["m c3"]]


@pytest.mark.parametrize("error", [MemoryError(), SystemExit()])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_ends_a_shared_commit_reaches_its_calls_and_later_ones_go_on(error: BaseException) -> None:
    store = Store()
    commit = SharedCommits(store.commit)

    ended: list[Thread] = []

    def broken(together: object) -> None:
        ended.append(current_thread())
        del commit._commit_together  # type: ignore[attr-defined]
        raise error

    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(commit, _clips(["c1"]), _vectors(["c1"]), "m")]
        assert store.entered.wait(10)
        commit._commit_together = broken  # type: ignore[method-assign]
        calls.append(pool.submit(commit, _clips(["c2"]), _vectors(["c2"]), "m"))
        _wait(lambda: len(commit._waiting) == 1)
        store.go.set()
        assert calls[0].result(10) == ["m c1"]
        assert calls[1].exception(10) is error
    _wait(lambda: not commit._committing)
    ended[0].join(10)
    assert _alone(commit, "c3") == ["m c3"]


def test_a_call_alone_is_committed_in_its_own_thread() -> None:
    threads: list[Thread] = []

    def committed(clips: Sequence[Any], vectors: Any, model: str) -> list[Any]:
        threads.append(current_thread())
        return list(clips)

    commit = SharedCommits(committed)
    for name in ("c1", "c2"):
        assert commit(_clips([name]), _vectors([name]), "m") == _clips([name])
    assert threads == [current_thread()] * 2
