"""Maps errors of the openai SDK and of model servers to AmrErrors: one line with a hint, never with the API key."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
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

_LONGEST_REASON = 200
# About three years. A longer Retry-After counts as this.
_LONGEST_WAIT_S = 1e8
_STATUS = re.compile(r"[1-5]\d\d", re.ASCII)
_SDK_PREFIX = re.compile(r"^Error code: \d+ - ")
# Errors of the SDK's HTTP client: the SDK does not wrap those raised while a body is read.
_HTTP_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError)
# Timeout, conflict, too early, too many requests. The same request may succeed later.
_TRANSIENT = {408, 409, 425, 429}


@contextmanager
def mapped_errors(to: Endpoint) -> Generator[None]:
    """Raise a ModelError for each error of the SDK call in the block, or of the parsing of its response."""
    try:
        yield
    except (APITimeoutError, httpx.TimeoutException) as error:
        raise timed_out(to) from error
    except APIStatusError as error:
        raise _from_status(to, error) from error
    except (APIConnectionError, *_HTTP_ERRORS) as error:
        if isinstance(error.__cause__, ModelError):  # older SDKs wrap what a hook raises
            raise error.__cause__ from error
        hint = "check that the server is running and that provider names it"
        raise ModelUnavailable(f"cannot connect to {to}, or the connection was lost", hint=hint) from error
    except APIError as error:
        raise provider_error(to, status_of(error.code), error.message) from error
    except ValueError as error:
        raise ModelGarbled(f"{to} returned no valid OpenAI API response", hint="check provider") from error


def provider_error(
    to: Endpoint,
    status: int,
    message: str,
    *,
    code: str = "",
    param: str = "",
    metadata: object = None,
    after_s: float | None = None,
) -> ModelError:
    """Return the error for an HTTP status, or for the error code in a response of status 200.

    code, param: as in OpenAI's error object.
    after_s: the seconds of the Retry-After header.
    metadata: as in OpenRouter's errors, such as {"reasons": ["violence"]} if its moderation flagged the content.
    """
    reason = _one_line(to.masked(message))
    # First, because any other 403 means a wrong key, which ends the whole run.
    if status == 403 and (flagged := _flagged(metadata)):
        flagged = _one_line(to.masked(flagged))
        hint = "other requests are not affected; a model of another provider may accept it"
        return RequestModerated(f"{to} rejected the content by its moderation: {flagged}", hint=hint)
    # OpenAI reports an empty account as 429, which would otherwise be retried.
    if status == 402 or code == "insufficient_quota":
        return ModelDenied(f"out of credit for {to}: {reason}", hint="add credit at the provider")
    if status in (401, 403):
        return ModelDenied(f"{to} denied access: {reason}", hint=f"check api_key, and api_key under {to.role}")
    if status == 404:
        return NoSuchModel(f"{to} was not found: {reason}", hint=f"check model under {to.role}, and provider")
    if status in _TRANSIENT or status >= 500:
        hint = f"try later, or raise patience_s under {to.role}"
        kind = ModelBusy if status == 429 else ModelUnavailable
        return kind(f"{to} failed with {status}: {reason}", hint=hint, after_s=after_s)
    hint = f"check the settings under {to.role}"
    return RequestRefused(f"{to} rejected the request with {status}: {reason}", hint=hint, param=param)


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
    after_s = retry_after(error.response.headers, time.time())
    body = error.body
    fields = cast(dict[str, object], body) if isinstance(body, dict) else {}
    return provider_error(
        to,
        error.status_code,
        str(fields.get("message") or error.message),
        code=error.code or "",
        param=error.param or "",
        metadata=fields.get("metadata"),
        after_s=after_s,
    )


def _flagged(metadata: object) -> str:
    """Return the reasons of OpenRouter's moderation, such as "violence, sexual"; empty if there are none."""
    reasons = cast(dict[str, object], metadata).get("reasons") if isinstance(metadata, dict) else None
    return ", ".join(map(str, cast(list[object], reasons))) if isinstance(reasons, list) else ""


def _one_line(message: str) -> str:
    """Return the server's message, shortened."""
    return _SDK_PREFIX.sub("", " ".join(message.split()))[:_LONGEST_REASON].rstrip(". ")
