"""Log lines as JSON, for what collects them: one object a line, on standard error."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime

_log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON: at, level, logger, message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        line = {"at": at, "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()}
        line |= getattr(record, "request", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as_json() -> Callable[[str], None]:
    """Write all log lines as JSON from now on, also one for each request. Returns what logs a line for people."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    return _log.info


def log_faults() -> None:
    """Log internal errors with their tracebacks, whatever else is logged: the client is told nothing of them."""
    for name in ("amr_neo4j", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.ERROR)


def log_request(method: str, path: str, status: int, seconds: float) -> None:
    """Log a request. path: with its parameters by name, so that no name of a person is in it."""
    fields = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
    _log.info("request", extra={"request": fields})
