"""Embeds texts over the OpenAI API, by any embedding model of a provider or of your own server."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy

import numpy as np

from amr_neo4j.domain.masking import mask_secrets
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.errors import ModelFailed, ModelUnavailable, RequestRefused, UnusableReply
from amr_neo4j.model_roles import EmbedRole
from amr_neo4j.models.catalogue import known_model
from amr_neo4j.models.client import ModelClient
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.responses import Embeddings

MAX_CHARACTERS = 8_000
# Somebody may wait for at most this many texts: those of a question, or the turns that were said last.
_FEW_TEXTS = 16
# Seconds for which an embedder that did not answer is not asked again.
_AWAY_SEC = 15.0
_BATCH_TEXTS, _BATCH_CHARACTERS = 128, 200_000
_LIMIT = re.compile(
    r"(?:at most|(?:larger|greater|more) than|maximum|limit|up to|exceed)[^\d]{0,40}(\d+)", re.IGNORECASE
)
# Sent for an empty text, which servers reject.
_EMPTY = "."
_OTHER_MODEL = "set model under embed, or run: amr index reembed"
_HINT_TO_RETRY = "run the command again; if that does not help, choose another model under embed"


class ApiEmbedder(Embedder):
    """The Embedder port (domain/ports.py) for the role `embed`. Thread-safe.

    Texts are truncated to 8,000 characters. In nearly any script these have fewer tokens than OpenAI's limit, 8,191.
    model: the name that is stored with a group, the same for OpenAI and OpenRouter. "@dimensions" is appended if set.
    """

    def __init__(
        self,
        to: Endpoint,
        role: EmbedRole,
        ledger: Ledger,
        *,
        stored: Callable[[], tuple[str, int] | None] = lambda: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Embeds one text to find the dimensions if they are neither set nor known.

        stored: (model, dimension) that the group was embedded with. They are taken for those of the server if it does
            not answer in `role.wait_s`, so that what was said is stored and searched by its words in the meantime.
        Raises ModelError.
        """
        self._role, self._ledger, self._sleep = role, ledger, sleep
        brief = role.model_copy(update={"timeout_s": role.wait_s, "patience_s": role.wait_s})
        self._client = ModelClient(to, brief, ledger, sleep=sleep)
        # Base64 is shorter than a list of decimal numbers.
        self._parameters: Json = {"encoding_format": "base64"}
        if role.dimensions:
            self._parameters["dimensions"] = role.dimensions
        self.unrelated, self.alike = role.unrelated, role.alike
        self._to = to
        self._batch_texts = _BATCH_TEXTS
        try:
            self._to = self._client.served()
            self.model = self._name_of(self._to)
            self.dim = role.dimensions or self._known_dimension(stored) or len(self._vectors([_EMPTY])[0])
        except ModelFailed:
            if (known := stored()) is None:
                raise
            self.model, self.dim = known
        # From here on calls may take as long as the role allows.
        self._client = ModelClient(to, role, ledger, sleep=sleep)

    def _name_of(self, to: Endpoint) -> str:
        # OpenRouter calls OpenAI's models "openai/...". Their vectors are the same, so either provider can go on
        # (decision 0044).
        name = to.model.removeprefix("openai/")
        return f"{name}@{self._role.dimensions}" if self._role.dimensions else name

    def _known_dimension(self, stored: Callable[[], tuple[str, int] | None]) -> int | None:
        if (row := known_model(self.model)) and row.dimensions:
            return row.dimensions
        known = stored()
        return known[1] if known and known[0] == self.model else None

    def within(self, seconds: float) -> ApiEmbedder:
        """Return this embedder with calls that take at most this many seconds."""
        brief = self._role.model_copy(update={"timeout_s": seconds, "patience_s": seconds})
        other = copy(self)
        other._client = ModelClient(self._to, brief, self._ledger, sleep=self._sleep)
        return other

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors, float32 of shape (len(texts), dim), each of length 1. Raises ModelError."""
        sent = [_sendable(mask_secrets(text)) for text in texts]
        rows = [vector for batch in _batches(sent, _BATCH_TEXTS) for vector in self._vectors(batch)]
        if not rows:
            return np.empty((0, self.dim), np.float32)
        if odd := {len(row) for row in rows} - {self.dim}:
            hint = "set dimensions under embed, or another model"
            raise UnusableReply(f"{self._to} returned vectors of {odd.pop()} dimensions, not {self.dim}", hint=hint)
        return _normalised(np.vstack(rows), self._to)

    def _vectors(self, batch: Sequence[str]) -> list[Vectors]:
        """Return one vector per text, in order."""
        if len(batch) > self._batch_texts:
            return [vector for smaller in _batches(batch, self._batch_texts) for vector in self._vectors(smaller)]
        body = {"input": list(batch), **self._parameters}
        try:
            reply = self._client.post("/embeddings", body, Embeddings, characters=sum(map(len, batch)))
        except RequestRefused as refusal:
            if not (most := _most_texts(refusal, len(batch))):
                raise
            self._batch_texts = most
            return self._vectors(batch)
        # The name was not known while the server did not answer.
        if (served := self._name_of(self._client.served())) != self.model:
            raise UnusableReply(f"{self._to.base_url} serves {served}, not {self.model}", hint=_OTHER_MODEL)
        # Some servers return the vectors in another order than the texts.
        is_indexed = any(embedding.index for embedding in reply.data)
        by_index = {embedding.index if is_indexed else place: embedding for place, embedding in enumerate(reply.data)}
        if sorted(by_index) != list(range(len(batch))):
            raise UnusableReply(
                f"{self._to} returned {len(by_index)} vectors for {len(batch)} texts", hint=_HINT_TO_RETRY
            )
        return [by_index[index].embedding for index in range(len(batch))]


class BriefEmbedder(Embedder):
    """An ApiEmbedder for a caller who waits for an answer or for a turn to be stored.

    The first few texts are waited for `role.wait_s` at most, and only if they come back are the others sent, with the
    patience of the role. After a call that failed, the next ones fail at once for a while, so that not each question
    of an outage waits. Thread-safe.
    """

    def __init__(self, embedder: ApiEmbedder, seconds: float) -> None:
        self._patient, self._brief = embedder, embedder.within(seconds)
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike
        self._away_until, self._away = 0.0, ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors as ApiEmbedder does. Raises ModelError."""
        if time.monotonic() < self._away_until:
            raise ModelUnavailable(self._away)
        try:
            first = self._brief.embed(texts[:_FEW_TEXTS])
            return np.vstack([first, self._patient.embed(texts[_FEW_TEXTS:])]) if texts[_FEW_TEXTS:] else first
        except RequestRefused:
            raise  # it answers, and refuses these texts
        except ModelFailed as error:
            self._away, self._away_until = error.message, time.monotonic() + _AWAY_SEC
            raise


def _normalised(vectors: Vectors, to: Endpoint) -> Vectors:
    """Return the rows scaled to length 1. Raises UnusableReply: a row has no direction."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths) & (lengths > 0)):
        raise UnusableReply(f"{to} returned a vector of zeros or non-finite numbers", hint=_HINT_TO_RETRY)
    return (vectors / lengths).astype(np.float32)


def _sendable(text: str) -> str:
    """Return the truncated text. Lone surrogates are replaced, because UTF-8 cannot encode them."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode().strip() or _EMPTY


def _most_texts(refusal: RequestRefused, sent: int) -> int | None:
    """Return how many texts the server takes in one request, as its refusal says; None if that is not its reason.

    Gemini takes 100, Text Embeddings Inference 32 by default, DashScope 10.
    """
    if "batch" not in refusal.message.casefold():
        return None
    found = [int(number) for number in _LIMIT.findall(refusal.message)]
    return next((number for number in found if 0 < number < sent), None)


def _batches(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """Split the texts, in order, into batches small enough for one request: of at most `most` texts."""
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == most or sum(map(len, batch)) + len(text) > _BATCH_CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
