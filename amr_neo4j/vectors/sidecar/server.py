"""The sidecar's HTTP server: one token for all calls, TLS from files, limited sizes."""

from __future__ import annotations

import hmac
import logging
import re
import socket
import ssl
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, cast

from urllib3.util import wait_for_read

from amr_neo4j.errors import AmrError
from amr_neo4j.extras import needs
from amr_neo4j.vectors.sidecar.service import IndexService, TooMuch
from amr_neo4j.vectors.sidecar.wire import ANOTHER_VERSION, CONTENT_TYPE, PATH, decode, encode

with needs("sidecar"):
    from cheroot import wsgi
    from cheroot.errors import FatalSSLAlert
    from cheroot.server import HTTPConnection, HTTPRequest
    from cheroot.ssl.builtin import BuiltinSSLAdapter

_log = logging.getLogger(__name__)
_LARGEST_REQUEST = 64 * 2**20
_THREADS = 24
# The most threads that wait for clients without a token so far, and how many seconds each of them waits. Otherwise
# such clients could occupy all threads.
_WAITING, _WAIT_SECONDS = 8, 5.0
# A connection is accepted before its request arrives. So it is no stranger yet for this time.
_FIRST_BYTE_SECONDS = 0.05
_BACKLOG = 128
# An index that is more than this many seconds behind makes /ready answer 503.
_READY_LAG = 10.0
# A waiting thread takes over after this time. Python's default, 5 ms, is many times as long as a search.
_SWITCH_SECONDS = 0.0005
_UNAUTHORIZED = "401 Unauthorized"
Start = Callable[[str, list[tuple[str, str]]], Any]


class Application:
    """A WSGI application: POST /v2/OPERATION, and GET /health, /ready, /metrics. All but /health need the token."""

    def __init__(self, service: IndexService, token: str) -> None:
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
        # Takes the same time wherever the tokens differ, so that the time reveals nothing about the right token.
        if not hmac.compare_digest(given, self._token):
            return _text(_UNAUTHORIZED, "the token is missing or wrong\n")
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


class _Strangers:
    """The connections whose thread waits because the client has sent too little so far.

    If more than _WAITING are silent, those silent longest are closed. A connection is listed only after
    all that it sent was read and found too little, so one whose request came whole is never closed. Thread-safe.
    """

    def __init__(self) -> None:
        self._waiting = list[socket.socket]()
        self._lock = Lock()

    def wait(self, line: socket.socket, until: float) -> None:
        """Wait until the client has sent more. Raises TimeoutError at `until`, a monotonic time."""
        with self._lock:
            self._waiting.append(line)
            silent = [each for each in self._waiting if not wait_for_read(each, 0)]
            for each in silent[:-_WAITING]:
                with suppress(OSError):  # the client closed it
                    each.shutdown(socket.SHUT_RDWR)
        try:
            if not wait_for_read(line, max(0.0, until - time.monotonic())):
                raise TimeoutError("timed out")  # the words that cheroot knows
        finally:
            with self._lock:
                self._waiting.remove(line)


class _Incoming:
    """What a client sends: the part of a socket that cheroot reads from."""

    def __init__(self, line: socket.socket, strangers: _Strangers) -> None:
        self._line = line
        self._strangers = strangers
        self._until: float | None = None

    @contextmanager
    def as_stranger(self) -> Generator[None]:
        """Context manager: within it the client has _WAIT_SECONDS in all, and its thread waits within the limits."""
        self._until = time.monotonic() + _WAIT_SECONDS
        try:
            yield
        finally:
            self._until = None

    def recv_into(self, buffer: bytearray) -> int:
        """Read as a socket does. Over TLS, the first read also does the handshake."""
        if self._until is None:
            return self._line.recv_into(buffer)
        while (count := self._recv_what_came(buffer)) is None:
            self._strangers.wait(self._line, self._until)
        return count

    def _recv_what_came(self, buffer: bytearray) -> int | None:
        """Return how many bytes were read; None if there are none yet (over TLS: no whole record)."""
        patience = self._line.gettimeout()
        self._line.settimeout(0)
        try:
            return self._line.recv_into(buffer)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None
        finally:
            self._line.settimeout(patience)

    def _decref_socketios(self) -> None:  # of the socket, too: its reader calls this when it is closed
        """Do nothing: the connection closes its socket itself."""


