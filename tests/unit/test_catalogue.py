"""The catalogue of models: prices, limits, parameters and end dates, as they reach requests and notices."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from datetime import date, timedelta
from typing import Any, Literal

import pytest

from amr_neo4j.domain.chat import Message, ModelCall, Prompt
from amr_neo4j.errors import ConfigError, CostLimit, ReplyCut
from amr_neo4j.model_roles import EmbedRole, JudgeRole, TextRole
from amr_neo4j.models.catalogue import catalogue, known_model
from amr_neo4j.models.chat import Chat
from amr_neo4j.models.client import ModelClient
from amr_neo4j.models.embedder import ApiEmbedder
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint
from amr_neo4j.recall.retrieve.retriever import BACKGROUND
from amr_neo4j.settings import load
from amr_neo4j.threads import started
from tests.support.provider_replies import Elsewhere, Replies, said

TODAY = date(2026, 11, 27)
PROMPT = Prompt((Message("user", "What is the weather?"),))


@pytest.fixture
def server() -> Iterator[Replies]:
    with Replies() as replies:
        yield replies


def at(server: Replies, model: str, role: str = "text") -> Elsewhere:
    return Elsewhere(role, server.url, model)


@pytest.mark.parametrize("role", ["analyse", "refine", "text", "judge", "answer", "explore", "embed"])
def test_no_default_model_ends(role: Literal["judge"]) -> None:
    to = endpoint(load(provider="openrouter", openrouter_api_key="key"), role)
    assert to and to.known
    assert to.known.ends is None


def test_every_successor_is_in_the_catalogue_and_does_not_end() -> None:
    successors = [catalogue()[row.successor] for row in catalogue().values() if row.ends]
    assert successors
    assert not any(row.ends for row in successors)


@pytest.mark.parametrize(
    ("judge", "cost"),
    [
        ({}, 12.0),
        ({"model": "of/nobody"}, None),
        ({"model": "of/nobody", "price_in": 3}, None),
        ({"model": "of/nobody", "price_in": 0, "price_out": 0}, 0),
        ({"price_out": 1}, 3.0),
        ({"model": "gpt-4o"}, 12.5),
        ({"model": "gpt-6-luna"}, 0.6),
        ({"model": "gemini-2.5-pro"}, 11.25),
        ({"model": "models/gemini-3.8-flash"}, 4.5),
        ({"model": "somebody/gpt-4o"}, None),
    ],
)
def test_prices_per_million_tokens(judge: dict[str, object], cost: float | None) -> None:
    role = JudgeRole.model_validate(judge)
    to = Elsewhere("judge", "http://127.0.0.1:9/v1", role.model)
    client = ModelClient(to, role, Ledger(lambda line: None, day=lambda: TODAY))
    assert client.cost(1_000_000, 1_000_000) == cost


def test_a_price_changes_on_its_day() -> None:
    row = known_model("google/gemini-3.8-flash")
    assert row
    assert row.price_on(date(2026, 12, 31)) == (0.75, 3.75)
    assert row.price_on(date(2027, 1, 1)) == (1.5, 7.5)


@pytest.mark.parametrize(
    ("model", "day", "said"),
    [
        ("gpt-4o", date(2026, 11, 15), "gpt-4o ends on 2027-01-14; the provider recommends openai/gpt-6-luna"),
        ("gpt-4o", date(2026, 11, 14), ""),
        (
            "google/gemini-2.5-pro",
            date(2026, 12, 1),
            "ended on 2026-12-01; the provider recommends google/",
        ),
        ("gpt-6-luna", date(2030, 1, 1), ""),
        ("of/nobody", TODAY, ""),
    ],
)
def test_the_end_of_a_model_is_said_once_for_60_days(model: str, day: date, said: str) -> None:
    lines: list[str] = []
    ledger = Ledger(lines.append, day=lambda: day)
    for _ in range(2):
        ledger.announce(Elsewhere("judge", "http://127.0.0.1:9/v1", model), 0.1)
    ends = [line for line in lines if "ende" in line or "ends" in line]
    assert len(ends) == bool(said)
    assert said in "".join(ends)


def test_a_server_of_ones_own_may_call_any_model_so() -> None:
    lines: list[str] = []
    Ledger(lines.append, day=lambda: TODAY).announce(Endpoint("judge", "http://127.0.0.1:9/v1", "gpt-5"), 0.0)
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("gpt-6-luna", {"reasoning_effort": "none", "temperature": 0.0}),
        ("openai/gpt-6-luna", {"reasoning_effort": "none", "temperature": 0.0}),
        ("gpt-6.1-sol", {}),
        ("gpt-4o", {"temperature": 0.0}),
    ],
)
def test_a_request_has_the_parameters_that_its_model_takes(server: Replies, model: str, sent: dict[str, Any]) -> None:
    """Thinking would count towards max_tokens, which is 500 for `text`."""
    server.reply = lambda _: said("It rains.")
    Chat(at(server, model), TextRole(), Ledger(lambda line: None)).complete(PROMPT)
    [body] = server.received
    assert {name: body[name] for name in ("reasoning_effort", "temperature") if name in body} == sent


@pytest.mark.parametrize(("model", "asked"), [("gpt-4o", [10_000, 16_384]), ("of/nobody", [10_000, 40_000])])
def test_an_empty_reply_is_asked_for_again_within_the_limit_of_the_model(
    server: Replies, model: str, asked: list[int]
) -> None:
    server.reply = lambda _: said("", "length")
    chat = Chat(at(server, model), TextRole(max_tokens=10_000), Ledger(lambda line: None))
    with pytest.raises(ReplyCut, match="10000 tokens"):
        chat.complete(PROMPT)
    assert [body["max_tokens"] for body in server.received] == asked


def test_no_more_tokens_are_asked_for_at_the_limit_of_the_model(server: Replies) -> None:
    server.reply = lambda _: said("", "length")
    with pytest.raises(ReplyCut):
        Chat(at(server, "gpt-4o"), TextRole(max_tokens=16_384), Ledger(lambda line: None)).complete(PROMPT)
    assert len(server.received) == 1


def test_a_refusal_of_more_tokens_leaves_the_reply_cut_off(server: Replies) -> None:
    error = {"error": {"code": 400, "message": "max_tokens is too large"}}
    server.reply = lambda body: (
        said("", "length") if body["max_tokens"] == 500 else (400, "application/json", json.dumps(error).encode())
    )
    with pytest.raises(ReplyCut, match="500 tokens"):
        Chat(at(server, "of/nobody"), TextRole(), Ledger(lambda line: None)).complete(PROMPT)


LISTED = {
    "data": [
        {"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "of/nobody", "pricing": {"prompt": "0.000002", "completion": "0.00001"}},
        {"id": "with/fee", "pricing": {"prompt": "0.000002", "completion": "0.00001", "request": "0.005"}},
        {"id": "nomic/embed", "pricing": {"prompt": "0.00000002", "completion": "0"}},
    ]
}


def test_a_cost_limit_takes_an_unknown_price_from_the_list_of_the_server_once(server: Replies) -> None:
    server.listed = LISTED
    server.reply = lambda _: said("It rains.")
    ledger = Ledger(lambda line: None, limit_usd=1.0)
    chat = Chat(at(server, "of/nobody"), TextRole(), ledger)
    for _ in range(2):
        chat.complete(PROMPT)
    assert server.asked == ["/v1/models"]
    assert ledger.calls[0].cost_usd == pytest.approx(0.000002)
    assert chat.most_cost(1_000_000) == pytest.approx(2.005)


@pytest.mark.parametrize("model", ["auto", "with/fee", "not/listed"])
def test_a_cost_limit_refuses_a_model_of_unknown_price(server: Replies, model: str) -> None:
    server.listed = LISTED
    with pytest.raises(ConfigError, match=f"price of {model} is not known") as caught:
        Chat(at(server, model), TextRole(), Ledger(lambda line: None, limit_usd=1.0)).complete(PROMPT)
    assert "price_in and price_out under text" in caught.value.hint
    assert server.received == []


def test_without_a_limit_no_list_is_asked_for(server: Replies) -> None:
    server.reply = lambda _: said("It rains.")
    ledger = Ledger(lambda line: None)
    Chat(at(server, "of/nobody"), TextRole(), ledger).complete(PROMPT)
    assert server.asked == []
    assert ledger.calls[0].cost_usd is None


def test_a_price_of_embeddings_is_found_in_their_own_list(server: Replies) -> None:
    server.listed = LISTED
    data = {"data": [{"index": 0, "embedding": [1.0, 2.0]}], "usage": {"prompt_tokens": 1_000}}
    server.reply = lambda _: (200, "application/json", json.dumps(data).encode())
    ledger = Ledger(lambda line: None, limit_usd=1.0)
    embedder = ApiEmbedder(at(server, "nomic/embed", "embed"), EmbedRole(model="nomic/embed"), ledger)
    embedder.embed(["tea"])
    assert server.asked == ["/v1/embeddings/models"]
    assert ledger.calls[-1].cost_usd == pytest.approx(0.00002)


def test_each_payer_has_a_limit_of_its_own_on_each_day() -> None:
    day = [TODAY]
    ledger = Ledger(lambda line: None, day=lambda: day[0])

    def call(cost: float) -> None:
        with ledger.reserve(cost):
            ledger.add(ModelCall("text", "of/nobody", cost_usd=cost))

    with ledger.paid_by("anna", "a_day", 0.75):
        started(lambda: call(0.5)).result()  # in a thread
    with ledger.paid_by("ben", "a_day", 0.75):
        call(0.5)
    with ledger.paid_by("anna", "a_day", 0.75):
        with pytest.raises(CostLimit, match="exceed a_day"):
            call(0.5)
        call(0.25)
    assert not ledger.is_limited, "outside, nobody is charged"
    day[0] += timedelta(days=1)
    with ledger.paid_by("anna", "a_day", 0.75):
        call(0.75)
        day[0] += timedelta(days=1)  # a live source runs for weeks
        call(0.75)
        with pytest.raises(CostLimit, match="exceed a_day"):
            call(0.25)
    assert ledger.usage().cost_usd == pytest.approx(2.75)


def test_a_ledger_sums_all_calls_and_keeps_the_latest() -> None:
    """A server runs for months, so what it holds must not grow with the calls that it makes."""
    ledger = Ledger(lambda line: None)
    for number in range(3000):
        ledger.add(ModelCall("text", "m", tokens_in=number, failed="ModelError" if number % 3 == 0 else ""))
    assert (ledger.usage("text").calls, ledger.usage().failed, ledger.usage("judge").calls) == (3000, 1000, 0)
    assert ledger.usage().tokens_in == sum(range(3000))
    assert (len(ledger.calls), ledger.calls[-1].tokens_in) == (1000, 2999)


@pytest.mark.parametrize("start", [started, BACKGROUND.submit], ids=["hearing, analysis", "embedding of questions"])
def test_calls_in_other_threads_count_for_the_payer(start: Callable[[Callable[[], None]], Future[None]]) -> None:
    ledger = Ledger(lambda line: None)
    with ledger.paid_by("anna", "serve_key_usd_a_day", 1.0):
        start(lambda: ledger.add(ModelCall("embed", "m", cost_usd=0.8))).result(60)
        assert not ledger.affords(0.4)
    with ledger.paid_by("ben", "serve_key_usd_a_day", 1.0):
        assert ledger.affords(0.4)
