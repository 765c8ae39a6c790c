"""A server that falls silent is given up; one that works for long, or whose call ended, is not."""

from __future__ import annotations

from threading import Event

import pytest

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
