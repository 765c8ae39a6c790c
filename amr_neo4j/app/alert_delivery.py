"""Deliver the evidence of an alert to a command's standard input or by HTTP POST, in bounded time and memory."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from shutil import which
from threading import Event, Thread, Timer
from typing import IO, Any
from urllib.parse import SplitResult, quote, urlsplit

from amr_neo4j.errors import InputError

_COMMAND_SEC, _REQUEST_SEC = 60.0, 30.0
# Characters of an error that are kept, and bytes of what a command wrote to standard error.
_LONGEST_ERROR = 300
_LONGEST_TAIL = 4096
# Characters of a path or query that are sent as they are. "%" is one of them, so that an address that is already
# quoted is not quoted twice.
_SAFE = "/%:=&?~+!$,;'@()*[]"


def command(text: str) -> list[str]:
    """Split a command into words.

    Raises InputError if it has no words, or its program is not on the PATH.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(
            f"the command {text!r} cannot be split into words: {error}", hint="check the quotes"
        ) from error
    if not words or not which(words[0]):
        raise InputError(f"there is no program {words[0] if words else ''!r}", hint="name one that is on the PATH")
    return words


def address(text: str) -> SplitResult:
    """Split an http(s) address into its parts.

    Raises InputError: the text is not a complete http(s) address.
    """
    try:
        parts = urlsplit(text)
        # urlsplit checks little: reading the port, or encoding the host, may raise ValueError.
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        is_whole = False
    if not is_whole or not text.isprintable() or " " in text:
        raise InputError("the webhook is no address to send to", hint="write it like https://host/path")
    return urlsplit(text)


def run(text: str, evidence: Mapping[str, Any], *, limit_s: float = _COMMAND_SEC) -> str:
    """Run a command with the evidence as JSON on its standard input.

    Returns why it failed, or an empty text. After limit_s seconds the command is killed with its children. Its
    output is discarded, except the last line of its standard error, which becomes part of the reason.
    """
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    try:
        # The new session makes the command the leader of a process group, so that killpg reaches its children.
        process = subprocess.Popen(shlex.split(text), start_new_session=True, **pipes)
    except (OSError, ValueError) as error:
        return f"the command cannot be run: {getattr(error, 'strerror', '') or error}"
    tail = bytearray()
    # Each pipe has a thread of its own, so that a full pipe blocks neither the command nor this wait.
    threads = [
        Thread(target=_feed, args=(process.stdin, json.dumps(evidence).encode()), daemon=True),
        Thread(target=_drain, args=(process.stderr, tail), daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        status = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"the command took longer than {limit_s:g} s"
    threads[1].join(1.0)  # a child in the background may hold the pipe open
    said = bytes(tail).decode(errors="replace").strip().splitlines()
    return f"the command ended with {status}: {' '.join(said[-1:])}"[:_LONGEST_ERROR] if status else ""


def post(url: str, evidence: Mapping[str, Any], *, limit_s: float = _REQUEST_SEC) -> str:
    """Post the evidence as JSON to an http(s) address.

    Returns why it failed, or an empty text. Follows no redirect and does not read the body of the reply.
    limit_s: seconds of wall clock from the connection to the headers of the reply.
    """
    try:
        parts = address(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=limit_s)
        status = _sent(connection, _path(parts), json.dumps(evidence).encode(), limit_s)
    except (http.client.HTTPException, OSError, ValueError, InputError) as error:
        return " ".join(f"{type(error).__name__}: {error}"[:_LONGEST_ERROR].split())
    return "" if 200 <= status < 300 else f"the server answered {status}"


def _path(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe=_SAFE)
    return f"{path}?{quote(parts.query, safe=_SAFE)}" if parts.query else path


def _sent(connection: http.client.HTTPConnection, path: str, body: bytes, limit_s: float) -> int:
    """Send the body and return the status of the reply. Raises TimeoutError: the reply took longer than limit_s.

    A timer cuts the connection. The socket's own timeout starts again with each byte, so a server that sends a byte
    a second would hold the thread for ever.
    """
    is_cut = Event()
    timer = Timer(limit_s, _cut, (connection, is_cut))
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
        if is_cut.is_set():  # headers that were cut off look complete
            raise TimeoutError(f"no answer in {limit_s:g} s")
        return status
    finally:
        timer.cancel()
        connection.close()


def _cut(connection: http.client.HTTPConnection, is_cut: Event) -> None:
    is_cut.set()
    sock: socket.socket | None = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _feed(pipe: IO[bytes], content: bytes) -> None:
    """Write a command's input. A command that ends without reading all of it is not an error."""
    with suppress(OSError):
        pipe.write(content)
    with suppress(OSError):
        pipe.close()


def _drain(pipe: IO[bytes], tail: bytearray) -> None:
    """Keep only the last bytes of what a command prints; reading to the end keeps its pipe from filling up."""
    with suppress(ValueError, OSError):
        while piece := os.read(pipe.fileno(), 65_536):
            tail += piece
            del tail[:-_LONGEST_TAIL]
