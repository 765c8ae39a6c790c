"""Errors of the server as problem documents (RFC 9457)."""

from __future__ import annotations

import errno
import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import BaseModel

from amr_neo4j import errors
from amr_neo4j.errors import AmrError, InputError, NoSpace

_log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
# Seconds after which a client may try again what failed for a while.
RETRY_S = 5
# The status of each error; that of its nearest base counts.
_STATUS: Mapping[type[AmrError], int] = {
    errors.AmrError: 500,
    errors.InputError: 422,
    errors.NotInMemory: 404,
    errors.EmbedderMismatch: 409,
    errors.StoreUnavailable: 503,
    errors.StoreDenied: 503,
    errors.StoreBusy: 409,
    errors.StoreTooLarge: 503,
    errors.MigrationError: 503,
    errors.DatabaseError: 503,
    errors.ModelError: 503,
    errors.ModelMissing: 503,
    errors.CostLimit: 429,
    errors.ConfigError: 409,
    errors.NoSpace: 503,
    errors.SpoolUnusable: 503,
    errors.SourceLost: 503,
    errors.ToolError: 503,
}
_INTERNAL = 500


class Refused(InputError):
    """A request that is refused before memory sees it.

    status: its HTTP status.
    headers: of the reply.
    """

    def __init__(
        self, status: int, message: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status, self.headers = status, dict(headers or {})


_TITLES = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Request timeout",
    409: "Conflict",
    413: "Content too large",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    421: "Misdirected request",
    422: "Invalid input",
    429: "Too many requests",
    431: "Request header fields too large",
    500: "Internal error",
    503: "Unavailable",
}


_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ProblemDocument(BaseModel):
    """A problem document.

    type: which error it is.
    hint: what to do.
    exit_code: that of the command line.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    hint: str
    exit_code: int


@dataclass(frozen=True)
class Problem:
    """A problem document with its status and headers."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def problem_of(error: AmrError, instance: str) -> Problem:
    """Return the problem document of an error. instance: the path of the request, percent-encoded."""
    status, headers = status_of(error), {"Content-Type": MEDIA_TYPE}
    if status == _INTERNAL and error.__traceback__:  # else it stands for a bug, which the log has already
        # The hint is advice or a code of Neo4j; the message may quote what a user said.
        _log.error("an internal error, %s (%s)", type(error).__name__, error.hint, exc_info=error)
    if status in (429, 503):
        wait = seconds_left(datetime.now(UTC)) if isinstance(error, errors.CostLimit) else RETRY_S
        headers["Retry-After"] = str(wait)
    title = _TITLES.get(status, "Refused")
    name = title.lower() if isinstance(error, Refused) else _WORDS.sub("-", type(error).__name__).lower()
    document = ProblemDocument(
        type=f"urn:amr:error:{name.replace(' ', '-')}",
        title=title,
        status=status,
        detail=error.message,
        instance=instance,
        hint=error.hint,
        exit_code=error.exit_code,
    )
    own = error.headers if isinstance(error, Refused) else {}
    # The message may quote half a character, which UTF-8 cannot encode.
    body = json.dumps(document.model_dump(), ensure_ascii=False).encode("utf-8", "replace")
    return Problem(status, body, headers | dict(own))


def seconds_left(now: datetime) -> int:
    """Return the seconds until the next day in UTC, when the daily limits of a key start again."""
    now = now.astimezone(UTC)
    return 86_400 - (now.hour * 60 + now.minute) * 60 - now.second


def status_of(error: AmrError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, Refused):
        return error.status
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def of_files(error: Exception) -> NoSpace | Refused | None:
    """Return what to tell a client of an error of the server's files; None if it is another one.

    The disk is full, or the user's share of it; or a call that ran beside this one deleted a file.
    """
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpace("the disk of the server is full", hint="free some space there, then go on")
    if isinstance(error, FileNotFoundError):
        _log.error("a file went away", exc_info=error)  # or was never there, which is a bug
        return Refused(
            409, "a file of it was deleted while it was read", hint="see what is still there, and ask again"
        )
    return None
