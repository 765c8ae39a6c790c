"""A server that falls silent is given up; one that works for long, or whose call ended, is not."""

from __future__ import annotations

import socket
import threading
from functools import partial
from threading import Event

import pytest

from amr_neo4j.store import database
from amr_neo4j.store.silence import SilenceWatch


@pytest.mark.parametrize("answers", [False, True])
def test_a_call_is_given_up_only_if_the_server_does_not_answer_another(answers: bool) -> None:
    asked, given_up = Event(), Event()

    def ask(seconds: float) -> bool:
        asked.set()
        return answers

    watch = SilenceWatch(0.1, answers=ask, give_up=given_up.set)
    with watch.watching() as was_given_up:
        assert asked.wait(5)
        assert given_up.wait(0.2 if answers else 5) != answers
        assert was_given_up() != answers


def test_calls_that_end_in_time_are_not_asked_about() -> None:
    asked = Event()
    watch = SilenceWatch(1.2, answers=lambda seconds: not asked.set(), give_up=asked.set)
    for _ in range(20):
        with watch.watching() as was_given_up:
            pass
        assert not was_given_up()
    assert not asked.wait(0.5)


def test_a_failure_of_the_watch_is_no_silence_and_ends_no_later_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither if no thread can be started, nor if asking or giving up fails."""
    asked, given_up, again = Event(), Event(), Event()

    def ask(seconds: float) -> bool:
        if not asked.is_set():
            asked.set()
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "not Bolt")
        return False

    def give_up() -> None:
        (again if given_up.is_set() else given_up).set()
        raise ValueError("a closed file")

    watch = SilenceWatch(0.1, answers=ask, give_up=give_up)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", _no_more_threads)
        with watch.watching() as was_given_up:
            assert not was_given_up()
    with watch.watching() as was_given_up:
        assert given_up.wait(5) and asked.is_set()
        assert was_given_up()
    with watch.watching():
        assert again.wait(5)


def _no_more_threads(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("listens", [True, False])
def test_a_server_that_refuses_new_connections_is_not_silent(listens: bool) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listens:
            server.listen()
        connect = partial(database._connected, f"bolt://127.0.0.1:{server.getsockname()[1]}", ("neo4j", "secret"))
        assert database._answers(connect, 0.5) != listens
