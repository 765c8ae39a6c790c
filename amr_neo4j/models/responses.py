"""Models of the responses of the OpenAI API, as far as they are read. Missing and null fields take defaults."""

from __future__ import annotations

import base64
import json
import re
from datetime import date
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
    model_validator,
)

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.models.catalogue import Price, Takes


def _null_as(default: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: default if value is None else value)


# More than any call takes, and so little that sums of many calls fit into 64 bits.
_MOST_TOKENS, _MOST_DOLLARS = 10**9, 1e6
_LARGEST_VECTOR = 2**16
_LONGEST_NAME = 200


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


def _text(value: Any) -> Any:
    """Return the text of a content that comes in parts; parts with the model's thinking are left out."""
    if not isinstance(value, list):
        return value
    parts = [cast(dict[str, Any], part) for part in cast(list[Any], value) if isinstance(part, dict)]
    texts = [part.get("text") for part in parts if part.get("type") in ("text", "output_text")]
    return "".join(text for text in texts if isinstance(text, str))


Count = Annotated[int, _null_as(0), Field(ge=0, le=_MOST_TOKENS)]
Text = Annotated[str, _null_as("")]


class TokenUsage(BaseModel):
    """Tokens of a call.

    cost: US dollars, from providers that report it; None if the amount is not plausible.
    """

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cost: Annotated[float | None, BeforeValidator(_dollars)] = None

    @model_validator(mode="before")
    @classmethod
    def _total_cost(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        usage = cast(dict[str, Any], value)
        cost = usage.get("cost")
        if isinstance(cost, dict):  # Perplexity itemises it
            return usage | {"cost": cast(dict[str, Any], cost).get("total_cost")}
        details = usage.get("cost_details")
        if usage.get("is_byok") and isinstance(details, dict):
            # With a key of one's own, OpenRouter's cost is its fee alone; the tokens are paid upstream.
            upstream = _dollars(cast(dict[str, Any], details).get("upstream_inference_cost"))
            return usage | {"cost": (_dollars(cost) or 0.0) + (upstream or 0.0)}
        return usage

    @property
    def is_reported(self) -> bool:
        """Whether it holds anything: some servers send it empty."""
        return bool(self.prompt_tokens or self.completion_tokens or self.cost is not None)


class ReportedError(BaseModel):
    """An error as a server words it, in whichever form: see `reported_error`."""

    message: Text = ""
    code: int | str | float | None = None
    param: Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")] = ""
    metadata: Any = None


_REFUSED = 400
_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def reported_error(value: Any) -> ReportedError | None:
    """Return the error in a JSON body or in its field `error`; None if there is none.

    Servers send {"error": {"message": ...}}, {"error": "text"}, {"detail": "text"}, {"detail": [{"msg": ...}]},
    {"message": ...}, or a list with one of these.
    """
    if isinstance(value, list):
        value = next(iter(cast(list[Any], value)), None)
    if isinstance(value, str):
        # LM Studio and Ollama report as plain text what would fail again.
        return ReportedError(message=_without_markup(value), code=_REFUSED) if value.strip() else None
    if not isinstance(value, dict):
        return None
    fields = cast(dict[str, Any], value)
    inner = next((fields[name] for name in ("error", "detail") if fields.get(name)), None)
    if isinstance(inner, dict | list) and (found := reported_error(cast(Any, inner))):
        return found
    message = inner if isinstance(inner, str) else fields.get("message") or fields.get("msg")
    if not isinstance(message, str):
        message = str(cast(object, message or fields))
    metadata = fields.get("metadata") or fields.get("details") or fields.get("innererror")
    # Azure and Google name the kind of an error beside its message.
    names = [code for code in (fields.get("code"), fields.get("type")) if isinstance(code, int | str)]
    if isinstance(inner, str) and not names:
        names = [_REFUSED]
    whole = _with_upstream(message, metadata)
    param = fields.get("param") or ""
    return ReportedError(message=whole, code=next(iter(names), None), param=param, metadata=metadata)


def _with_upstream(message: str, metadata: Any) -> str:
    """Return the message with the reason that the server behind OpenRouter gave, metadata.raw."""
    raw = cast(dict[str, Any], metadata).get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return f"{message}: {_without_markup(raw)}" if raw.strip() else message
    upstream = reported_error(raw)
    return f"{message}: {upstream.message}" if upstream else message


def _without_markup(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split()) if "<" in text else text


def _error_or_none(value: Any) -> Any:
    return value if isinstance(value, ReportedError) else reported_error(value)


AnyError = Annotated[ReportedError | None, BeforeValidator(_error_or_none)]


def _name(value: Any) -> str:
    is_name = isinstance(value, str) and value.isprintable() and len(value) <= _LONGEST_NAME
    return value if is_name else ""


class ResponseModel(BaseModel):
    """Fields that every response may have. usage: None also where its numbers are out of range.

    model: the one that answered, as the server names it; empty if it does not.
    """

    model: Annotated[str, BeforeValidator(_name)] = ""
    usage: Annotated[TokenUsage | None, WrapValidator(_none_if_invalid)] = None
    error: AnyError = None


class Content(BaseModel):
    """The text of a message, or of a piece of one."""

    content: Annotated[str, _null_as(""), BeforeValidator(_text)] = ""
    refusal: Text = ""


class Choice(BaseModel):
    message: Content = Content()
    finish_reason: Text = ""
    error: AnyError = None


class Completion(ResponseModel):
    """A chat completion."""

    choices: Annotated[list[Choice], BeforeValidator(_first)] = []


class ChunkChoice(BaseModel):
    delta: Annotated[Content, _null_as({})] = Content()
    finish_reason: Text = ""
    error: AnyError = None


class Chunk(ResponseModel):
    """An event of a streamed chat completion. is_end: it is the final "[DONE]", which has no choices."""

    is_end: bool = False
    choices: Annotated[list[ChunkChoice], BeforeValidator(_first)] = []


def _price(value: Any) -> Price | None:
    """Return OpenRouter's price of a token as dollars per million; None if it depends on more than tokens."""
    if not isinstance(value, dict):
        return None
    fields = cast(dict[str, Any], value)
    try:
        price_in, price_out, fee = (float(fields.get(name) or 0) for name in ("prompt", "completion", "request"))
    except (TypeError, ValueError):
        return None
    is_usable = fee == 0 and 0 <= price_in <= 1 and 0 <= price_out <= 1 and "prompt" in fields
    return (price_in * 1e6, price_out * 1e6) if is_usable else None


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


# What a model takes, in the words of OpenRouter and LM Studio, and of the servers of Ollama and llama.cpp.
_TAKES: dict[str, Takes] = {
    "image": "image",
    "vlm": "image",
    "vision": "image",
    "multimodal": "image",
    "video": "video",
    "audio": "audio",
}


def _takes(*told: Any) -> tuple[Takes, ...] | None:
    """Return the kinds of input that a model takes beside text, read from the first list in `told`.

    Kinds that _TAKES lacks are left out. None if `told` has no list.
    """
    words = next((cast(list[Any], value) for value in told if isinstance(value, list)), None)
    return None if words is None else tuple(dict.fromkeys(_TAKES[word] for word in words if word in _TAKES))


def _fields(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


class ServedModel(BaseModel):
    """A model in the list of a server. Only OpenRouter tells prices.

    takes: what a request may show beside text; None if the server does not tell.
    """

    id: Text = ""
    price: Price | None = None
    takes: tuple[Takes, ...] | None = None
    context: Annotated[int | None, WrapValidator(_none_if_invalid)] = None
    output: Annotated[int | None, WrapValidator(_none_if_invalid)] = None
    ends: date | None = None

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, value: Any) -> Any:
        """Bring the forms of OpenRouter, OpenAI, vLLM, llama.cpp, LM Studio and Ollama into one."""
        if not isinstance(value, dict):
            return value
        row = cast(dict[str, Any], value)
        made, top, meta, info = (
            _fields(row.get(name)) for name in ("architecture", "top_provider", "meta", "model_info")
        )
        shown = [value for key, value in info.items() if key.endswith(".context_length")]
        contexts = row.get("context_length"), row.get("max_model_len"), row.get("max_context_length")
        kind = row.get("type")
        return {
            "id": row.get("id"),
            "price": _price(row.get("pricing")),
            "takes": _takes(made.get("input_modalities"), row.get("capabilities"), [kind] if kind else None),
            "context": next((each for each in (*contexts, meta.get("n_ctx_train"), *shown) if each), None),
            "output": top.get("max_completion_tokens"),
            "ends": _day(row.get("shutdown_date") or row.get("expiration_date")),
        }


class ModelList(ResponseModel):
    """The models of a server."""

    data: Annotated[list[ServedModel], _null_as([])] = []

    @model_validator(mode="before")
    @classmethod
    def _with_capabilities(cls, value: Any) -> Any:
        """Llama.cpp names what a model can do in a second list, `models`."""
        if not isinstance(value, dict):
            return value
        fields = cast(dict[str, Any], value)
        rows, beside = fields.get("data"), fields.get("models")
        if not isinstance(rows, list) or not isinstance(beside, list):
            return fields
        told = {each.get("name"): each for each in map(_fields, cast(list[Any], beside))}
        joined: list[Any] = [told.get(_fields(row).get("id"), {}) | _fields(row) for row in cast(list[Any], rows)]
        return fields | {"data": joined}


def _vector(value: Any) -> Vectors:
    """Return a vector, float32 of shape (dim,), from a list of numbers or from float32 bytes in base64.

    Raises ValueError if the value is neither, or is too long.
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
    """The vector of the text at position `index` of the request. Gemini leaves out an index of 0."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: int = 0
    embedding: Annotated[Vectors, PlainValidator(_vector)]


class Embeddings(ResponseModel):
    data: list[Embedding] = []
