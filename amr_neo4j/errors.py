"""The error tree. Every error has a hint for the user and the exit code of the command (as in sysexits.h).

AmrError
├── ConfigError (78)          missing or contradictory settings
├── InputError (65)           invalid input
│   └── NoSuchFile (66)       a file that does not exist or cannot be read
├── NotInMemory (66)          a group, event, clip, video, person or object that is not stored
├── EmbedderMismatch (78)     the group was embedded by another model than the one in use
├── StoreError (70)           an unexpected error of Neo4j
│   ├── StoreUnavailable (69) Neo4j cannot be reached, or cannot serve now
│   ├── StoreDenied (77)      Neo4j rejects the user, the password, or what the user may not do
│   ├── StoreRefused (70)     Neo4j refuses a statement with its parameters, and would again
│   │   └── StoreTooLarge     a transaction takes more memory than Neo4j allows; a smaller one may fit
│   ├── StoreBusy (75)        another process does work that only one may do at a time
│   └── MigrationError (70)   the schema of the database is not the one of this version
├── DatabaseError (69)        the local database could not be started, stopped or found
├── ModelError (69)           a call to a model failed
│   ├── ModelDenied (77)      the provider rejects the key, or the account is out of credit
│   ├── NoSuchModel (78)      the provider has no model of that name
│   ├── ModelMoved (78)       the server redirects to another host
│   └── ModelFailed (69)      a single call failed; stages with a fallback continue
│       ├── ModelUnavailable  unreachable, overloaded or timed out, after all retries
│       │   ├── ModelBusy     too many requests (429)
│       │   ├── StreamBroken  a streamed reply began and broke off
│       │   └── ModelGarbled  the response is not readable
│       ├── RequestRefused    the provider rejects the request
│       │   └── RequestModerated  its moderation rejects what the request says or shows
│       ├── UnusableReply     the reply was invalid twice
│       ├── ReplyCut          the reply was cut off by its token limit
│       └── CostLimit (75)    the call could exceed what calls may cost
├── ModelMissing (69)         a model or package that the settings require is not installed
├── SourceLost (69)           a live source cannot be reached
├── NoSpace (74)              too little disk space
├── SpoolUnusable (74)        a local queue file cannot be read or written
│   └── SpoolReadOnly (74)    the data directory cannot be written
└── ToolError (69)            an external program (ffmpeg, npm, mvn, docker) is missing or failed
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_USER_INFO = re.compile(r"(\w://)[^\s/'\"]*@")
_SECRET_OF_QUERY = re.compile(
    r"([?&][\w.-]*(?:pass|pwd|token|key|secret|auth|sig)[\w.-]*=)(?:[^\s&#'\":]|:(?=\S))+", re.IGNORECASE
)


def starred(text: str) -> str:
    """Replace user names, passwords and keys in addresses by asterisks: http://***@host/?key=***."""
    return _SECRET_OF_QUERY.sub(r"\1***", _USER_INFO.sub(r"\1***@", text))


class AmrError(Exception):
    """Base of all errors that are not bugs.

    message: one line, whatever names it quotes.
    hint: one line of advice.
    log: lines that another program wrote.

    Addresses show no password.
    """

    exit_code = 70

    def __init__(self, message: str, *, hint: str = "", log: Sequence[str] = ()) -> None:
        self.message, self.hint, *self.log = map(_line, (message, hint, *log))
        super().__init__(self.message)

    def __str__(self) -> str:
        said = "; ".join([self.message, *self.log])
        return f"{said} ({self.hint})" if self.hint else said


def _line(text: str) -> str:
    return starred(_BREAKS.sub(" ", text))


class ConfigError(AmrError):
    """Missing or contradictory settings."""

    exit_code = 78


class InputError(AmrError):
    """Invalid input."""

    exit_code = 65


class NoSuchFile(InputError):
    """A file that does not exist or cannot be read."""

    exit_code = 66


class NotInMemory(AmrError):
    """A group, event, clip, video, person or object that is not stored."""

    exit_code = 66


