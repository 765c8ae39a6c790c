"""A VectorIndex that asks the sidecar. While the sidecar is away, searches by meaning find nothing."""

from __future__ import annotations

import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar
from urllib.parse import SplitResult, urlsplit

import numpy as np
from urllib3.util import wait_for_read

from amr_neo4j.domain.ports import Kind, Notify, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import ConfigError, StoreUnavailable
from amr_neo4j.vectors.sidecar.wire import ANOTHER_VERSION, CONTENT_TYPE, PATH, Array, decode, encode, scope_to_json

# After a failure the sidecar is not asked for this many seconds.
_PAUSE_AFTER_FAILURE = 1.0
_OK, _UNAUTHORIZED, _NOT_FOUND = 200, 401, 404
_LARGEST_NUMBER = 2**53
T = TypeVar("T")
Header = Mapping[str, Any]
Read = Callable[[Header, list[Array]], T]
"""Reads the result from a reply's header and arrays. Raises ValueError, KeyError, TypeError: it is not there."""


class SidecarIndex:
    """The index of one kind and model in a sidecar. Thread-safe.

    `search`, `similarities` and `catch_up` never wait longer than the deadline. While the sidecar is away they find
    nothing and `degraded` is True. The other methods raise StoreUnavailable then. A refused token raises ConfigError.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        kind: Kind,
        model: str,
        dim: int,
        timeout_sec: float = 2.0,
        certificates: Path | None = None,
        notify: Notify = lambda line: None,
    ) -> None:
        """certificates: for https, a file with the certificate of the authority that signed the server's.
        notify: called with a line per outage.
        Raises ConfigError: the URL is not an address.
        """
        self._timeout_sec = timeout_sec
        self._url = url
        headers = {"Authorization": f"Bearer {token}", "Content-Type": CONTENT_TYPE}
        self._connections = _Connections(url, headers, certificates)
        self._about = {"kind": kind, "model": model, "dim": dim}
        self.model = model
        self._notify = notify
        self._lock = Lock()
        self._away_until = 0.0
        self.degraded = False

    def __len__(self) -> int:
        return self._ask("size", lambda header, _: _count(header["vectors"]))

    def catch_up(self) -> int:
        """Have the sidecar read what was written to the graph. Returns the number of changed vectors."""
        return self._ask_or_nothing("catch_up", lambda header, _: _count(header["changed"])) or 0

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Do the same as FaissIndex.search, with the same errors. Returns no hits while the sidecar is away."""
        if scope.persons and among is None:
            raise ValueError("a scope with persons needs among: the index has no persons")
        arrays = [self._fitting(vector)] if among is None else [self._fitting(vector), np.asarray(among, np.int64)]
        return self._ask_or_nothing("search", _pairs, {"k": k, "scope": scope_to_json(scope)}, arrays) or []

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Do the same as FaissIndex.similarities. Returns NaN for all while the sidecar is away."""
        shape, ids = (len(vectors), len(node_ids)), np.asarray(node_ids, np.int64)

        def cosines(header: Header, arrays: list[Array]) -> Vectors:
            [found] = arrays
            if found.dtype.kind != "f" or found.shape != shape or np.isinf(found).any():
                raise ValueError("no cosine for each id")
            return found

        found = self._ask_or_nothing("similarities", cosines, {}, [*map(self._fitting, vectors), ids])
        return np.full(shape, np.nan, np.float32) if found is None else found

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Do the same as FaissIndex.vectors."""
        return self._ask("vectors", self._rows, {}, [np.asarray(node_ids, np.int64)])

    def rebuild(self) -> int:
        """Have the sidecar rebuild it from the graph. Returns the number of vectors."""
        return self._ask("rebuild", lambda header, _: _count(header["vectors"]), waits=True)

    def save(self) -> None:
        """Does nothing: the sidecar saves its indexes itself."""

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def _fitting(self, vector: Vectors) -> Vectors:
        """Raises ValueError: the vector has another dimension."""
        if vector.shape != (self._about["dim"],):
            raise ValueError(f"the vector has another dimension: {vector.shape}, not {self._about['dim']}")
        return vector

    def _rows(self, header: Header, arrays: list[Array]) -> dict[int, Vectors]:
        ids, rows = arrays
        if rows.shape != (len(ids), self._about["dim"]):
            raise ValueError(f"vectors of shape {rows.shape}")
        return dict(zip(ids.tolist(), rows, strict=True))

    def _ask_or_nothing(
        self, operation: str, read: Read[T], header: Mapping[str, Any] | None = None, arrays: Sequence[Array] = ()
    ) -> T | None:
        if time.monotonic() < self._away_until:
            return None
        try:
            found = self._ask(operation, read, header, arrays)
        except StoreUnavailable as error:
            with self._lock:
                # Only the first failure of an outage is reported.
                first, self.degraded = not self.degraded, True
                self._away_until = time.monotonic() + _PAUSE_AFTER_FAILURE
            if first:
                self._notify(f"{error.message}: results rest on words and the graph alone until it does")
            return None
        self.degraded = False
        return found

    def _ask(
        self,
        operation: str,
        read: Read[T],
        header: Mapping[str, Any] | None = None,
        arrays: Sequence[Array] = (),
        *,
        waits: bool = False,
    ) -> T:
        """Run an operation of the sidecar and return its result.

        read: reads the result from the reply.
        waits: wait however long it takes.
        Raises StoreUnavailable, ConfigError.
        """
        message = encode({**self._about, **(header or {})}, arrays)
        try:
            reply = self._connections.post(f"{PATH}{operation}", message, None if waits else self._timeout_sec)
        except (OSError, HTTPException) as error:
            hint = "start it: amr sidecar serve, or set dense to faiss"
            raise StoreUnavailable(f"the sidecar at {self._url} does not answer", hint=hint) from error
        if reply.status == _UNAUTHORIZED:
            raise ConfigError(f"the sidecar at {self._url} refuses the token", hint="check AMR_SIDECAR_TOKEN")
        if reply.status == _NOT_FOUND:
            raise StoreUnavailable(
                f"the sidecar at {self._url} cannot answer ({ANOTHER_VERSION})", hint="check sidecar_url as well"
            )
        if reply.status != _OK or reply.kind != CONTENT_TYPE:
            why = " ".join(reply.content[:200].decode(errors="replace").split())
            raise StoreUnavailable(
                f"the sidecar at {self._url} cannot answer ({why})", hint="see the output of amr sidecar serve"
            )
        try:
            return read(*decode(reply.content))
        except (ValueError, KeyError, TypeError) as error:
            raise StoreUnavailable(
                f"the sidecar at {self._url} returned an invalid response: {error}", hint="check sidecar_url"
            ) from error


