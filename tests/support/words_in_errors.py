"""An error that quotes what a user said. It imports nothing, so that a process which only fails starts at once."""

from __future__ import annotations

from typing import Any

SECRET = "my diary is under the mattress"


def fail_on_words(*_: Any, **__: Any) -> Any:
    """Fail as code does that meets words which it did not expect."""
    try:
        int(SECRET)
    except ValueError as error:
        group = ExceptionGroup(SECRET, [KeyError(SECRET)])
        group.__cause__ = error
        # Who takes an error out of its group may raise it as one that rests on the group.
        group.exceptions[0].__cause__ = group
        raise group.exceptions[0]  # noqa: B904 - as said
