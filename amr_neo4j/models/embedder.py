"""The embedder behind the OpenAI API: any model that a provider, or a server of one's own, offers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.errors import UnusableReply
from amr_neo4j.model_roles import EmbedRole
from amr_neo4j.models.client import ModelClient
from amr_neo4j.models.endpoints import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.responses import Embeddings
from amr_neo4j.models.unsupported_params import Body

MAX_CHARACTERS = 8_000
_TEXTS, _CHARACTERS = 128, 200_000
_DIMENSIONS = {"text-embedding-3-large": 3072, "text-embedding-3-small": 1536, "text-embedding-ada-002": 1536}
# A text without a word in it, for servers that take no empty ones.
_NOTHING = "."


class ApiEmbedder:
    """Embedder (domain/ports.py) for the role `embed`. Safe to use from several threads.

    A text counts with its first 8,000 characters: in nearly any script fewer than the 8,191 tokens that OpenAI takes.
    model: the name a group remembers, the same at OpenAI and OpenRouter, with the dimensions where they are not the
    model's own.
    """

    def __init__(
        self, to: Endpoint, role: EmbedRole, ledger: Ledger, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Asks the server once for a vector where nobody says how many dimensions the model has."""
        name = to.model.removeprefix("openai/")
        self.model = f"{name}@{role.dimensions}" if role.dimensions else name
        self.unrelated = role.unrelated
        self.alike = role.alike
        self._to = to
        self._asked: Body = {"encoding_format": "base64"}
        if role.dimensions:
            self._asked["dimensions"] = role.dimensions
        self._api = ModelClient(to, role, ledger, sleep)
        self.dim = role.dimensions or _DIMENSIONS.get(name) or len(self._vectors([_NOTHING])[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dim) float32, rows of length 1. Raises ModelError."""
        rows = [vector for batch in _batches([_sendable(text) for text in texts]) for vector in self._vectors(batch)]
        if not rows:
            return np.empty((0, self.dim), np.float32)
        if odd := {len(row) for row in rows} - {self.dim}:
            hint = "set dimensions under embed, or another model"
            raise UnusableReply(f"{self._to} gives vectors of {odd.pop()} dimensions, not {self.dim}", hint=hint)
        return _of_length_1(np.vstack(rows), self._to)

    def _vectors(self, batch: Sequence[str]) -> list[Vectors]:
        """One for each text, in order."""
        body = {"input": list(batch), **self._asked}
        reply = self._api.post("/embeddings", body, Embeddings, characters=sum(map(len, batch)))
        by_index = {embedded.index: embedded for embedded in reply.data}
        if sorted(by_index) != list(range(len(batch))):
            raise UnusableReply(f"{self._to} gives {len(by_index)} vectors for {len(batch)} texts")
        return [by_index[index].embedding for index in range(len(batch))]


def _of_length_1(vectors: Vectors, to: Endpoint) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths) & (lengths > 0)):
        raise UnusableReply(f"{to} gives vectors without a direction")
    return (vectors / lengths).astype(np.float32)


def _sendable(text: str) -> str:
    """As much of the text as counts, without half characters (lone surrogates), which no request can carry."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode().strip() or _NOTHING


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, few and short enough together for one request."""
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == _TEXTS or sum(map(len, batch)) + len(text) > _CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
