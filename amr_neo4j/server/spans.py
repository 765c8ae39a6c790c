"""Spans for OpenTelemetry, by its API alone: nothing is recorded or sent unless an SDK is set up around it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from amr_neo4j.server.keys import Scope

try:
    from opentelemetry import trace
except ImportError:  # the extra otel
    trace = None

# The operations of the conventions for generative AI. No group or user is in a span.
_OPERATIONS = {"read": "search_memory", "write": "update_memory", "forget": "delete_memory", "admin": "update_memory"}


# What a user asks for is in a span only if the environment says so, by the variable of these conventions.
_CAPTURE, _CAPTURES = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", ("true", "span_only", "span_and_event")


def span(verb: str, path: str, scope: Scope, asked: str = "") -> AbstractContextManager[Any]:
    """Return a span around a call. path: that of the API's document, with its parameters by name.

    asked: the question or query of the call.
    """
    if trace is None:
        return nullcontext()
    given = {"gen_ai.operation.name": _OPERATIONS[scope], "http.request.method": verb, "http.route": path}
    if asked and scope == "read" and os.environ.get(_CAPTURE, "").lower() in _CAPTURES:
        given["gen_ai.memory.query.text"] = asked
    tracer = trace.get_tracer("amr_neo4j")
    # The message of an error may name a user, or quote one.
    return tracer.start_as_current_span(
        f"{verb} {path}", attributes=given, record_exception=False, set_status_on_exception=False
    )
