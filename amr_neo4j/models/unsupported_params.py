"""What a request can do without: some servers refuse a parameter that others take."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from amr_neo4j.errors import RequestRefused

Body = dict[str, Any]
# Under which other name, if any, the same is asked for. OpenAI's reasoning models want the other and no temperature.
_INSTEAD = {
    "response_format": None,
    "stream_options": None,
    "temperature": None,
    "encoding_format": None,
    "usage": None,
    "max_tokens": "max_completion_tokens",
}
# What else servers call it.
_CALLED = {"response_format": ("json_schema", "schema", "structured output")}


def without(body: Body, refused: Collection[str]) -> Body:
    """The request without these parameters, or with their other names."""
    kept = {name: value for name, value in body.items() if name not in refused}
    renamed = {_INSTEAD[name]: body[name] for name in refused if name in body}
    return kept | {name: value for name, value in renamed.items() if name}


def disputed(body: Body, refusal: RequestRefused) -> str | None:
    """The parameter that the server most likely minds; None where there is none to do without."""
    optional = [name for name in _INSTEAD if name in body]
    named = [name for name in optional if names(refusal, name)]
    # A server that knows no structured output may not say that it is this it minds.
    return next(iter(named or [name for name in optional if name == "response_format"]), None)


def names(refusal: RequestRefused, parameter: str) -> bool:
    """Whether the server says that it is this parameter it minds."""
    called = (parameter, *_CALLED.get(parameter, ()))
    said = refusal.message.casefold()
    return parameter == refusal.param or any(name in said for name in called)
