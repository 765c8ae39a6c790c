"""Maps errors of the openai SDK and of model servers to AmrErrors: one line with a hint, never with the API key."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import cast

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from amr_neo4j.errors import (
    ModelBusy,
    ModelDenied,
    ModelError,
    ModelGarbled,
    ModelUnavailable,
    NoSuchModel,
    RequestModerated,
    RequestRefused,
)
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.http import httpx, timed_out
from amr_neo4j.models.responses import ReportedError, reported_error

_LONGEST_REASON = 200
# About three years. A longer Retry-After counts as this.
_LONGEST_WAIT_S = 1e8
_STATUS = re.compile(r"[1-5]\d\d", re.ASCII)
# Errors of the SDK's HTTP client: the SDK does not wrap those raised while a body is read.
_HTTP_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)
_LONGEST_CODE = 60


@contextmanager
def mapped_errors(to: Endpoint) -> Generator[None]:
    """Raise a ModelError for each error of the SDK call in the block, or of the parsing of its response."""
    try:
        yield
    except (APITimeoutError, httpx.TimeoutException) as error:
        if isinstance(error.__cause__, httpx.ConnectTimeout):
            raise _unreachable(to) from error
        raise timed_out(to) from error
    except APIStatusError as error:
        raise _from_status(to, error) from error
    except (APIConnectionError, *_HTTP_ERRORS) as error:
        if isinstance(error.__cause__, ModelError):  # older SDKs wrap what a hook raises
            raise error.__cause__ from error
        raise _unreachable(to) from error
    except APIError as error:
        raise provider_error(to, status_of(error.code), ReportedError(message=error.message)) from error
    except ValueError as error:
        raise ModelGarbled(f"{to} returned no valid OpenAI API response", hint="check provider") from error


def _unreachable(to: Endpoint) -> ModelUnavailable:
    hint = "check that the server is running and that provider names it"
    return ModelUnavailable(f"cannot connect to {to}, or the connection was lost", hint=hint)


def provider_error(to: Endpoint, status: int, error: ReportedError, *, after_s: float | None = None) -> ModelError:
    """Return the error for an HTTP status, or for the error in a response of status 200.

    after_s: the seconds of the Retry-After header.
    """
    reason = _one_line(to.masked(error.message))
    kind = _kind(status, error)
    match kind:
        case "moderated":
            flagged = _one_line(to.masked(_flagged(error.metadata))) or reason
            hint = "other requests are not affected; a model of another provider may accept it"
            return RequestModerated(f"{to} rejected the content by its moderation: {flagged}", hint=hint)
        case "credit":
            return ModelDenied(f"out of credit for {to}: {reason}", hint="add credit at the provider")
        case "key":
            return ModelDenied(f"{to} denied access: {reason}", hint=f"check api_key, and api_key under {to.role}")
        case "model":
            hint = f"check model under {to.role}, and {'routing' if 'provider' in to.extras else 'provider'}"
            return NoSuchModel(f"{to} was not found: {reason}", hint=hint)
        case "busy" | "passing":
            hint = f"try later, or raise patience_s under {to.role}"
            busy_or_away = ModelBusy if kind == "busy" else ModelUnavailable
            return busy_or_away(f"{to} failed with {status}: {reason}", hint=hint, after_s=after_s)
        case _:
            hint = f"check the settings under {to.role}"
            message = f"{to} rejected the request with {status}: {reason}"
            return RequestRefused(message, hint=hint, param=error.param)


@dataclass(frozen=True)
class _Kind:
    """A row of the table of errors.

    statuses: HTTP statuses that may be of this kind; empty: any. 502 also stands for errors without a status.
    codes: words of the error's code, type or metadata.
    words: of its message. Without both, the status decides.
    """

    name: str
    statuses: frozenset[int] = frozenset()
    codes: str = ""
    words: str = ""

    def fits(self, status: int, code: str, message: str) -> bool:
        if self.statuses and status not in self.statuses:
            return False
        if not self.codes and not self.words:
            return True
        return any(
            bool(pattern and re.search(pattern, text, re.IGNORECASE))
            for pattern, text in ((self.codes, code), (self.words, message))
        )


_PERMANENT = frozenset({400, 403, 404, 413, 422, 451, 500, 502})
# The first row that fits decides.
_KINDS = (
    # Moderation comes first, because any other 403 means a wrong key, which ends the whole run.
    _Kind(
        "moderated",
        _PERMANENT,
        codes=r"content_filter|content_policy|ResponsibleAI|data_inspection_failed|moderation|guardrail"
        r"|\breasons\b|\bpatterns\b|flagged_input",
        words=r"content management polic|requires moderation|was flagged|guardrail|request blocked|prompt injection"
        r"|content (?:polic|filter)",
    ),
    # OpenAI reports an empty account as 429, which would otherwise be retried.
    _Kind("credit", frozenset({402})),
    _Kind("credit", codes="insufficient_quota"),
    _Kind(
        "key",
        frozenset({400}),
        codes="API_KEY_INVALID|invalid_api_key",
        words="api key (?:is )?(?:not valid|invalid)",
    ),
    _Kind("key", frozenset({401, 403})),
    # OpenRouter answers an unknown model with 400.
    _Kind(
        "model",
        frozenset({400, 422}),
        codes="model_not_found|unknown_model",
        words=r"not a valid model|model .{0,80}(?:not found|does not exist)|(?:unknown|invalid) model\b",
    ),
    _Kind("model", frozenset({404})),
    # These are reported as faults of the server, and the same request would fail again.
    _Kind(
        "refused",
        _PERMANENT,
        codes="tool_use_failed|json_validate_failed|context_length|invalid_request|InvalidParameter",
        words=r"(?:image|audio|video|vision) (?:input|url)s? (?:is|are) not supported|does not support image"
        r"|unsupported content part|mmproj|unexpected endpoint",
    ),
    _Kind("busy", frozenset({429})),
    # Timeout, conflict, too early. The same request may succeed later.
    _Kind("passing", frozenset({408, 409, 425, *range(500, 600)})),
)


def _kind(status: int, error: ReportedError) -> str:
    code = f"{error.code} {' '.join(_names(error.metadata))}"
    return next((kind.name for kind in _KINDS if kind.fits(status, code, error.message)), "refused")


def _names(metadata: object) -> Iterator[str]:
    """Yield the field names and short texts of an error's metadata: Google and Azure put the code there."""
    if isinstance(metadata, dict):
        for key, value in cast(dict[object, object], metadata).items():
            # Text of the request or of the upstream server says nothing about the kind.
            if key != "raw" and value:
                yield str(key)
                yield from _names(value) if key != "flagged_input" else ()
    elif isinstance(metadata, list):
        for value in cast(list[object], metadata):
            yield from _names(value)
    elif isinstance(metadata, str) and len(metadata) < _LONGEST_CODE:
        yield metadata


