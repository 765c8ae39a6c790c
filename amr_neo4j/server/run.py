"""Runs the server: its address, TLS, threads and end."""

from __future__ import annotations

import ipaddress
import logging
import resource
import signal
import socket
import ssl
from asyncio import TimerHandle
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from amr_neo4j.errors import InputError
from amr_neo4j.extras import needs
from amr_neo4j.files import private_folder
from amr_neo4j.memory import Memory
from amr_neo4j.server.app import MakeTools, api_of
from amr_neo4j.server.gate import App, Gate, Limits
from amr_neo4j.server.keys import Keys
from amr_neo4j.server.logs import log_request
from amr_neo4j.server.metrics import Metrics
from amr_neo4j.server.service import Service
from amr_neo4j.wiring.openers import utc_now

with needs("serve"):
    import uvicorn
    from starlette.middleware.cors import CORSMiddleware
    from uvicorn.protocols.http.h11_impl import H11Protocol

_log = logging.getLogger(__name__)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
# While this many connections are open, every request gets 503. Idle ones cost little, and must not keep others out.
_MOST_CONNECTIONS = 8000
# A connection is closed after this many seconds without a whole head of a request, and between two requests.
_HEAD_S, _IDLE_S = 10, 30
# At the end, calls that are under way get this many seconds.
_END_S = 30


def serve(
    memory: Memory,
    host: str,
    port: int,
    *,
    certificate: Path | None = None,
    key: Path | None = None,
    behind_proxy: bool = False,
    tools: MakeTools | None = None,
    started: Callable[[str], None] = _log.info,
) -> None:
    """Serve a memory over HTTP until SIGTERM or Ctrl-C. Works only in the main thread, since it handles signals.

    port: 0 for any free one.
    certificate, key: for TLS.
    behind_proxy: a reverse proxy on this machine does TLS.
    started: called with a line about the address and one about the key.
    Raises InputError: the address is taken; it is open to other machines and neither TLS nor a proxy protects it; the
    files are no certificate with its key; or another server works with the data directory.
    """
    if not certificate and not behind_proxy and host not in _LOOPBACK:
        hint = "pass --certificate and --key, or --behind-proxy if a proxy does TLS, or --host 127.0.0.1"
        raise InputError(f"{host} is open to other machines", hint=hint)
    _check_tls(certificate, key)
    _allow_connections()
    data_dir = memory.settings.data_dir.expanduser()
    with _alone(data_dir), closing(listen(host, port)) as listening, closing(Keys(data_dir)) as keys:
        file = keys.local(utc_now())
        hosts = frozenset({*_LOOPBACK, host}) if not _is_any(host) else frozenset(_LOOPBACK)
        server = http_server(
            memory, keys, hosts=hosts, certificate=certificate, key=key, behind_proxy=behind_proxy, tools=tools
        )
        shown = f"[{host}]" if ":" in host else host
        started(f"memory is served at {'https' if certificate else 'http'}://{shown}:{listening.getsockname()[1]}")
        started(f"the key of this machine is in {file}")
        # uvicorn raises the signal again after its end. SIGTERM would end the process there, before memory is closed.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            _log.info("the server has stopped")


def http_server(
    memory: Memory,
    keys: Keys,
    *,
    hosts: frozenset[str] = frozenset(_LOOPBACK),
    certificate: Path | None = None,
    key: Path | None = None,
    behind_proxy: bool = False,
    tools: MakeTools | None = None,
) -> uvicorn.Server:
    """Return a server that is not started yet.

    hosts: its names, besides those of the setting serve_hosts.
    tools: makes what serves models at /mcp.
    """
    config = uvicorn.Config(
        _application(memory, keys, hosts, tools),
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=behind_proxy,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_END_S,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    return uvicorn.Server(config)


def _application(memory: Memory, keys: Keys, hosts: frozenset[str], tools: MakeTools | None) -> App:
    """Return the application. hosts: its names besides those of the settings."""
    settings = memory.settings
    limits = Limits(
        hosts=hosts | frozenset(settings.serve_hosts),
        origins=frozenset(settings.serve_origins),
        largest_body=int(settings.serve_largest_mb * 2**20),
        per_minute=settings.serve_requests_per_minute,
        bytes_a_day=settings.serve_key_mb_a_day and settings.serve_key_mb_a_day * 2**20,
    )
    service = Service(memory, keys, utc_now)
    metrics = Metrics(service)

    def seen(method: str, path: str, status: int, seconds: float) -> None:
        metrics.request(method, path, status, seconds)
        log_request(method, path, status, seconds)

    gate = Gate(api_of(service, tools, metrics), keys, limits, utc_now, seen)
    if not settings.serve_origins:
        return gate
    # Around the gate: a browser asks without the key whether a page may send it, and the page reads refusals, too.
    methods = ["GET", "HEAD", "POST", "PATCH", "DELETE"]
    origins = settings.serve_origins
    return CORSMiddleware(
        gate, allow_origins=origins, allow_methods=methods, allow_headers=["*"], expose_headers=["*"]
    )


@contextmanager
def _alone(data_dir: Path) -> Generator[None]:
    """Context manager: hold the lock of a data directory. Two servers would each do the jobs of the other."""
    lock = FileLock(private_folder(data_dir) / "serve.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        hint = "end it first, or give this one another data_dir"
        raise InputError("another amr serve works with this data directory", hint=hint) from None
    try:
        yield
    finally:
        lock.release()


def _allow_connections() -> None:
    """Raise the limit of open files as far as this user may, since each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * _MOST_CONNECTIONS)), hard))


def _check_tls(certificate: Path | None, key: Path | None) -> None:
    """Raise InputError if the files are no certificate with its key."""
    if not certificate:
        if key:
            raise InputError("a key without its certificate", hint="pass --certificate too")
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as error:
        hint = "both are PEM files; the certificate may hold the key, too"
        raise InputError(f"no certificate with its key: {certificate}, {key}: {error}", hint=hint) from error


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises InputError: the address is taken or is not an address of this machine."""
    try:
        [family, kind, protocol, _, address], *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # asyncio sends without delay (TCP_NODELAY) only where the protocol is named; a reply would take 40 ms more.
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except (OSError, UnicodeError) as error:  # UnicodeError: no host can have that name
        raise InputError(f"cannot listen on {host}:{port}: {error}", hint="pass another --port") from error
    return listening


def _is_any(host: str) -> bool:
    """Return whether an address means all addresses of this machine.

    If so, the names under which clients reach the machine must be in serve_hosts.
    """
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


class _Protocol(H11Protocol):
    """A connection that is closed if the head of a request does not arrive in time."""

    _head: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        if self._head is None and self._is_between_requests():
            self._await_head()
        super().data_received(data)
        if not self._is_between_requests():
            self._have_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._have_head()
        super().connection_lost(exc)

    def _is_between_requests(self) -> bool:
        return not self.cycle or self.cycle.response_complete

    def _await_head(self) -> None:
        self._head = self.loop.call_later(_HEAD_S, self._give_up)

    def _have_head(self) -> None:
        if self._head:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        if self._is_between_requests() and not self.transport.is_closing():
            self.transport.close()
