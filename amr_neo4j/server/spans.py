"""Spans for OpenTelemetry, by its API alone: nothing is recorded or sent unless an SDK is set up around it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from amr_neo4j.server.keys import Scope

try:
    from opentelemetry import trace
except ImportError:  # the extra otel
    trace = None

# The operations of the conventions for generative AI. No text, group or user is in a span.
_OPERATIONS = {"read": "search_memory", "write": "update_memory", "forget": "delete_memory", "admin": "update_memory"}


def span(verb: str, path: str, scope: Scope) -> AbstractContextManager[Any]:
    """Return a span around a call. path: that of the API's document, with its parameters by name."""
    if trace is None:
        return nullcontext()
    given = {"gen_ai.operation.name": _OPERATIONS[scope], "http.request.method": verb, "http.route": path}
    return trace.get_tracer("amr_neo4j").start_as_current_span(f"{verb} {path}", attributes=given)