class EmbedderMismatch(AmrError):
    """The group was embedded by another model or with other dimensions than those in use.

    embedded: (model, dimension) of the group, if that is known.
    """

    exit_code = 78
    embedded: tuple[str, int] | None = None


class StoreError(AmrError):
    """An unexpected error of Neo4j."""


class StoreUnavailable(StoreError):
    """Neo4j cannot be reached, or cannot serve now: read-only, a full disk, being restarted."""

    exit_code = 69


class StoreDenied(StoreError):
    """Neo4j rejects the user name or password, or the user may not do this."""

    exit_code = 77


class StoreRefused(StoreError):
    """Neo4j refuses a statement with its parameters; the same would be refused again."""


class StoreTooLarge(StoreRefused):
    """A transaction takes more memory than Neo4j allows. A smaller batch may fit.

    written: the receipts of those items of the call that were written before.
    """

    written: Sequence[object] = ()


class StoreBusy(StoreError):
    """Another process does work that only one may do at a time."""

    exit_code = 75


class MigrationError(StoreError):
    """The schema of the database is not the one of this version."""


class DatabaseError(AmrError):
    """The local database could not be started, stopped or found."""

    exit_code = 69


class ModelError(AmrError):
    """A call to a model failed."""

    exit_code = 69


class ModelDenied(ModelError):
    """The provider rejects the key, or the account is out of credit."""

    exit_code = 77


class NoSuchModel(ModelError):
    """The provider has no model of that name."""

    exit_code = 78


class ModelMoved(ModelError):
    """The server redirects to another host, which is not followed."""

    exit_code = 78


class ModelFailed(ModelError):
    """A single call failed. Stages with a fallback continue without the model."""


class ModelUnavailable(ModelFailed):
    """The provider is unreachable, overloaded or timed out. after_s: seconds it asks to wait (Retry-After)."""

    def __init__(self, message: str, *, hint: str = "", after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.after_s = after_s


class ModelBusy(ModelUnavailable):
    """The provider reports too many requests (429)."""


class StreamBroken(ModelUnavailable):
    """A streamed reply began and broke off."""


class ModelGarbled(ModelUnavailable):
    """The response is not readable; its cost is unknown."""


class RequestRefused(ModelFailed):
    """The provider rejects the request. param: the parameter that it names, if any."""

    def __init__(self, message: str, *, hint: str = "", param: str = "") -> None:
        super().__init__(message, hint=hint)
        self.param = param


class RequestModerated(RequestRefused):
    """The provider's moderation rejects what the request says or shows; other requests may pass."""


class _Replied(ModelFailed):
    """text: the model's reply."""

    def __init__(self, message: str, *, hint: str = "", text: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text


class UnusableReply(_Replied):
    """The reply was invalid twice, empty, or a refusal. text: the last reply, if any."""


class ReplyCut(_Replied):
    """The reply was cut off by its token limit. text: the truncated reply."""


class CostLimit(ModelFailed):
    """The call could exceed what calls may cost: max_cost_usd, or what a key of a server may spend on a day."""

    exit_code = 75

    def __init__(self, message: str, *, hint: str = "") -> None:
        usual = "finished work is kept; raise the limit (max_cost_usd: --max-cost) and run again, or lower max_tokens"
        super().__init__(message, hint=hint or usual)


class ModelMissing(AmrError):
    """A model or package that the settings require is not installed."""

    exit_code = 69


class SourceLost(AmrError):
    """A live source cannot be reached, or its connection was lost for good."""

    exit_code = 69


class NoSpace(AmrError):
    """Too little disk space."""

    exit_code = 74


class SpoolUnusable(AmrError):
    """A local queue file cannot be read or written."""

    exit_code = 74


class SpoolReadOnly(SpoolUnusable):
    """The data directory cannot be written. What is there can be read."""


class ToolError(AmrError):
    """An external program (ffmpeg, npm, mvn, docker) is missing or failed."""

    exit_code = 69
