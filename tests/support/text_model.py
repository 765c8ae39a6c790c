"""The chat model of the role `text`, on a scripted server."""

from __future__ import annotations

from amr_neo4j import settings
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import open_chat
from tests.support.model_server import ModelServer


def text_model(server: ModelServer) -> ChatModel:
    """It waits for nothing between two attempts, and announces nothing."""
    given = settings.load(provider=server.url, api_key="sk-test", text={"model": "text"})
    opened = open_chat(given, "text", Ledger(notify=lambda line: None), sleep=lambda seconds: None)
    assert opened
    return opened
