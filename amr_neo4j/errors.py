"""The error tree. Every error carries advice for the person who meets it and the exit code of the command.

AmrError
├── ConfigError (78)          settings that contradict themselves or lack something
├── InputError (65)           data that cannot be taken as it is
│   └── NoSuchFile (66)       a path that is not there or cannot be read
├── NotInMemory (66)          a group, event, clip, video, person or object that is not stored
├── EmbedderMismatch (78)     a group embedded by another model than the one in use
├── StoreError (70)           Neo4j refused something we did not expect
│   ├── StoreUnavailable (69) Neo4j cannot be reached just now
│   ├── StoreDenied (77)      Neo4j refuses the user name or password
│   └── MigrationError (70)   the schema in the database is not the one this version knows
├── DatabaseError (69)        the local database could not be started, stopped or found
├── ModelError (69)           a call to a model that came to nothing
│   ├── ModelDenied (77)      the provider refuses the key, or the account has no credit left
│   ├── NoSuchModel (78)      the provider has no model of that name
│   └── ModelFailed (69)      this one call failed; a stage does without it
│       ├── ModelUnavailable  not reached, overloaded or too slow, and still so after retries
│       │   ├── ModelBusy     it says that too much is asked of it at once
│       │   └── ModelGarbled  it replies, and nothing that can be read
│       ├── RequestRefused    the provider won't take the request as it is
│       ├── UnusableReply     no reply of the shape asked for, at the second try either
│       ├── ReplyCut          the reply ran into its token limit
│       └── CostLimit (75)    the call could pass what may be spent
├── ModelMissing (69)         a model or package that the settings ask for is not installed
├── NoSpace (74)              too little room is left on a disk
├── SpoolUnusable (74)        a file of what waits on this machine cannot be read or written
└── ToolError (69)            a program we call (ffmpeg, npm, mvn, docker) is missing or failed
"""

from __future__ import annotations


class AmrError(Exception):
    """Anything that went wrong in a way we can explain. `hint` says what to do about it."""

    exit_code = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ConfigError(AmrError):
    """Settings that contradict themselves or lack something."""

    exit_code = 78


class InputError(AmrError):
    """Data that cannot be taken as it is."""

    exit_code = 65


class NoSuchFile(InputError):
    """A path that is not there or cannot be read."""

    exit_code = 66


class NotInMemory(AmrError):
    """A group, event, clip, video, person or object that is not stored."""

    exit_code = 66


class EmbedderMismatch(AmrError):
    """A group that was embedded by another model or dimension than the one in use."""

    exit_code = 78


class StoreError(AmrError):
    """Neo4j refused something we did not expect."""


class StoreUnavailable(StoreError):
    """Neo4j cannot be reached just now."""

    exit_code = 69


class StoreDenied(StoreError):
    """Neo4j refuses the user name or the password."""

    exit_code = 77


class MigrationError(StoreError):
    """The schema in the database is not the one this version knows."""


class DatabaseError(AmrError):
    """The local database could not be started, stopped or found."""

    exit_code = 69


class ModelError(AmrError):
    """A call to a model that came to nothing."""

    exit_code = 69


class ModelDenied(ModelError):
    """The provider refuses the key, or the account has no credit left."""

    exit_code = 77


class NoSuchModel(ModelError):
    """The provider has no model of that name."""

    exit_code = 78


class ModelFailed(ModelError):
    """This one call failed. A stage that has rules of its own does without it."""


class ModelUnavailable(ModelFailed):
    """The provider cannot be reached, is overloaded or too slow. after_s: how long it asks to wait, if it does."""

    def __init__(self, message: str, *, hint: str = "", after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.after_s = after_s


class ModelBusy(ModelUnavailable):
    """The provider says that too much is asked of it at once (429)."""


class ModelGarbled(ModelUnavailable):
    """A reply came that cannot be read; what it cost is unknown."""


class RequestRefused(ModelFailed):
    """The provider won't take the request as it is. param: the parameter that it names, if it does."""

    def __init__(self, message: str, *, hint: str = "", param: str = "") -> None:
        super().__init__(message, hint=hint)
        self.param = param


class _Replied(ModelFailed):
    """text: what the model said."""

    def __init__(self, message: str, *, hint: str = "", text: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text


class UnusableReply(_Replied):
    """No reply of the shape asked for, at the second try either. text: the last, if any."""


class ReplyCut(_Replied):
    """The reply ran into its token limit. text: what came of it."""


class CostLimit(ModelFailed):
    """The call could pass what may be spent."""

    exit_code = 75

    def __init__(self, message: str) -> None:
        hint = "what is done stays; raise max_cost_usd (--max-cost) and run the same again, or lower max_tokens"
        super().__init__(message, hint=hint)


class ModelMissing(AmrError):
    """A model or package that the settings ask for is not installed."""

    exit_code = 69


class NoSpace(AmrError):
    """Too little room is left on a disk."""

    exit_code = 74


class SpoolUnusable(AmrError):
    """A file of what waits on this machine for the graph cannot be read or written."""

    exit_code = 74


class ToolError(AmrError):
    """A program we call (ffmpeg, npm, mvn, docker) is missing or failed."""

    exit_code = 69
