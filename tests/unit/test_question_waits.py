"""What a question waits for models that are busy or away, and which model it says has answered."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest

from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.errors import ModelBusy, ModelUnavailable
from amr_neo4j.model_roles import AnswerRole, TextRole
from amr_neo4j.models.chat import Chat
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.retries import AdaptiveConcurrency, WaitBudget
from tests.support.provider_replies import Elsewhere, Replies, said

PROMPT = Prompt((Message("user", "What is the weather?"),))
BUSY = 429, "application/json", b'{"error": {"code": 429, "message": "too many requests"}}'


@pytest.fixture
def server() -> Iterator[Replies]:
    with Replies() as replies:
        yield replies


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port to which no connection is ever made: its queue is full."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        time.sleep(0.05)
        yield port
        for each in waiting:
            each.close()


def test_busy_models_of_three_roles_are_waited_for_five_seconds_in_all(server: Replies) -> None:
    server.reply = lambda _: BUSY
    slept: list[float] = []
    budget = WaitBudget(5.0)
    for role in ("text", "judge", "answer"):
        chat = Chat(Endpoint(role, server.url, "m"), AnswerRole(), Ledger(lambda line: None), sleep=slept.append)
        with pytest.raises(ModelBusy):
            chat.for_question(budget).complete(PROMPT)
    assert sum(slept) <= 5.0
    assert len(slept) >= 2, "it is tried again while there is time"
    assert len(server.received) == len(slept) + 3, "each role is tried once, as its server may be another"


def test_without_a_question_a_busy_model_is_waited_for_longer(server: Replies) -> None:
    server.reply = lambda _: BUSY
    slept: list[float] = []
    chat = Chat(server.endpoint(), TextRole(), Ledger(lambda line: None), sleep=slept.append)
    chat.for_question(WaitBudget(0.0))
    with pytest.raises(ModelBusy):
        chat.complete(PROMPT)
    assert len(slept) == 4


def test_a_server_that_takes_no_connection_costs_the_budget_alone(silent_port: int) -> None:
    budget, begin = WaitBudget(0.6), time.monotonic()
    for role in ("text", "judge", "answer"):
        to = Endpoint(role, f"http://127.0.0.1:{silent_port}/v1", "m", finds_model=role == "text")
        chat = Chat(to, AnswerRole(), Ledger(lambda line: None)).for_question(budget)
        why = "cannot connect to m at" if role == "text" else "m at .* was not asked again"
        with pytest.raises(ModelUnavailable, match=why):
            chat.complete(PROMPT)
    assert time.monotonic() - begin < 5, "where one role alone would wait for 60 s"


def test_a_reply_under_way_is_waited_for_as_long_as_its_role_says(server: Replies) -> None:
    def slow(body: object) -> tuple[int, str, bytes]:
        time.sleep(0.6)
        return said("It rains.")

    server.reply = slow
    chat = Chat(server.endpoint(), AnswerRole(), Ledger(lambda line: None)).for_question(WaitBudget(0.1))
    assert chat.complete(PROMPT) == "It rains."


def test_a_busy_connection_is_not_waited_for_forever() -> None:
    slots = AdaptiveConcurrency(1)
    with slots.slot(), pytest.raises(ModelUnavailable, match="in use"), slots.slot(0.01):
        pytest.fail("there was one slot")
    with slots.slot(0.01):
        assert slots.limit == 1


def test_what_a_model_refuses_and_what_a_server_serves_is_learned_once_for_all_questions(server: Replies) -> None:
    server.listed = {"data": [{"id": "eye"}]}
    refusal = {"error": {"code": 400, "message": "temperature is not supported", "param": "temperature"}}
    server.reply = lambda body: (
        (400, "application/json", json.dumps(refusal).encode()) if "temperature" in body else said("It rains.")
    )
    chat = Chat(Endpoint("answer", server.url, "none", finds_model=True), AnswerRole(), Ledger(lambda line: None))
    for _ in range(3):
        chat.for_question(WaitBudget(1.0)).complete(PROMPT)
    assert server.asked == ["/v1/models"]
    assert ["temperature" in body for body in server.received] == [True, False, False, False]


def test_errors_name_the_model_that_is_served_and_not_the_one_that_was_set(server: Replies) -> None:
    server.listed = {"data": [{"id": "eye"}]}
    server.reply = lambda _: BUSY
    to = Endpoint("answer", server.url, "openai/gpt-6-luna", finds_model=True)
    chat = Chat(to, AnswerRole(), Ledger(lambda line: None)).for_question(WaitBudget(0.0))
    with pytest.raises(ModelBusy, match=f"^eye at {server.url} failed with 429"):
        chat.complete(PROMPT)


@pytest.mark.parametrize(
    ("asked", "answered", "line"),
    [
        ("gemini-2.5-pro", "gemini-3.8-flash", "gemini-3.8-flash answered"),
        ("gpt-4o", "gpt-4o-2024-08-06", ""),
        ("openai/gpt-6-luna", "gpt-6-luna", ""),
        ("gpt-6-luna", "", ""),
    ],
)
def test_a_question_names_the_model_that_answered(server: Replies, asked: str, answered: str, line: str) -> None:
    reply = {"model": answered, "choices": [{"message": {"content": "It rains."}, "finish_reason": "stop"}]}
    server.reply = lambda _: (200, "application/json", json.dumps(reply).encode())
    lines: list[str] = []
    ledger = Ledger(lines.append)
    chat = Chat(Elsewhere("answer", server.url, asked), AnswerRole(), ledger)
    asking = chat.for_question(WaitBudget(1.0))
    for _ in range(2):
        asking.complete(PROMPT)
    assert asking.model == ledger.calls[-1].model == (answered or asked)
    assert chat.model == asked, "what is stored with clips and mentions keeps its name"
    assert sum("answered" in each for each in lines) == bool(line)
    assert line in "".join(lines)
