"""What goes wrong between us and a provider, in our own errors: one line, with advice, and without the key."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import cast

from openai import VERSION, APIConnectionError, APIError, APIStatusError, APITimeoutError

from amr_neo4j.errors import (
    ModelBusy,
    ModelDenied,
    ModelError,
    ModelGarbled,
    ModelUnavailable,
    NoSuchModel,
    RequestRefused,
)
from amr_neo4j.models.endpoints import Endpoint

_LONGEST, _SHORTEST_KEY = 200, 8
_SDK_PREFIX = re.compile(r"^Error code: \d+ - ")
# What the SDK's own HTTP client raises; many versions let it through in the middle of a stream.
_HTTP = import_module("httpx2" if int(VERSION.partition(".")[0]) >= 3 else "httpx")
_HTTP_ERROR = cast(type[Exception], _HTTP.HTTPError)
_PASSING = {408, 409, 425, 429}


@contextmanager
def told_plainly(to: Endpoint) -> Generator[None]:
    """Around what the SDK does and what is read of it: turns what they raise into our errors."""
    try:
        yield
    except APITimeoutError as error:
        hint = f"raise timeout_s and patience_s under {to.role}"
        raise ModelUnavailable(f"{to} does not reply in time", hint=hint) from error
    except APIStatusError as error:
        raise _from_status(to, error) from error
    except (APIConnectionError, _HTTP_ERROR) as error:
        raise ModelUnavailable(f"{to} cannot be reached, or hangs up", hint="is it running?") from error
    except APIError as error:
        raise fault(to, status_of(error.code), error.message) from error
    except ValueError as error:
        raise ModelGarbled(f"{to} does not speak the OpenAI API", hint="check provider") from error


def fault(
    to: Endpoint, status: int, said: str, *, code: str = "", param: str = "", after_s: float | None = None
) -> ModelError:
    """The error for an HTTP status, or for the like code of an error that comes under status 200."""
    reason = _one_line(said, to.api_key)
    if status == 402 or code == "insufficient_quota":
        return ModelDenied(f"{to} gives no more credit: {reason}", hint="add credit at the provider")
    if status in (401, 403):
        return ModelDenied(f"{to} refuses access: {reason}", hint=f"check api_key, and api_key under {to.role}")
    if status == 404:
        return NoSuchModel(f"{to} is not there: {reason}", hint=f"check model under {to.role}, and provider")
    if status in _PASSING or status >= 500:
        hint = f"try later, or raise patience_s under {to.role}"
        kind = ModelBusy if status == 429 else ModelUnavailable
        return kind(f"{to} fails with {status}: {reason}", hint=hint, after_s=after_s)
    hint = f"check the settings under {to.role}"
    return RequestRefused(f"{to} refuses the request with {status}: {reason}", hint=hint, param=param)


def status_of(code: object) -> int:
    """The HTTP status that the code of an error under status 200 is, else that of a server behind the server."""
    text = str(code)
    return int(text) if text.isdecimal() else 502


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds from `now` (Unix time) that a Retry-After header asks for, as a number or as a date."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _from_status(to: Endpoint, error: APIStatusError) -> ModelError:
    after_s = retry_after(error.response.headers, time.time())
    body = error.body
    said = cast(dict[str, object], body).get("message") if isinstance(body, dict) else None
    message = str(said or error.message)
    return fault(to, error.status_code, message, code=error.code or "", param=error.param or "", after_s=after_s)


def _one_line(said: str, key: str) -> str:
    """What the server says, short and without the key, which some repeat."""
    hidden = said.replace(key, "...") if len(key) >= _SHORTEST_KEY else said
    return _SDK_PREFIX.sub("", " ".join(hidden.split()))[:_LONGEST].rstrip(". ")
