"""The servers that amr runs: the sidecar (HTTP and raw arrays) and the MCP server (JSON-RPC on standard input)."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from amr_neo4j import Memory
from amr_neo4j.vectors.sidecar.wire import PATH, encode
from tests.faults import nasty
from tests.faults.tally import MOST_MB, Row, Tally, peak_mb
from tests.support.live_streams import free_port

_TOKEN = "only-for-tests"
_DIM = 384
HALF_SENT = 300
_HEADER: dict[str, Any] = {
    **{"kind": "episode", "model": "e5-small-v2", "dim": _DIM, "k": 5},
    "scope": {"group_id": "faults", "user_id": "door", "since": 3.0, "known_at": "2026-03-01T09:00:00+00:00"},
}
_OPERATIONS = ("search", "similarities", "vectors", "size", "catch_up", "rebuild", "nonsense", f"..{PATH}size")
_EXPECTED = {200, 400, 401, 403, 404, 405, 408, 411, 413, 414, 431, 501, 503, 505, 507}
HELLO: tuple[dict[str, Any], ...] = (
    {
        **{"jsonrpc": "2.0", "id": "hello", "method": "initialize"},
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
"""How a client of MCP begins."""
_RPC: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": given}}
    for name, given in (
        ("search_memory", {"query": "keys", "search_type": "both", "limit": 5}),
        ("ask_memory", {"question": "Where are the keys?", "as_of": "2026-03-01T09:00:00+01:00"}),
        ("remember", {"text": "I moved to Rome.", "session_id": "mcp", "actor": "user"}),
        ("lifecycle", {"name": "keys"}),
    )
] + [{"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": {}}]


def sidecar(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """Each request is answered without a 500 and in time; afterwards the server is well."""
    with tally.kind("sidecar") as row, _serving(row, folder) as port:
        for number in range(attacks):
            name, request = _request(chance, number)
            row.attacks += 1
            begin = time.monotonic()
            status = _exchanged(port, request)
            row.refused += status != 200
            if status not in _EXPECTED | {None}:
                row.failed[f"{name} {number}"] = f"status {status} for {request[:200]!r}"
            if time.monotonic() - begin > 60:
                row.failed[f"{name} {number}"] = f"took {time.monotonic() - begin:.0f} s"
        whole = encode({"kind": "episode", "model": "e5-small-v2", "dim": _DIM})
        with ExitStack() as half_sent:
            for number in range(HALF_SENT if attacks else 0):
                row.attacks += 1
                line = half_sent.enter_context(socket.create_connection(("127.0.0.1", port), 20))
                line.sendall(_http("POST", f"{PATH}size", whole, chance.choice(["", _TOKEN]))[: number % 90])
            for path, body in (("/health", b""), (f"{PATH}size", whole)):
                if (status := _exchanged(port, _http("POST" if body else "GET", path, body))) != 200:
                    row.failed[f"afterwards {path}"] = f"status {status}"


def mcp(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """Lines of JSON-RPC with something wrong; after each ten a good one is answered."""
    with tally.kind("MCP") as row:
        command = [sys.executable, "-m", "amr_neo4j", "mcp", "--user", "door"]
        with (folder / "mcp.err").open("w+b") as err:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err)
            try:
                _talk(row, process, chance, attacks)
            finally:
                peak = peak_mb(process.pid)
                process.kill()
                process.wait()
            err.seek(0)
            judge(row, err.read(), peak)


def pipelined(tally: Tally, calls: int, folder: Path) -> None:
    """So many calls without waiting for an answer: each is answered once, and each turn is kept, in order."""
    with tally.kind("pipelined MCP") as row, (folder / "pipelined.err").open("w+b") as err:
        command = [sys.executable, "-m", "amr_neo4j", "mcp", "--user", "door"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err)
        replies: dict[Any, float] = {}
        counted = Counter[Any]()
        Thread(target=_collect, args=(process.stdout, replies, counted), daemon=True).start()
        try:
            for message in HELLO:
                _say(process, message)
            for number in range(calls):
                row.attacks += 1
                text = {"text": f"I like dish{number}.", "session_id": "pipelined"}
                params = {"name": "remember", "arguments": text} if number % 2 else _RPC[0]["params"]
                _say(process, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            if missing := [number for number in range(calls) if not _answered(replies, number)]:
                row.failed["unanswered"] = f"{len(missing)}, the first {missing[:3]}"
            if twice := [number for number, times in counted.items() if times > 1]:
                row.failed["twice"] = str(twice[:9])
        finally:
            peak = peak_mb(process.pid)
            process.kill()
            process.wait()
        err.seek(0)
        judge(row, err.read(), peak)
        with Memory.open(notify=lambda line: None) as memory:
            kept = [turn.content for turn in memory.conversation("pipelined", user_id="door")] if calls > 1 else []
        if kept != [f"I like dish{number}." for number in range(1, calls, 2)]:
            row.failed["kept"] = f"{len(kept)} turns, not all or not in order: {kept[:9]}"


def _talk(row: Row, process: subprocess.Popen[bytes], chance: random.Random, attacks: int) -> None:
    assert process.stdin and process.stdout
    replies: dict[Any, float] = {}
    Thread(target=_collect, args=(process.stdout, replies), daemon=True).start()
    for message in HELLO:
        _say(process, message)
    if not _answered(replies, "hello"):
        row.failed["hello"] = "no answer to initialize"
        return
    for number in range(attacks):
        row.attacks += 1
        line = json.dumps(nasty.document(chance, chance.choice(_RPC))).encode()
        if chance.random() < 0.3:
            line = nasty.text(chance, line.decode()).replace(b"\n", b" ")
        with suppress(OSError):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
        if number % 10 == 9:
            # A lone surrogate, as json writes it: no message can hold it, and its sender is told.
            _say(process, {**_RPC[0], "id": f"odd-{number}", "params": {"text": "\ud800"}})
            if not _answered(replies, f"odd-{number}"):
                row.failed[f"odd {number}"] = "no answer to a request with a lone surrogate"
                return
            _say(process, {"jsonrpc": "2.0", "id": f"good-{number}", "method": "tools/list", "params": {}})
            if not _answered(replies, f"good-{number}"):
                row.failed[f"after {number}"] = f"no answer to a good request after {line[:300]!r}"
                return


def _say(process: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
    assert process.stdin
    with suppress(OSError):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()


def _collect(out: Any, replies: dict[Any, float], counted: Counter[Any] | None = None) -> None:
    for line in out:
        with suppress(ValueError, TypeError, AttributeError):
            key = json.loads(line).get("id")
            replies[key] = time.monotonic()
            if counted is not None:
                counted[key] += 1


def _answered(replies: Mapping[Any, float], key: object, limit_s: float = 120.0) -> bool:
    until = time.monotonic() + limit_s
    while key not in replies:
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def _serving(row: Row, folder: Path) -> Iterator[int]:
    """`amr sidecar serve`; its output and memory are judged at the end."""
    port = free_port()
    command = [sys.executable, "-m", "amr_neo4j", "sidecar", "serve", "--port", str(port)]
    with (folder / "sidecar.err").open("w+b") as err:
        environment = os.environ | {"AMR_SIDECAR_TOKEN": _TOKEN}
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=err, stderr=err, env=environment)
        try:
            until = time.monotonic() + 120
            while _exchanged(port, _http("GET", "/health", b"")) != 200:
                assert time.monotonic() < until and process.poll() is None, "the sidecar did not start"
                time.sleep(0.1)
            yield port
        finally:
            peak = peak_mb(process.pid)
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            if process.poll() is None:
                row.failed["end"] = "it does not end when told to"
                process.kill()
                process.wait()
        err.seek(0)
        judge(row, err.read(), peak)


def _request(chance: random.Random, number: int) -> tuple[str, bytes]:
    vector = np.full(_DIM, 1 / _DIM**0.5, np.float32)
    operation = chance.choice(_OPERATIONS[:6]) if chance.random() < 0.9 else chance.choice(_OPERATIONS)
    path = f"{PATH}{operation}"
    whole = encode(_HEADER, [vector, np.arange(3)])
    kind = number % 8
    if kind in (0, 1, 2):  # the header is generated, the arrays stay
        length = struct.unpack("<I", whole[:4])[0]
        header = json.dumps(nasty.document(chance, json.loads(whole[4 : 4 + length]))).encode()
        return f"header of {operation}", _http(
            "POST", path, struct.pack("<I", len(header)) + header + whole[4 + length :]
        )
    if kind == 3:
        odd = chance.choice(
            [np.full(_DIM, np.nan), np.full(_DIM, 3e38), np.zeros(_DIM), np.zeros((2, 3)), np.zeros(0)]
        )
        return f"vector of {operation}", _http("POST", path, encode(_HEADER, [odd.astype(np.float32), np.arange(3)]))
    if kind == 4:
        return f"torn body of {operation}", _http("POST", path, _torn(chance, whole))
    if kind == 5:
        deep = b'{"arrays": ' + b"[" * 100_000
        return "deep header", _http("POST", path, struct.pack("<I", len(deep)) + deep)
    if kind == 6:
        token = chance.choice(["", "x", _TOKEN + " ", "\xe9", "Bearer", _TOKEN[:-1]])
        return "token", _http(
            chance.choice(["GET", "POST", "PUT", "OPTIONS"]), chance.choice([path, "/metrics"]), b"", token
        )
    return "raw request", _torn(chance, _http("POST", path, whole))


def _torn(chance: random.Random, content: bytes) -> bytes:
    return nasty.torn(chance, content[:400]) + content[400:]


def _http(method: str, path: str, body: bytes, token: str = _TOKEN) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", "Connection: close"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode("latin-1") + body


def _exchanged(port: int, request: bytes) -> int | None:
    """The status of the answer; None where the connection was closed without one."""
    try:
        with socket.create_connection(("127.0.0.1", port), 20) as line:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            found = re.match(rb"HTTP/1\.[01] (\d{3})", line.recv(64))
            return int(found[1]) if found else None
    except OSError:
        return None


def judge(row: Row, said: bytes, peak: float) -> None:
    text = said.decode(errors="replace")
    row.peak_mb = max(row.peak_mb, peak)
    if "Traceback" in text or "internal error" in text:
        row.failed["output"] = text[text.find("Traceback") :][-600:]
    if peak > MOST_MB:
        row.failed["memory"] = f"{peak:.0f} MB"
