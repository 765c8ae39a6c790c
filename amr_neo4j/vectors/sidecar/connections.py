"""Connections to a sidecar that are kept open.

A request leaves in one write: head and body apart are two packets, and wake the server twice.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections import deque
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from urllib3.util import wait_for_read

from amr_neo4j.errors import ConfigError

_KEPT = 16
_PIECE, _LARGEST_REPLY = 2**20, 2**30


class Reply(NamedTuple):
    """The response to a request. kind: its content type, empty where it has none."""

    status: int
    kind: str
    content: bytes


class Connections:
    """Connections to one address. Thread-safe: a connection serves one call at a time."""

    def __init__(self, url: str, headers: Mapping[str, str], certificates: Path | None = None) -> None:
        """url: http or https, http where it names neither. headers: of every request.

        certificates: of the authority that signed the server's.
        Raises ConfigError: the address is none.
        """
        there = _parsed(url)
        self._address = (there.hostname or "", there.port or (443 if there.scheme == "https" else 80))
        self._tls = ssl.create_default_context(cafile=certificates) if there.scheme == "https" else None
        self._path = there.path.rstrip("/")
        lines = {"Host": there.netloc.rpartition("@")[2], **headers}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._free: deque[socket.socket] = deque()

    def post(self, path: str, body: bytes, timeout_sec: float | None) -> Reply:
        """Send a request and read its reply. timeout_sec: None: however long it takes.

        Raises OSError, HTTPException: there is none; TimeoutError: it takes too long, however busy the line is.
        """
        head = f"POST {self._path}{path} HTTP/1.1\r\n{self._headers}Content-Length: {len(body)}\r\n\r\n"
        line = self._kept() or self._opened(timeout_sec)
        line.settimeout(timeout_sec)
        reply = HTTPResponse(line, method="POST")
        try:
            line.sendall(head.encode() + body)
            reply.begin()
            content = _whole(reply, timeout_sec)
        except BaseException:
            reply.close()
            line.close()
            raise
        if reply.will_close or len(self._free) >= _KEPT:
            line.close()
        else:
            self._free.append(line)
        return Reply(reply.status, reply.headers.get("Content-Type", ""), content)

    def close(self) -> None:
        """Close those that no call uses."""
        while self._free:
            self._free.pop().close()

    def _kept(self) -> socket.socket | None:
        """One that is open still: where there is something to read between two calls, the server closed it."""
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
    except ValueError as error:
        raise refused from error
    if not complete:
        raise refused
    return there


def _whole(reply: HTTPResponse, longest_sec: float | None) -> bytes:
    until = inf if longest_sec is None else time.monotonic() + longest_sec
    content = bytearray()
    while piece := reply.read1(_PIECE):
        content += piece
        if len(content) > _LARGEST_REPLY:
            raise HTTPException("the reply is too large")
        if time.monotonic() > until:
            raise TimeoutError
    return bytes(content)