def _count(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < _LARGEST_NUMBER:
        raise ValueError(f"{value!r:.60} is no count")
    return value


def _pairs(header: Header, arrays: list[Array]) -> list[tuple[int, float]]:
    ids, cosines = arrays
    if ids.dtype.kind != "i" or cosines.dtype.kind != "f" or ids.ndim != 1 or not np.isfinite(cosines).all():
        raise ValueError("no ids with their cosines")
    return list(zip(ids.tolist(), cosines.tolist(), strict=True))


_MOST_FREE_CONNECTIONS = 16
_PIECE, _LARGEST_REPLY = 2**20, 2**30


class _HttpReply(NamedTuple):
    """The response to a request. kind: its content type; empty if it has none."""

    status: int
    kind: str
    content: bytes


class _Connections:
    """Open connections to one address. Thread-safe: each serves one call at a time.

    Head and body of a request are sent in one write. Apart, they would be two packets and wake the server twice.
    """

    def __init__(self, url: str, headers: Mapping[str, str], certificates: Path | None = None) -> None:
        """url: the address; http if it names no scheme.
        headers: sent with every request.
        certificates: as in SidecarIndex.
        """
        there = _parsed(url)
        self._address = (there.hostname or "", there.port or (443 if there.scheme == "https" else 80))
        self._tls = ssl.create_default_context(cafile=certificates) if there.scheme == "https" else None
        self._path = there.path.rstrip("/")
        lines = {"Host": there.netloc.rpartition("@")[2], **headers}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        # append and pop of a deque are atomic, so no lock is needed.
        self._free: deque[socket.socket] = deque()

    def post(self, path: str, body: bytes, timeout_sec: float | None) -> _HttpReply:
        """Send a request and read the whole reply.

        A request that gets no byte of a reply is sent once more, because the server may have closed the connection
        just before the request arrived. It closes connections that are idle between two calls, and new ones too while
        many silent clients wait. Every operation may be done twice: vectors are added and removed by their ids.
        timeout_sec: the limit for request and reply together; None waits however long it takes.
        Raises OSError, HTTPException: no reply; TimeoutError: the reply takes too long, even if bytes keep arriving.
        """
        try:
            return self._post(path, body, timeout_sec)
        except (ConnectionResetError, BrokenPipeError):
            return self._post(path, body, timeout_sec)

    def _post(self, path: str, body: bytes, timeout_sec: float | None) -> _HttpReply:
        head = f"POST {self._path}{path} HTTP/1.1\r\n{self._headers}Content-Length: {len(body)}\r\n\r\n"
        line = self._kept() or self._opened(timeout_sec)
        line.settimeout(timeout_sec)
        reply = HTTPResponse(line, method="POST")
        try:
            line.sendall(head.encode() + body)
            reply.begin()
            content = _whole(reply, timeout_sec)
        except BaseException:
            # Part of the reply may still be on its way, so the connection cannot serve another call.
            reply.close()
            line.close()
            raise
        if reply.will_close or len(self._free) >= _MOST_FREE_CONNECTIONS:
            line.close()
        else:
            self._free.append(line)
        return _HttpReply(reply.status, reply.headers.get("Content-Type", ""), content)

    def close(self) -> None:
        """Close the connections that no call is using."""
        while self._free:
            self._free.pop().close()

    def _kept(self) -> socket.socket | None:
        """Return an open connection that is free, or None.

        A connection that has bytes to read between two calls was closed by the server, and is dropped.
        """
        while self._free:
            try:
                line = self._free.pop()
            except IndexError:  # another thread took the last
                return None
            if not wait_for_read(line, 0):
                return line
            line.close()
        return None

    def _opened(self, timeout_sec: float | None) -> socket.socket:
        line = socket.create_connection(self._address, timeout_sec)
        # Otherwise the kernel may hold back the end of a request until the server confirms the beginning.
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._tls:
            return line
        try:
            return self._tls.wrap_socket(line, server_hostname=self._address[0])
        except BaseException:
            line.close()
            raise


def _parsed(url: str) -> SplitResult:
    refused = ConfigError(f"{url} is no address of a sidecar", hint="write it like http://127.0.0.1:8377")
    try:
        there = urlsplit(url if "://" in url else f"http://{url}")
        complete = there.scheme in ("http", "https") and there.hostname and there.port != 0
        (there.hostname or "").encode("idna")  # as a connection does
    except ValueError as error:
        raise refused from error
    if not complete:
        raise refused
    return there


def _whole(reply: HTTPResponse, longest_sec: float | None) -> bytes:
    until = inf if longest_sec is None else time.monotonic() + longest_sec
    content = bytearray()
    # read1 returns what has come so far, so the time is checked even if the bytes trickle in.
    while piece := reply.read1(_PIECE):
        content += piece
        if len(content) > _LARGEST_REPLY:
            raise HTTPException("the reply is too large")
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(content)
