"""The embedder behind the OpenAI API, where it differs from the local ones (those: test_embedders.py)."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ConfigError, ModelUnavailable, NoSuchModel, UnusableReply
from amr_neo4j.models.embedder import ApiEmbedder
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.opener import endpoint
from amr_neo4j.settings import load
from amr_neo4j.store.database import Database
from amr_neo4j.wiring.embedder import open_brief_embedder, open_embedder
from amr_neo4j.wiring.parts import Parts
from tests.support.model_server import ModelServer
from tests.support.model_wire import embedding


def opened(server: ModelServer, ledger: Ledger | None = None, **embed: Any) -> Embedder:
    given = {"model": "hashed", "dimensions": 8, "price_in": 1, **embed}
    settings = load(provider=server.url, embed=given)
    to = endpoint(settings, "embed")
    assert to
    return ApiEmbedder(to, settings.embed, ledger or Ledger(lambda line: None), sleep=lambda seconds: None)


def unit(text: str, dim: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = embedding(text, dim)
    return vector / np.linalg.norm(vector)


def test_many_texts_are_batched_and_returned_in_order(model_server: ModelServer) -> None:
    ledger = Ledger(lambda line: None)
    texts = [f"house number {number}" for number in range(300)]
    vectors = opened(model_server, ledger).embed(texts)
    assert [len(request.body["input"]) for request in model_server.requests] == [128, 128, 44]
    np.testing.assert_allclose(vectors, np.vstack([unit(text, 8) for text in texts]), atol=1e-6)
    assert (ledger.usage("embed").calls, ledger.usage("embed").cost_usd) == (3, pytest.approx(300e-6))


def test_long_texts_are_truncated_and_sent_in_more_requests(model_server: ModelServer) -> None:
    opened(model_server).embed(["word " * 10_000] * 60)
    assert [len(request.body["input"]) for request in model_server.requests] == [25, 25, 10]
    assert max(len(text) for request in model_server.requests for text in request.body["input"]) <= 8_000


def test_texts_that_servers_refuse_are_not_sent(model_server: ModelServer) -> None:
    assert opened(model_server).embed(["", " \n", "half \ud83d"]).shape == (3, 8)
    assert model_server.requests[0].body["input"] == [".", ".", "half ?"]


@pytest.mark.parametrize(
    ("model", "dimensions", "name", "dim", "requests"),
    [
        ("openai/text-embedding-3-large", None, "text-embedding-3-large", 3072, 0),
        ("openai/text-embedding-3-large", 256, "text-embedding-3-large@256", 256, 0),
        ("nomic-embed-text", None, "nomic-embed-text", 256, 1),
    ],
)
def test_the_model_name_stored_in_the_group(
    model_server: ModelServer, model: str, dimensions: int | None, name: str, dim: int, requests: int
) -> None:
    """A model has one name at every provider, and another one for vectors of another length."""
    embedder = opened(model_server, model=model, dimensions=dimensions)
    assert (embedder.model, embedder.dim, len(model_server.requests)) == (name, dim, requests)


def test_a_server_that_returns_numbers_instead_of_base64_works(model_server: ModelServer) -> None:
    model_server.then(refused=["encoding_format"], times=None)
    np.testing.assert_allclose(opened(model_server).embed(["a house"])[0], unit("a house", 8), atol=1e-6)
    assert ["encoding_format" in request.body for request in model_server.requests] == [True, False]


@pytest.mark.parametrize(
    ("reply", "error", "said"),
    [
        ({"data": []}, UnusableReply, "0 vectors for 2 texts"),
        ({"data": [{"index": 1, "embedding": [1.0]}] * 2}, UnusableReply, "1 vectors for 2 texts"),
        ({"data": [{"index": n, "embedding": [1.0]} for n in (0, 1)]}, UnusableReply, "of 1 dimensions, not 8"),
        ({"data": [{"index": n, "embedding": [0.0] * 8} for n in (0, 1)]}, UnusableReply, "of zeros or non-finite"),
        ({"data": [{"index": n, "embedding": "AAAA"} for n in (0, 1)]}, ModelUnavailable, "no valid OpenAI"),
        ({"data": "none"}, ModelUnavailable, "no valid OpenAI API response"),
    ],
)
def test_an_invalid_embedding_is_an_error(
    model_server: ModelServer, reply: dict[str, Any], error: type[Exception], said: str
) -> None:
    model_server.then(reply, times=None)
    with pytest.raises(error, match=said) as raised:
        opened(model_server).embed(["one", "two"])
    assert getattr(raised.value, "hint", "")


def test_a_missing_model_is_an_error(model_server: ModelServer) -> None:
    model_server.then(fault="unknown_model")
    with pytest.raises(NoSuchModel, match="model under embed"):
        opened(model_server).embed(["one"])


def test_an_embedder_without_a_provider_is_an_error() -> None:
    with pytest.raises(ConfigError, match="needs a provider"):
        open_embedder(load(embedder="api"))


@pytest.mark.parametrize("texts", [["Where is it?"], ["A turn of many."] * 100])
def test_who_waits_is_told_soon_that_the_embedder_is_away(texts: list[str]) -> None:
    """A question waits briefly, and the next ones of an outage not at all.

    A hundred turns that are remembered together are no reason to wait for longer: reads of their user wait for them.
    """
    # It accepts connections and never replies, as an overloaded server does.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        settings = load(embedder="api", provider=url, embed={"model": "m", "dimensions": 4, "wait_s": 0.3})
        brief = open_brief_embedder(settings, open_embedder(settings))
        took: list[float] = []
        for _ in range(2):
            begin = time.monotonic()
            with pytest.raises(ModelUnavailable):
                brief.embed(texts)
            took.append(time.monotonic() - begin)
        assert took[0] < 30 < settings.embed.patience_s, "the role allows two minutes"
        assert took[1] < took[0]


def test_many_texts_are_embedded_in_their_order_once_the_first_came_back(model_server: ModelServer) -> None:
    settings = load(embedder="api", provider=model_server.url, embed={"model": "m", "dimensions": 4})
    embedder = open_embedder(settings)
    texts = [f"turn {number}" for number in range(40)]
    vectors = open_brief_embedder(settings, embedder).embed(texts)
    np.testing.assert_allclose(vectors, np.vstack([unit(text, 4) for text in texts]), atol=1e-6)


def test_an_outage_that_a_turn_notices_is_known_to_questions(tmp_path: Path) -> None:
    """Turns and questions of a memory have one embedder, so that an outage is waited for once."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        embed = {"model": "m", "dimensions": 4, "wait_s": 0.3}
        settings = load(data_dir=tmp_path, embedder="api", provider=url, embed=embed)
        parts = Parts(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), print)
        with pytest.raises(ModelUnavailable) as noticed:
            parts.brief_embedder().embed(["I live in Porto."])
        # A call would now end with another error.
        silent.close()
        with pytest.raises(ModelUnavailable) as known:
            parts.question_embedder().embed(["Where do I live?"])
        parts.close()
    assert known.value.message == noticed.value.message
