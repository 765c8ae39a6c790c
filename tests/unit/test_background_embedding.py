"""Facts are embedded behind the turn: several together, and without delay if somebody waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from amr_neo4j.app.background import BackgroundWork, QuestionsFirst, queue_embedder
from amr_neo4j.errors import AmrError


class Facts:
    """A queue and an embedding of facts, which counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def run(self, go_on: Callable[[], bool]) -> None:
        """As QueuedEmbedding."""
        assert go_on()
        self.runs += 1

    def next_at(self) -> None:
        """As EmbeddingQueue."""


def background(facts: Facts, gather: float) -> BackgroundWork:
    return queue_embedder(facts, facts, time.time, print, QuestionsFirst(), gather=gather)  # type: ignore[arg-type]  # all that it uses


def test_facts_that_follow_one_another_share_a_run() -> None:
    facts = Facts()
    embedding = background(facts, gather=1.0)
    for _ in range(5):
        embedding.wake()
        time.sleep(0.01)
    deadline = time.monotonic() + 20
    while not facts.runs and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    assert facts.runs == 1
    embedding.close()


@pytest.mark.parametrize("hurry", ["wait", "close"])
def test_who_waits_for_them_or_closes_does_not_wait_for_others(hurry: str) -> None:
    facts, others = Facts(), set(threading.enumerate())
    embedding = background(facts, gather=60.0)
    embedding.wake()
    [thread] = [thread for thread in set(threading.enumerate()) - others if thread.name == "amr-embed"]
    begin = time.monotonic()
    getattr(embedding, hurry)(30)
    assert facts.runs == 1
    assert time.monotonic() - begin < 30
    embedding.close()
    assert not thread.is_alive()


def test_work_that_fails_after_close_gave_up_waiting_is_not_reported() -> None:
    began, goes_on, reported = threading.Event(), threading.Event(), list[AmrError]()

    def work(is_wanted: bool, go_on: Callable[[], bool]) -> None:
        began.set()
        goes_on.wait(30)
        raise AmrError("the connection is closed")

    background = BackgroundWork("slow", work, failed=reported.append, last=0.01)
    background.wake()
    [thread] = [each for each in threading.enumerate() if each.name == "slow"]
    assert began.wait(30)
    background.close(0.01)
    goes_on.set()
    thread.join(30)
    assert not thread.is_alive() and reported == []


def test_a_bug_in_the_work_is_told_and_the_thread_goes_on() -> None:
    told, done = [], threading.Event()

    def work(wanted: bool, goes_on: Callable[[], bool]) -> None:
        if not told:
            raise KeyError("a bug")
        done.set()

    background = BackgroundWork("amr-test", work, failed=told.append, pauses=(0.01, 0.01))
    background.wake()
    assert done.wait(20)
    background.close()
    assert [str(error) for error in told] == ["internal error: KeyError"]
