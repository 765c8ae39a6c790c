"""The log of a server, for people or as JSON. Of an error it has the place and the class, and no words of users."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

_log = logging.getLogger(__name__)


class NoWords(logging.Formatter):
    """Formats tracebacks without the messages of their errors, which may quote what a user said."""

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None  # a formatter before this one may have left the whole traceback there
        return super().format(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name that logging gives it
        return "\n".join(_places(ei[1])) if ei[1] else ""


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON: at, level, logger, message, and the fields of a request."""

    def __init__(self, tracebacks: logging.Formatter) -> None:
        super().__init__()
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        line = {"at": at, "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        line |= getattr(record, "request", {})
        if record.exc_info:
            line["error"] = self._tracebacks.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as_json(*, verbose: bool) -> Callable[[str], None]:
    """Write all log lines as JSON from now on, also one for each request. Returns what logs a line for people.

    verbose: with the messages of errors.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(logging.Formatter() if verbose else NoWords()))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    _log_threads()
    return _log.info


def log_faults() -> None:
    """Log internal errors with their tracebacks, whatever else is logged: the client is told nothing of them."""
    for name in ("amr_neo4j", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.ERROR)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(NoWords(logging.BASIC_FORMAT))
    _log_threads()


def _log_threads() -> None:
    """Log the error that ends a thread. Python would print it with its message."""

    def ended(how: threading.ExceptHookArgs) -> None:
        if how.exc_type is SystemExit:  # a thread may end by sys.exit(), which is no error
            return
        name = how.thread.name if how.thread else ""
        _log.error("the thread %s ended", name, exc_info=how.exc_value)

    threading.excepthook = ended


def log_request(method: str, path: str, status: int, seconds: float) -> None:
    """Log a request. path: with its parameters by name, so that no name of a person is in it."""
    fields = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
    _log.info("request", extra={"request": fields})


def _places(error: BaseException, seen: frozenset[int] = frozenset()) -> list[str]:
    """Return where an error was raised, and where those before it were that it rests on, the first one first.

    seen: the ids of errors that rest on this one; an error may rest on itself.
    """
    if id(error) in seen:
        return []
    seen |= {id(error)}
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = [*_places(cause, seen), "then:"] if cause else []
    for part in getattr(error, "exceptions", ()):
        lines += ["one of several:", *_places(part, seen)]
    frames = [line.rstrip("\n") for line in traceback.format_tb(error.__traceback__)]
    return [*lines, *frames, f"{type(error).__module__}.{type(error).__qualname__}"]
