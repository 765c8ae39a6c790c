"""The HTTP side of a model server: one connection at a time, limits on time and size, no redirect to another host."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any

from openai import VERSION, DefaultHttpxClient, OpenAI

from amr_neo4j.errors import ConfigError, ModelGarbled, ModelMoved, ModelUnavailable, UnusableReply
from amr_neo4j.models.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2 as httpx
else:  # the SDK's own HTTP client; its name depends on the SDK's version
    httpx = import_module("httpx2" if int(VERSION.partition(".")[0]) >= 3 else "httpx")

# A compressed reply could be a thousand times as large as what was received.
_HEADERS = {"Accept-Encoding": "identity"}
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Lines:
    """Connections to one server, each used by one request at a time. Thread-safe."""

    def __init__(self, to: Endpoint) -> None:
        # Replaced once the name of the model is known.
        self.to = to
        self._idle: list[HttpLine] = []
        self._lock = Lock()

    @contextmanager
    def line(self, timeout_s: float) -> Generator[HttpLine]:
        """Give a connection for one request, which is cut off after `timeout_s` even if data keep coming.

        Raises ModelUnavailable: the time is up.
        """
        with self._lock:
            line = self._idle.pop() if self._idle else HttpLine(self)
        # A socket's timeout counts from byte to byte, so a slow reply would never exceed it.
        timer = Timer(timeout_s, line.cut)
        timer.daemon = True
        timer.start()
        try:
            yield line
            line.check()
        except Exception as error:
            if line.expired:
                raise timed_out(self.to) from error
            raise
        finally:
            timer.cancel()
            if line.expired:
                line.close()
            else:
                with self._lock:
                    self._idle.append(line)


class HttpLine:
    """One connection with an SDK client of its own, so that another thread can cut it off."""

    def __init__(self, lines: Lines) -> None:
        self._lines, to = lines, lines.to
        self.expired = False
        self._stream: Any = None
        hooks: dict[str, list[Any]] = {"request": [self._request], "response": [self._response]}
        self._http = _client(to, hooks)
        self.sdk = OpenAI(
            base_url=to.base_url,
            api_key=to.api_key,
            # The SDK's own retries know neither our time limit nor our cost limit (decision 0063).
            max_retries=0,
            http_client=self._http,
            default_headers=_HEADERS,
        )

    def __del__(self) -> None:
        # `Lines` is never closed, so idle connections close when they are dropped.
        with suppress(Exception):
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    @property
    def _to(self) -> Endpoint:
        return self._lines.to

    def check(self) -> None:
        """Raises ModelUnavailable: the time of the request is up."""
        if self.expired:
            raise timed_out(self._to)

    def cut(self) -> None:
        """End the request, from another thread: a blocked read or write returns at once."""
        self.expired = True
        if self._stream is not None:
            with suppress(OSError):  # not connected yet, or no more
                self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def _trace(self, name: str, info: dict[str, Any]) -> None:
        if name.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info["return_value"]
            # The time ran out while it was connecting, when there was no connection to cut.
            if self.expired:
                self.cut()

    def _request(self, request: httpx.Request) -> None:
        """Called before each request, including those that follow a redirect."""
        self.check()
        if not _is_same_server(httpx.URL(self._to.base_url), request.url):
            origin = self._to.masked(f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}")
            hint = "nothing was sent there; if it is the right server, set provider to its base URL"
            raise ModelMoved(f"{self._to} redirects to another host, {origin:.200}, which is not followed", hint=hint)
        request.extensions["trace"] = self._trace

    def _response(self, response: httpx.Response) -> None:
        """Called with each response before its body is read."""
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.strip().lower() not in ("", "identity"):
            hint = "set the server, or a proxy before it, to send what it is asked for: Accept-Encoding: identity"
            raise ModelGarbled(f"{self._to} returned a compressed reply, which was not asked for", hint=hint)
        if not isinstance(response.stream, httpx.SyncByteStream):
            raise TypeError("an asynchronous response")
        response.stream = _Bounded(response.stream, self._to, self)


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted. Every connection would read them again, which takes 20 ms."""
    return httpx.create_ssl_context()


def _client(to: Endpoint, hooks: dict[str, list[Any]]) -> Any:
    """Return the HTTP client for a server. Raises ConfigError: the environment names a proxy that cannot be used."""
    if to.is_local:
        # A proxy would get what is meant for this machine or its network alone. A client with a transport uses none.
        return DefaultHttpxClient(event_hooks=hooks, transport=httpx.HTTPTransport(verify=_trusted()))
    try:
        return DefaultHttpxClient(event_hooks=hooks, verify=_trusted())
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        why = "SOCKS needs the package socksio" if isinstance(error, ImportError) else "its address is not valid"
        raise ConfigError(
            f"{to} cannot be reached through the proxy of the environment: {why}",
            hint="correct ALL_PROXY, HTTPS_PROXY or HTTP_PROXY",
        ) from error


class _Bounded(httpx.SyncByteStream):
    """The body of a response. Raises UnusableReply: it is larger than the settings allow; ModelUnavailable."""

    def __init__(self, body: httpx.SyncByteStream, to: Endpoint, line: HttpLine) -> None:
        self._body, self._to, self._line = body, to, line

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._body:
            self._line.check()
            size += len(piece)
            if size > self._to.max_reply_bytes:
                raise UnusableReply(
                    f"{self._to} returned more than {self._to.max_reply_bytes / 1e6:g} MB", hint="raise max_reply_mb"
                )
            yield piece

    def close(self) -> None:
        self._body.close()


def timed_out(to: Endpoint) -> ModelUnavailable:
    """Return the error of a request whose time is up."""
    return ModelUnavailable(f"{to} timed out", hint=f"raise timeout_s and patience_s under {to.role}")


def _is_same_server(asked: httpx.URL, other: httpx.URL) -> bool:
    """Return whether both URLs are one server: the same host, port and scheme, or https in place of http."""
    if asked.host != other.host:
        return False
    if (asked.scheme, _port(asked)) == (other.scheme, _port(other)):
        return True
    return (asked.scheme, _port(asked), other.scheme, _port(other)) == ("http", 80, "https", 443)


def _port(url: httpx.URL) -> int | None:
    return url.port or _DEFAULT_PORTS.get(url.scheme)