def status_of(code: object) -> int:
    """Return an error code as an HTTP status.

    502 if it is not a status, as a provider reports errors of a server behind it.
    """
    text = str(code)
    return int(text) if _STATUS.fullmatch(text) else 502


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds from `now` (Unix time) that Retry-After asks for, as a number or a date; None without it."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (TypeError, ValueError, OverflowError):
            return None
    return min(max(0.0, seconds), _LONGEST_WAIT_S) if math.isfinite(seconds) else None


def _from_status(to: Endpoint, error: APIStatusError) -> ModelError:
    # The body itself, because the SDK keeps only what has the form of OpenAI's errors.
    text = error.response.text
    try:
        found = reported_error(json.loads(text))
    except (ValueError, RecursionError):
        found = reported_error(text)
    after_s = retry_after(error.response.headers, time.time())
    return provider_error(to, error.status_code, found or ReportedError(), after_s=after_s)


def _flagged(metadata: object) -> str:
    """Return the reasons of OpenRouter's moderation, such as "violence, sexual"; empty if there are none."""
    fields = cast(dict[str, object], metadata) if isinstance(metadata, dict) else {}
    reasons = fields.get("reasons") or fields.get("patterns")
    return ", ".join(map(str, cast(list[object], reasons))) if isinstance(reasons, list) else ""


def _one_line(message: str) -> str:
    """Return the server's message, shortened."""
    return " ".join(message.split())[:_LONGEST_REASON].rstrip(". ")
