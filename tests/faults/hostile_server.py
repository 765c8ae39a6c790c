"""A model server that replies with nonsense: generated replies, and the faults of the scripted one."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

from amr_neo4j import Memory
from tests.faults import nasty
from tests.faults.tally import Tally, call
from tests.support import seeing
from tests.support.films import pattern
from tests.support.model_script import Fault
from tests.support.model_server import ModelServer

_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": 0.001}
_LONGEST_S = 30.0
_TIMEOUT_S = 1.0


def _completion(content: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": _USAGE}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with suppress(OSError):
            self.server.reply(self)  # type: ignore[attr-defined]

    def send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def _reply(chance: random.Random, number: int) -> Any:
    """The function that replies to each request of one attack, and the attack's name."""
    valid = seeing.reply()
    kind = number % 8
    if kind == 0:  # the analysis is generated, the envelope valid
        body = json.dumps(_completion(json.dumps(nasty.document(chance, valid)))).encode()
        return f"generated analysis {number}", lambda to: to.send(200, body)
    if kind in (1, 2):  # the envelope is generated
        body = json.dumps(nasty.document(chance, _completion(json.dumps(valid)))).encode()
        return f"generated envelope {number}", lambda to: to.send(200, body)
    if kind == 3:
        usage = {name: nasty.value(chance) for name in _USAGE}
        body = json.dumps(_completion(json.dumps(valid)) | {"usage": usage}).encode()
        return f"generated usage {number}", lambda to: to.send(200, body)
    if kind == 4:
        body = nasty.text(chance, json.dumps(_completion(json.dumps(valid))))
        return f"torn body {number}", lambda to: to.send(200, body)
    if kind == 5:
        status, body = chance.choice([300, 301, 307, 308, 204, 206, 418, 451, 500, 599, 999]), b'{"error": "x"}'
        return f"status {status} {number}", lambda to: to.send(status, body, Location="http://127.0.0.1:9/v1")
    if kind == 6:
        events = (
            b"".join(b"data: %s\n\n" % nasty.text(chance, '{"choices": []}') for _ in range(5)) + b"data: [DONE]\n\n"
        )
        return f"torn stream {number}", lambda to: to.send(200, events, Content_Type="text/event-stream")
    piece = chance.choice([b" " * 65_536, b"data: {}\n\n" * 999, b": keep-alive\n\n", b"x"])
    return f"endless {piece[:9]!r} {number}", lambda to: _endless(to, piece)


def _endless(to: _Handler, piece: bytes) -> None:
    to.send_response(200)
    to.send_header("Content-Type", "text/event-stream" if piece[:1] in b"d:" else "application/json")
    to.end_headers()
    end = time.monotonic() + 3 * _LONGEST_S
    while time.monotonic() < end:
        to.wfile.write(piece)
        time.sleep(0 if len(piece) > 9999 else 0.02)


@contextmanager
def _serving(reply: Any) -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.reply = reply  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def replies(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """A film analysed by the server: its clip is committed, or failed with the reason, in bounded time."""
    film = pattern(folder / "film.mp4", 0.2)
    faults = get_args(Fault)
    with tally.kind("hostile replies") as row:
        for number in range(attacks):
            if number % 4 == 3:
                fault = faults[number // 4 % len(faults)]
                with ModelServer() as server:
                    server.then(seeing.reply(), fault=fault, times=None, retry_after="0", delay_s=2.0, message="no")
                    _ingest(row, f"{fault} {number}", server.url, film, folder)
                continue
            name, reply = _reply(chance, number)
            with _serving(reply) as url:
                _ingest(row, name, url, film, folder)


def _ingest(row: Any, name: str, url: str, film: Path, folder: Path) -> None:
    analyse = {"provider": url, "model": "m", "timeout_s": _TIMEOUT_S, "patience_s": 2.0}
    arguments: dict[str, Any] = {"analyse": analyse, "api_key": seeing.KEY, "data_dir": folder / "hostile"}

    def work() -> Any:
        with Memory.open(notify=lambda line: None, **arguments) as memory:
            report = memory.ingest(film, video_id=f"v-{name}"[:200])
            assert report.committed + report.failed == 1, report
            json.dumps(memory.stats().__dict__ if hasattr(memory.stats(), "__dict__") else {}, default=str)
            if seeing.KEY in str(report):
                row.failed[name] = "the key is in the report"
            return report

    report = call(row, name, work, limit_s=_LONGEST_S)
    row.refused += bool(report and report.failed)