class _Request(HTTPRequest):
    """A request. Until its token was seen, its client is a stranger."""

    conn: Any
    status: Any  # bytes, though declared as text

    def parse_request(self) -> None:
        """Read the head of the request. Before the first request, also do the TLS handshake."""
        wait_for_read(self.conn.socket, self.conn.first_byte_sec)
        try:
            with self.conn.incoming.as_stranger():
                super().parse_request()
        except OSError as error:
            _log.info("no request from %s: %s", self.conn.remote_addr, error)

    def send_headers(self) -> None:
        """Read the rest of the request, send the head of the reply, and disconnect a client without the token."""
        with self.conn.incoming.as_stranger():
            super().send_headers()
        if self.status == _UNAUTHORIZED.encode():
            self.close_connection = True


class _Connection(HTTPConnection):
    """A connection.

    strangers: the server's connections that wait for more bytes from their client.
    first_byte_sec: how long it may be silent without being one of them.
    """

    RequestHandlerClass = _Request
    strangers: _Strangers
    first_byte_sec: float

    def __init__(self, server: Any, sock: socket.socket, makefile: Callable[..., Any]) -> None:
        super().__init__(server, sock, makefile)  # pyright: ignore[reportUnknownMemberType]
        self.incoming = _Incoming(sock, self.strangers)
        self.rfile = makefile(self.incoming, "rb", self.rbufsize)


class _TlsInThread(BuiltinSSLAdapter):
    """TLS whose handshake is done by the thread that reads the request.

    The thread that accepts connections must not do it: a slow client would keep all others from connecting.
    """

    def wrap(self, sock: socket.socket) -> tuple[ssl.SSLSocket, dict[str, str]]:
        """Return (the wrapped socket, its part of the WSGI environment). Raises FatalSSLAlert: the client left."""
        context = cast(ssl.SSLContext, self.context)  # pyright: ignore[reportUnknownMemberType]
        try:
            wrapped = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        except OSError as error:  # the client is gone already
            raise FatalSSLAlert(*error.args) from error
        return wrapped, {"wsgi.url_scheme": "https"}


def http_server(
    service: IndexService,
    host: str,
    port: int,
    *,
    token: str,
    certificate: Path | None = None,
    key: Path | None = None,
    first_byte_sec: float = _FIRST_BYTE_SECONDS,
) -> Any:
    """Return a server that is bound but not started: call its `serve`, later `stop`.

    port: 0 for any free one, which `bind_addr` then names.
    first_byte_sec: how long a new connection may be silent before it counts as a stranger.
    Raises OSError: the address is taken.
    """
    application = Application(service, token)
    server: Any = wsgi.Server((host, port), application, numthreads=_THREADS, request_queue_size=_BACKLOG)
    own = {"strangers": _Strangers(), "first_byte_sec": first_byte_sec}
    server.ConnectionClass = type("Connection", (_Connection,), own)
    server.max_request_body_size = _LARGEST_REQUEST
    server.max_request_header_size = 2**16
    server.nodelay = True
    if certificate:
        server.ssl_adapter = _TlsInThread(str(certificate), str(key or certificate))
    server.prepare()
    return server


def switch_threads_soon() -> None:
    """Let the threads of this process wait less for one another. Only for a process that does nothing but serve."""
    sys.setswitchinterval(_SWITCH_SECONDS)


def _text(status: str, text: str) -> tuple[str, str, bytes]:
    return status, "text/plain; charset=utf-8", text.encode()
