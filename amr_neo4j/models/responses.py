"""Responses of the OpenAI API, as far as they are read. Missing and null fields take defaults."""

from __future__ import annotations

import base64
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator, TypeAdapter

from amr_neo4j.domain.ports import Vectors


def _null_as(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


Count = Annotated[int, _null_as(0)]
Text = Annotated[str, _null_as("")]


class TokenUsage(BaseModel):
    """Tokens of a call. cost: US dollars, from providers that report it."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cost: float | None = None

    @property
    def is_reported(self) -> bool:
        """Whether it holds anything: some servers send it empty."""
        return bool(self.prompt_tokens or self.completion_tokens or self.cost is not None)


class ReportedError(BaseModel):
    """An error in a response of status 200, as OpenRouter sends them."""

    message: Text = ""
    code: int | str | None = None


class ResponseModel(BaseModel):
    """Fields that every response may have."""

    usage: TokenUsage | None = None
    error: ReportedError | None = None


class Content(BaseModel):
    """The text of a message, or of a piece of one."""

    content: Text = ""
    refusal: Text = ""


class Choice(BaseModel):
    message: Content = Content()
    finish_reason: Text = ""


class Completion(ResponseModel):
    """A chat completion."""

    choices: Annotated[list[Choice], _null_as([])] = []


class ChunkChoice(BaseModel):
    delta: Annotated[Content, _null_as({})] = Content()
    finish_reason: Text = ""


class Chunk(ResponseModel):
    """An event of a streamed chat completion."""

    choices: Annotated[list[ChunkChoice], _null_as([])] = []


def _vector(value: Any) -> Vectors:
    """(dim,) float32 from a list of numbers, or from float32 bytes in base64."""
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value), "<f4").astype(np.float32)
    return np.asarray(TypeAdapter(list[float]).validate_python(value), np.float32)


class Embedding(BaseModel):
    """The vector of the text at position `index` of the request."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: int
    embedding: Annotated[Vectors, PlainValidator(_vector)]


class Embeddings(ResponseModel):
    data: list[Embedding] = []
