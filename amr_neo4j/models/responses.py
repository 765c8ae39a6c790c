"""Models of the responses of the OpenAI API, as far as they are read. Missing and null fields take defaults."""

from __future__ import annotations

import base64
from typing import Annotated, Any, cast

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from amr_neo4j.domain.ports import Vectors


def _null_as(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


# More than any call takes, and so little that sums of many calls fit into 64 bits.
_MOST_TOKENS, _MOST_DOLLARS = 10**9, 1e6
_LARGEST_VECTOR = 2**16


def _none_if_invalid(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


def _dollars(value: Any) -> float | None:
    """Return a plausible cost; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _MOST_DOLLARS else None  # NaN, too, and integers that no float can hold


def _first(value: Any) -> Any:
    """Return a list with its first item alone, because only that one is read."""
    if isinstance(value, list):
        return cast(list[Any], value)[:1]
    return [] if value is None else value


Count = Annotated[int, _null_as(0), Field(ge=0, le=_MOST_TOKENS)]
Text = Annotated[str, _null_as("")]


class TokenUsage(BaseModel):
    """Tokens of a call.

    cost: US dollars, from providers that report it; None where it is no plausible amount.
    """

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cost: Annotated[float | None, BeforeValidator(_dollars)] = None

    @property
    def is_reported(self) -> bool:
        """Whether it holds anything: some servers send it empty."""
        return bool(self.prompt_tokens or self.completion_tokens or self.cost is not None)


class ReportedError(BaseModel):
    """An error in a response of status 200, as OpenRouter sends them."""

    message: Text = ""
    code: int | str | float | None = None
    metadata: Any = None


class ResponseModel(BaseModel):
    """Fields that every response may have. usage: None also where its numbers are out of range."""

    usage: Annotated[TokenUsage | None, WrapValidator(_none_if_invalid)] = None
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

    choices: Annotated[list[Choice], BeforeValidator(_first)] = []


class ChunkChoice(BaseModel):
    delta: Annotated[Content, _null_as({})] = Content()
    finish_reason: Text = ""


class Chunk(ResponseModel):
    """An event of a streamed chat completion."""

    choices: Annotated[list[ChunkChoice], BeforeValidator(_first)] = []


class ServedModel(BaseModel):
    id: Text = ""


class ModelList(ResponseModel):
    """The models of a server."""

    data: Annotated[list[ServedModel], _null_as([])] = []


def _vector(value: Any) -> Vectors:
    """Return a vector, float32 of shape (dim,), from a list of numbers or from float32 bytes in base64.

    Raises ValueError: it is neither, or too long.
    """
    if isinstance(value, str):
        vector = np.frombuffer(base64.b64decode(value), "<f4").astype(np.float32)
    else:
        with np.errstate(over="ignore"):  # becomes infinite, which the embedder rejects
            vector = np.asarray(TypeAdapter(list[float]).validate_python(value), np.float32)
    if not 1 <= len(vector) <= _LARGEST_VECTOR:
        raise ValueError(f"a vector of {len(vector)} dimensions")
    return vector


class Embedding(BaseModel):
    """The vector of the text at position `index` of the request."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: int
    embedding: Annotated[Vectors, PlainValidator(_vector)]


class Embeddings(ResponseModel):
    data: list[Embedding] = []
