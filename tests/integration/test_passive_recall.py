"""Passive recall: from the two turns before, cached for the next turn, never in the way, within the budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from amr_neo4j import Memory
from amr_neo4j.app.passive_recall import PassiveStream
from amr_neo4j.domain.budget import Budget, estimated_tokens
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Recalled, Scope, Streamed
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.counting_embedder import CountingEmbedder

ASK = [{"role": "user", "content": "Anything?"}]


class Bag(CountingEmbedder):
    """Texts are similar by the words that they share. slow: seconds that a call takes."""

    unrelated = 0.3

    def __init__(self, model: str) -> None:
        super().__init__(model, dim=256)
        self.slow = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        time.sleep(self.slow)
        bags = [[word.strip(".,?!:") for word in text.lower().split()] for text in texts]
        return self._unit([sum(super(Bag, self).embed(bag)) for bag in bags])

    @staticmethod
    def _unit(rows: Sequence[Any]) -> Vectors:
        import numpy as np

        vectors = np.asarray(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def bag(group_id: str) -> Bag:
    return Bag(f"bag-{group_id}")


@pytest.fixture
def memory(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, bag: Bag, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    monkeypatch.setenv("HOTMEM_LANGS", "en")
    with talking(neo4j_connection, group_id, tmp_path, embedder=bag) as memory:
        before = memory.chat(user_id="anna", session_id="before")
        for text in ("Rex the dog is allergic to chicken.", "We drove to Lisbon by train in May."):
            before.observe(text)
        assert memory._parts.live_chats().wait(20) and memory._parts.queue_embedder().wait(20)
        yield memory


def lines(messages: Sequence[Any]) -> list[str]:
    return [line for m in messages if m.get("name") == "amr_memory" for line in m["content"].splitlines()]


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
    return holds()


def test_the_turns_before_the_last_bring_episodes_to_mind(memory: Memory) -> None:
    """Turn N gets what turns N-2 and N-1 brought to mind; its own words bring it to the turn after."""
    chat = memory.chat(user_id="anna", session_id="now")
    chat.observe("A train to Lisbon in May would be nice.")
    assert not [line for line in lines(chat.inject(ASK)) if "drove" in line]
    recalled = memory._parts.live_chats()._recall
    assert within(10, recalled._jobs.empty) and within(10, lambda: bool(_coming(chat).done()))
    chat.observe("And what else?")
    [found] = [line for line in lines(chat.inject(ASK)) if "drove" in line]
    assert found.endswith("user: We drove to Lisbon by train in May.") and found.startswith("• 20")
    assert lines(chat.inject(ASK)).index(found) > lines(chat.inject(ASK)).index("Earlier, if it helps:")


def _coming(chat: Any) -> Any:
    return chat._passive._coming


def test_a_slow_embedder_costs_the_turn_nothing(memory: Memory, bag: Bag) -> None:
    chat = memory.chat(user_id="anna", session_id="now")
    chat.observe("Hello there.")  # loads the tables
    bag.slow = 3.0
    begin = time.perf_counter()
    for _ in range(5):
        chat.observe("Was it a train to Lisbon in May?")
        chat.inject(ASK)
    # Only the first question waits for it, half a second; five that wait would take longer than this.
    assert time.perf_counter() - begin < 2.4
    bag.slow = 0.0


def test_a_dead_database_costs_the_turn_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(self: object, *_: object, **__: object) -> None:
        raise StoreUnavailable("the database is away")

    chat = memory.chat(user_id="anna", session_id="now")
    chat.observe("Hello there.")
    monkeypatch.setattr("amr_neo4j.store.database.Database.read", away)
    for _ in range(3):
        turn = chat.observe("Was it a train to Lisbon in May?")
        assert within(5, lambda: _coming(chat).done()) and turn.milliseconds["total"] < 500
        assert _coming(chat).result() == Streamed()
    chat.inject(ASK)
    monkeypatch.undo()


def test_what_was_forgotten_does_not_come_to_mind(memory: Memory) -> None:
    """Neither from the graph nor from what was recalled before."""
    chat = memory.chat(user_id="anna", session_id="now")
    chat.observe("Was it a train to Lisbon in May?")
    assert within(10, lambda: _coming(chat).done()) and _coming(chat).result().episodes
    memory.forget(user_id="anna", session_id="before")
    memory.forget(user_id="anna", session_id="now")
    search = memory._parts.searching().open(Scope(memory.group_id, user_id="anna"))
    assert search.stream("Was it a train to Lisbon in May? Rex the dog.") == Streamed()
    chat.observe("And what else?")
    assert not [line for line in lines(chat.inject(ASK)) if "drove" in line]


def streaming(streamed: Streamed, budget: int = 1500) -> PassiveStream:
    """A stream that had two turns, and that found this at once."""
    stream = PassiveStream(
        lambda text, personal, skip: streamed, lambda job: job(), estimated_tokens, Budget(total=budget)
    )
    stream.said("e1", "one")
    stream.said("e2", "two")
    return stream


def test_the_budget_holds_in_the_prompt() -> None:
    facts = tuple(Recalled("fact", f"You like thing number {n}", 0.7, None, None) for n in range(40))
    stream = streaming(Streamed(facts, (Recalled("turn", "user: long " * 300, 0.7, None, None),)))
    hints = ["You like thing number 3", "You live in Ghent"]
    context = stream.context(["short"], [], hints, lambda triple: True, 40)
    assert context.facts[:3] == ("You like thing number 3", "You live in Ghent", "You like thing number 0")
    assert context.tokens["facts"] <= 200 and len(context.episodes) == 1
    assert len(context.facts) + sum(each.tier == "facts" for each in context.dropped) == 41
    crowded = streaming(Streamed(facts), budget=100).context(["word " * 200], [], ["You live in Ghent"], bool, 40)
    assert crowded.facts[0] == "You live in Ghent"
    assert crowded.tokens["facts"] <= 100 and len(crowded.facts) + len(crowded.dropped) == 41


def test_searches_that_nobody_waits_for_are_not_made() -> None:
    waiting: list[Callable[[], None]] = []
    asked: list[str] = []

    def search(text: str, personal: str, skip: Sequence[str]) -> Streamed:
        asked.append(text)
        return Streamed()

    stream = PassiveStream(search, waiting.append, estimated_tokens, 1500)
    for n in range(5):
        stream.said(f"e{n}", f"turn {n}")
    for job in waiting:
        job()
    assert asked == ["turn 2\nturn 3", "turn 3\nturn 4"]


def test_closing_does_not_wait_for_a_search(memory: Memory, bag: Bag) -> None:
    started = Event()
    search = memory._parts.live_chats()._recall._recall

    def hang(*arguments: Any) -> Streamed:
        started.set()
        time.sleep(1.5)
        return search(*arguments)

    memory._parts.live_chats()._recall._recall = hang  # type: ignore[method-assign]
    memory.chat(user_id="anna", session_id="now").observe("Was it a train?")
    assert started.wait(5)
    begin = time.perf_counter()
    memory._parts.live_chats()._recall.close()
    assert time.perf_counter() - begin < 0.5


def test_a_search_that_the_memory_is_closed_under_ends_without_a_word(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, closed = Event(), Event()

    class Search:
        def load(self) -> None: ...

        def turns_like(self, *_arguments: Any) -> dict[str, Any]:
            return {}

        def stream(self, *_arguments: Any) -> Streamed:
            started.set()
            assert closed.wait(5)
            raise BufferError("Existing exports of data: object cannot be re-sized")  # the driver, when it is closed

    failed: list[Any] = []
    monkeypatch.setattr("threading.excepthook", failed.append)
    memory._parts.searching.use(cast("Any", SimpleNamespace(open=lambda *_: Search())))
    memory.chat(user_id="anna", session_id="now").observe("Was it a train?")
    assert started.wait(5)
    passive = memory._parts.live_chats()._recall
    passive.close()
    closed.set()
    assert passive._thread is not None
    passive._thread.join(5)
    assert not passive._thread.is_alive() and failed == []
