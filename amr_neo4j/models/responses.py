"""What comes back over the OpenAI API, as far as we read it. What a server leaves out is no reason to fail."""

from __future__ import annotations

import base64
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator, TypeAdapter

from amr_neo4j.domain.ports import Vectors


def _or(nothing: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: nothing if value is None else value)


Count = Annotated[int, _or(0)]
Text = Annotated[str, _or("")]


class Tokens(BaseModel):
    """What a call took. cost: US dollars, from providers that tell."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cost: float | None = None

    @property
    def tells(self) -> bool:
        """Whether there is anything in it: some servers send it empty."""
        return bool(self.prompt_tokens or self.completion_tokens or self.cost is not None)


class Failure(BaseModel):
    """An error that came under status 200, as OpenRouter sends them."""

    message: Text = ""
    code: int | str | None = None


class ResponseModel(BaseModel):
    """What every reply may carry."""

    usage: Tokens | None = None
    error: Failure | None = None


class Said(BaseModel):
    content: Text = ""
    refusal: Text = ""


class Choice(BaseModel):
    message: Said = Said()
    finish_reason: Text = ""


class Completion(ResponseModel):
    """A chat completion."""

    choices: Annotated[list[Choice], _or([])] = []


class Step(BaseModel):
    delta: Annotated[Said, _or({})] = Said()
    finish_reason: Text = ""


class Chunk(ResponseModel):
    """An event of a streamed chat completion."""

    choices: Annotated[list[Step], _or([])] = []


def _vector(given: Any) -> Vectors:
    """(dim,) float32 of a list of numbers, or of float32 bytes in base64."""
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given), "<f4").astype(np.float32)
    return np.asarray(TypeAdapter(list[float]).validate_python(given), np.float32)


class Embedded(BaseModel):
    """The vector of the text number `index` of the request."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: int
    embedding: Annotated[Vectors, PlainValidator(_vector)]


class Embeddings(ResponseModel):
    data: list[Embedded] = []
