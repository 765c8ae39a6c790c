"""A server on a loopback socket that replies with what a test gives, in whichever form a provider would."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

from amr_neo4j.models.endpoint import Endpoint


class Elsewhere(Endpoint):
    """A server of a loopback socket that counts as one elsewhere, as a provider's does."""

    @property
    def is_local(self) -> bool:
        return False


def said(text: str, finish: str = "stop") -> tuple[int, str, bytes]:
    """Return a reply with this text."""
    body = {"choices": [{"message": {"content": text}, "finish_reason": finish}], "usage": {"prompt_tokens": 1}}
    return 200, "application/json", json.dumps(body).encode()


class Replies(ThreadingHTTPServer):
    """Replies to each POST by `reply`, which takes its body and returns (status, type, body), and lists `listed`.

    listed: the body of every GET; or {path: body}, also of POSTs, with 404 for another path.
    received, asked: the bodies of POSTs, and the paths of GETs, in order. Serves while it is entered.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply: Any = lambda _: (404, "application/json", b"{}")
        self.listed: Any = {"data": []}
        self.received: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self._thread = Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Replies:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def endpoint(self) -> Endpoint:
        return Endpoint("text", self.url, "m")


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    @property
    def listed(self) -> Any:
        """What stands for the path; None if nothing does."""
        server: Any = self.server
        by_path = any(str(key).startswith("/") for key in server.listed)
        return server.listed.get(self.path) if by_path else server.listed if self.command == "GET" else None

    def do_GET(self) -> None:
        server: Any = self.server
        server.asked.append(self.path)
        self._send(404 if self.listed is None else 200, "application/json", json.dumps(self.listed).encode())

    def do_POST(self) -> None:
        server: Any = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.listed is not None:
            self._send(200, "application/json", json.dumps(self.listed).encode())
            return
        server.received.append(body)
        self._send(*server.reply(body))

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
