"""The queue of facts that wait for an embedding, on a real Neo4j: durable, retried, given up, forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import FactChange, Triple
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import EmbedderMismatch, ModelUnavailable, RequestRefused
from amr_neo4j.facts.queue import MOST_ATTEMPTS, QueuedEmbedding, wait
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.counting_embedder import CountingEmbedder

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
PORTO, TEA = Triple("you", "lives_in", "porto"), Triple("you", "likes", "tea")


class Picky(CountingEmbedder):
    """Refuses texts with a word, or all while it is away."""

    def __init__(self, model: str = "counting") -> None:
        super().__init__(model)
        self.refuses, self.away = "", False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.away:
            raise ModelUnavailable("the embedder is away")
        if self.refuses and any(self.refuses in text for text in texts):
            raise RequestRefused("the text is refused")
        return super().embed(texts)


@pytest.fixture
def picky(group_id: str) -> Picky:
    return Picky(f"model-{group_id}")


@pytest.fixture
def memory(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, picky: Picky, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    monkeypatch.setenv("HOTMEM_LANGS", "en")
    with talking(neo4j_connection, group_id, tmp_path, embedder=picky) as memory:
        yield memory


def state(memory: Memory, text: str, minute: int, *triples: Triple, words: str = "") -> None:
    at = NINE + timedelta(minutes=minute)
    facts = [FactChange(t, at.timestamp(), words or " ".join(t), 0.7, language="en") for t in triples]
    episode = one_episode({"content": text, "at": at}, Session(memory.group_id, "anna", "monday"), at, ENGLISH)
    memory._parts.conversations(memory.group_id).record(
        [replace(episode, changes=tuple(facts), intake_id=uuid4().hex)]
    )


def found(memory: Memory, text: str, user: str = "anna") -> list[float]:
    """Cosines of the user's facts to a text, best first."""
    index = memory._parts.indexes.facts
    index.catch_up()
    vector = memory._parts.embedder().embed([text])[0]
    return [round(cosine, 3) for _, cosine in index.search(vector, 5, Scope(memory.group_id, user_id=user))]


def test_facts_wait_and_are_embedded_once(memory: Memory, picky: Picky) -> None:
    state(memory, "I live in Porto and like tea.", 0, PORTO, TEA)
    assert memory.fact_embeddings().waiting == 2
    assert (memory.embed_facts(), memory.embed_facts()) == (2, 0)
    assert sorted(picky.asked[-1]) == ["you likes tea", "you lives_in porto"]
    assert memory.fact_embeddings().waiting == 0
    assert found(memory, "you likes tea")[0] == 1.0
    assert not found(memory, "you likes tea", user="ben")
    assert memory.index_size("fact")[0] == memory.index_size("fact")[1] and memory.missing_vectors() == 0


def test_a_fact_in_other_words_is_embedded_again_under_its_number(memory: Memory) -> None:
    state(memory, "I like tea.", 0, TEA, words="You like tea")
    memory.embed_facts()
    state(memory, "Tea, please.", 1, TEA, words="You are fond of tea")
    assert memory.embed_facts() == 1
    assert found(memory, "You are fond of tea") == [1.0]


def test_what_waits_is_embedded_at_the_next_open(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, picky: Picky
) -> None:
    picky.away = True
    with talking(neo4j_connection, group_id, tmp_path, embedder=CountingEmbedder(picky.model)) as memory:
        state(memory, "I like tea.", 0, TEA)
    picky.away = False
    with talking(neo4j_connection, group_id, tmp_path, embedder=picky) as memory:
        assert memory._parts.queue_embedder().wait(10)
        assert memory.fact_embeddings().waiting == 0
        assert found(memory, "you likes tea") == [1.0]


def test_a_live_fact_is_embedded_in_the_background(memory: Memory) -> None:
    memory.chat(user_id="anna", session_id="monday").observe("I live in Porto.")
    memory._parts.live_chats().wait(10)
    assert memory._parts.queue_embedder().wait(10)
    assert memory.fact_embeddings().waiting == 0 and len(found(memory, "Porto")) == len(memory.facts(user_id="anna"))


def test_a_refused_fact_is_retried_with_pauses_then_given_up_with_the_reason(memory: Memory, picky: Picky) -> None:
    state(memory, "I live in Porto and like tea.", 0, PORTO, TEA)
    picky.refuses = "tea"
    moment = [datetime.now(UTC).timestamp()]
    embedding = QueuedEmbedding(memory._parts.embedding_queue, lambda: picky, lambda: moment[0])
    assert embedding.run() == 1, "the other one is embedded"
    for attempt in range(1, MOST_ATTEMPTS):
        tried = len(picky.asked)
        moment[0] += wait(attempt) - 0.5
        embedding.run()
        assert memory._parts.embedding_queue.next_at() and len(picky.asked) == tried
        moment[0] += 0.6
        embedding.run()
    waiting = memory.fact_embeddings()
    assert (waiting.waiting, waiting.failed) == (0, 1)
    assert waiting.reasons == (("anna", "you likes tea", "the text is refused"),)
    picky.refuses = ""
    assert (memory.embed_facts(), memory.embed_facts(retry=True)) == (0, 1)


def test_an_embedder_that_is_away_is_no_fault_of_a_fact(memory: Memory, picky: Picky) -> None:
    state(memory, "I like tea.", 0, TEA)
    picky.away = True
    for _ in range(MOST_ATTEMPTS + 1):
        with pytest.raises(ModelUnavailable):
            memory.embed_facts()
    picky.away = False
    assert memory.embed_facts() == 1


def test_forgotten_facts_leave_the_index(memory: Memory) -> None:
    state(memory, "I live in Porto and like tea.", 0, PORTO, TEA)
    memory.embed_facts()
    assert len(found(memory, "tea")) == 2
    memory.forget_facts(user_id="anna", subject="you", relation="likes")
    assert len(found(memory, "tea")) == 1
    memory.forget(user_id="anna")
    assert not found(memory, "tea")
    assert memory.index_size("fact")[0] == memory.index_size("fact")[1]


def test_another_model_is_refused_and_vanished_facts_are_left_alone(memory: Memory, picky: Picky) -> None:
    state(memory, "I like tea.", 0, TEA)
    queue = memory._parts.embedding_queue
    [waiting] = queue.due(datetime.now(UTC).timestamp(), 10)
    with pytest.raises(EmbedderMismatch):
        queue.commit([waiting], picky.embed([waiting.text]), "another")
    assert memory.forget_facts(user_id="anna", subject="you") == 1
    queue.commit([waiting], picky.embed([waiting.text]), picky.model)
    assert memory.forget_facts(user_id="anna", subject="you") == 0
    assert memory.fact_embeddings().waiting == 0 and not found(memory, "tea")
    memory.forget_group()
    queue.commit([waiting], picky.embed([waiting.text]), picky.model)
    assert memory.group_id not in [group.group_id for group in memory.groups()]


def test_reembedding_takes_facts_along(memory: Memory, group_id: str) -> None:
    state(memory, "I like tea.", 0, TEA)
    memory.embed_facts()
    other = CountingEmbedder(f"other-{group_id}")
    memory._parts.embedder.use(other)
    memory.reembed()
    assert any("you likes tea" in texts for texts in other.asked)
    assert found(memory, "you likes tea") == [1.0]
