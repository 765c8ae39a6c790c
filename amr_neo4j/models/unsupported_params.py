"""Optional request parameters: some servers reject what others accept, and the request is sent without them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from amr_neo4j.errors import RequestModerated, RequestRefused

Body = dict[str, Any]
# Optional parameter -> the name to send it by instead, if any. OpenAI's reasoning models take max_completion_tokens
# and no temperature.
_REPLACEMENTS = {
    "response_format": None,
    "stream_options": None,
    "temperature": None,
    "encoding_format": None,
    "usage": None,
    "reasoning_effort": None,
    "max_tokens": "max_completion_tokens",
}
# Other words by which servers refer to a parameter.
_SYNONYMS = {"response_format": ("json_schema", "schema", "structured output")}


def without(body: Body, dropped: Collection[str]) -> Body:
    """The request without these parameters, or with their replacements."""
    kept = {name: value for name, value in body.items() if name not in dropped}
    renamed = {_REPLACEMENTS[name]: body[name] for name in dropped if name in body}
    return kept | {name: value for name, value in renamed.items() if name}


def unsupported(body: Body, refusal: RequestRefused) -> str | None:
    """Return the parameter that the server most likely rejects.

    None if no optional one is left, or the content is rejected.
    """
    if isinstance(refusal, RequestModerated):
        return None
    optional = [name for name in _REPLACEMENTS if name in body]
    named = [name for name in optional if names_parameter(refusal, name)]
    # A server without structured output may reject it without naming it.
    return next(iter(named or [name for name in optional if name == "response_format"]), None)


def names_parameter(refusal: RequestRefused, parameter: str) -> bool:
    """Whether the server's error names this parameter."""
    terms = (parameter, *_SYNONYMS.get(parameter, ()))
    message = refusal.message.casefold()
    return parameter == refusal.param or any(term in message for term in terms)
