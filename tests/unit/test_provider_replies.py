"""Replies and errors in the forms that providers and local servers send them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.errors import AmrError, NoSuchModel, RequestRefused
from amr_neo4j.model_roles import EmbedRole, TextRole
from amr_neo4j.models.chat import Chat
from amr_neo4j.models.embedder import ApiEmbedder
from amr_neo4j.models.ledger import Ledger
from tests.support.provider_replies import Replies

CASES = yaml.safe_load(Path("tests/support/providers/replies.yaml").read_text())
PROMPT = Prompt((Message("user", "What is the weather?"),))


@pytest.fixture
def server() -> Iterator[Replies]:
    with Replies() as replies:
        yield replies


@pytest.mark.parametrize("case", CASES, ids=[case["kind"] for case in CASES])
def test_each_form_of_a_reply_is_read_and_each_error_is_of_its_kind(server: Replies, case: dict[str, Any]) -> None:
    body = case["body"]
    is_stream = isinstance(body, list) and isinstance(body[0], str)
    text = (
        "".join(f"{line}\n\n" for line in body) if is_stream else body if isinstance(body, str) else json.dumps(body)
    )
    kind = case.get("type", "text/event-stream" if is_stream else "application/json")
    server.reply = lambda _: (case["status"], kind, text.encode())
    ledger = Ledger(lambda line: None)
    chat = Chat(server.endpoint(), TextRole(), ledger, sleep=lambda seconds: None)
    try:
        found = "".join(chat.stream(PROMPT)) if is_stream else chat.complete(PROMPT)
        assert found.strip() == case["expect"]
    except AmrError as error:
        assert type(error).__name__ == case["expect"], error
        assert case.get("says", "") in str(error)
    assert len(server.received) == case.get("requests", 1)
    if "cost" in case:
        assert ledger.calls[-1].cost_usd == case["cost"]


@pytest.mark.parametrize(
    ("most", "refusal"),
    [
        (100, "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"),  # Gemini
        (32, "batch size 128 > maximum allowed batch size 32"),  # Text Embeddings Inference
        (10, "Value error, batch size is invalid, it should not be larger than 10.: input.contents"),  # DashScope
    ],
)
def test_the_server_says_how_many_texts_it_embeds_at_once(server: Replies, most: int, refusal: str) -> None:
    """Gemini leaves out the index of the first vector."""

    def reply(body: dict[str, Any]) -> tuple[int, str, bytes]:
        texts = body["input"]
        if len(texts) > most:
            return 400, "application/json", json.dumps([{"error": {"code": 400, "message": refusal}}]).encode()
        data = [{"index": at, "embedding": [float(text), 1.0]} for at, text in enumerate(texts)]
        del data[0]["index"]
        return 200, "application/json", json.dumps({"data": data}).encode()

    server.reply = reply
    role = EmbedRole(dimensions=2)
    embedder = ApiEmbedder(server.endpoint(), role, Ledger(lambda line: None), sleep=lambda seconds: None)
    vectors = embedder.embed([str(number) for number in range(250)])
    assert [round(float(x / y)) for x, y in vectors] == list(range(250))
    refused = [request for request in server.received if len(request["input"]) > most]
    assert len(refused) == 1, "later requests keep to the limit"


def test_another_refusal_of_an_embedding_is_not_sent_in_parts(server: Replies) -> None:
    error = {"error": {"code": 400, "message": "at most 8 languages"}}
    server.reply = lambda _: (400, "application/json", json.dumps(error).encode())
    embedder = ApiEmbedder(server.endpoint(), EmbedRole(dimensions=2), Ledger(lambda line: None))
    with pytest.raises(RequestRefused, match="at most 8 languages"):
        embedder.embed([str(number) for number in range(20)])
    assert len(server.received) == 1


def test_where_footage_may_go_is_never_left_out_of_a_request(server: Replies) -> None:
    """A server that does not know the parameter refuses it; that is no reason to send the footage without it."""
    error = {"error": {"code": 400, "message": "provider is not supported", "param": "provider"}}
    server.reply = lambda _: (400, "application/json", json.dumps(error).encode())
    to = replace(server.endpoint(), extras={"provider": {"data_collection": "deny"}})
    with pytest.raises(RequestRefused):
        Chat(to, TextRole(), Ledger(lambda line: None)).complete(PROMPT)
    assert [body["provider"] for body in server.received] == [{"data_collection": "deny"}]


def test_no_company_that_fits_the_routing_is_an_error_that_names_it(server: Replies) -> None:
    error = {"error": {"code": 404, "message": "No endpoints found matching your data policy"}}
    server.reply = lambda _: (404, "application/json", json.dumps(error).encode())
    to = replace(server.endpoint(), extras={"provider": {"zdr": True}})
    with pytest.raises(NoSuchModel, match="data policy") as caught:
        Chat(to, TextRole(), Ledger(lambda line: None)).complete(PROMPT)
    assert "routing" in caught.value.hint
