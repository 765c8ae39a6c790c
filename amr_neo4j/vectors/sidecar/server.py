"""The sidecar's HTTP server: one token for all calls, TLS from files, limited sizes."""

from __future__ import annotations

import hmac
import logging
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from amr_neo4j.errors import AmrError
from amr_neo4j.extras import needs
from amr_neo4j.vectors.sidecar.service import Service, TooMuch
from amr_neo4j.vectors.sidecar.wire import ANOTHER_VERSION, CONTENT_TYPE, PATH, decode, encode

_log = logging.getLogger(__name__)
_LARGEST_REQUEST = 64 * 2**20
_THREADS = 16
# An index that is more than this many seconds behind makes /ready answer 503.
_READY_LAG = 10.0
# A waiting thread takes over after this time. Python's default, 5 ms, is many times as long as a search.
_SWITCH_SECONDS = 0.0005
Start = Callable[[str, list[tuple[str, str]]], Any]


class Application:
    """A WSGI application: POST /v2/OPERATION, and GET /health, /ready, /metrics. All but /health need the token."""

    def __init__(self, service: Service, token: str) -> None:
        self._service = service
        self._token = token.encode()

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        status, kind, body = self._answer(environ)
        start(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    def _answer(self, environ: dict[str, Any]) -> tuple[str, str, bytes]:
        path = str(environ.get("PATH_INFO", ""))
        if path == "/health":
            return _text("200 OK", "ok\n")
        given = str(environ.get("HTTP_AUTHORIZATION", "")).removeprefix("Bearer ").encode()
        # Takes the same time wherever the tokens differ, so that it reveals nothing of the right one.
        if not hmac.compare_digest(given, self._token):
            return _text("401 Unauthorized", "the token is missing or wrong\n")
        if environ.get("REQUEST_METHOD") == "POST" and path.startswith(PATH):
            return self._run(path.removeprefix(PATH), environ)
        if path == "/metrics":
            return "200 OK", "text/plain; version=0.0.4", self._service.metrics().encode()
        if path == "/ready":
            behind = {name: lag for name, lag in self._service.lags().items() if lag > _READY_LAG}
            lines = "".join(f"{name} is {lag:.0f} s behind\n" for name, lag in behind.items())
            return _text("503 Service Unavailable" if behind else "200 OK", lines or "ready\n")
        is_of_another = re.match(r"/v\d+/", path) and not path.startswith(PATH)
        return _text("404 Not Found", f"{ANOTHER_VERSION}\n" if is_of_another else "no such path\n")

    def _run(self, operation: str, environ: dict[str, Any]) -> tuple[str, str, bytes]:
        try:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            if length < 0:
                return _text("400 Bad Request", "a negative length\n")
            if length > _LARGEST_REQUEST:
                return _text("413 Content Too Large", f"more than {_LARGEST_REQUEST >> 20} MiB\n")
            header, arrays = decode(environ["wsgi.input"].read(length))
            return "200 OK", CONTENT_TYPE, encode(*self._service.answer(operation, header, arrays))
        except TooMuch as error:
            return _text("507 Insufficient Storage", f"{error}\n")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            return _text("400 Bad Request", f"{error}\n")
        except AmrError as error:
            return _text("503 Service Unavailable", f"{error.message}\n")


def http_server(
    service: Service, host: str, port: int, *, token: str, certificate: Path | None = None, key: Path | None = None
) -> Any:
    """Returns a server that is bound but not started: call its `serve`, later `stop`.

    port: 0 for any free one, which `bind_addr` then names.
    Raises ModelMissing: the extra is not installed; OSError: the address is taken.
    """
    with needs("sidecar"):
        from cheroot import wsgi  # noqa: PLC0415 - an extra
        from cheroot.ssl.builtin import BuiltinSSLAdapter  # noqa: PLC0415
    server: Any = wsgi.Server((host, port), Application(service, token), numthreads=_THREADS)
    server.max_request_body_size = _LARGEST_REQUEST
    server.max_request_header_size = 2**16
    server.nodelay = True
    if certificate:
        server.ssl_adapter = BuiltinSSLAdapter(str(certificate), str(key or certificate))
    server.prepare()
    return server


def switch_threads_soon() -> None:
    """Let the threads of this process wait less for one another. Only for a process that does nothing but serve."""
    sys.setswitchinterval(_SWITCH_SECONDS)


def _text(status: str, text: str) -> tuple[str, str, bytes]:
    return status, "text/plain; charset=utf-8", text.encode()
