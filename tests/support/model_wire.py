"""The protocol of the model server: chat completions whole and streamed, embeddings, models, and faults."""

from __future__ import annotations

import base64
import json
import re
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import Any, cast
from zlib import crc32

import numpy as np

from tests.support.model_faults import BODIES, ENDLESS, USAGES, bomb, endless
from tests.support.model_script import Script, Step

_STATUS = {
    "rate_limit": (429, "rate_limit_exceeded", "Too many requests."),
    "no_credit": (429, "insufficient_quota", "You exceeded your current quota."),
    "server_error": (500, None, "The server had an error."),
    "overloaded": (503, None, "The engine is overloaded."),
    "wrong_key": (401, "invalid_api_key", "Incorrect API key provided."),
    "unknown_model": (404, "model_not_found", "The model does not exist."),
    "odd_status": (418, None, "I'm a teapot."),
}
_MODERATED = {
    "code": 403,
    "message": "google/gemini requires moderation on Google. Your input was flagged.",
    "metadata": {"reasons": ["violence/graphic"], "flagged_input": "...", "provider_name": "Google"},
}
_ERROR_INSIDE = {"error": {"code": 502, "message": "Provider returned error"}}
_HANGS_S = 60.0
_PIECE = 7


@dataclass(frozen=True)
class Request:
    """A request. Names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The content parts of all messages; a message that is text alone is one."""
        said = [message["content"] for message in self.body.get("messages", [])]
        return [part for content in said for part in ([_text(content)] if isinstance(content, str) else content)]

    @property
    def prompt(self) -> str:
        """The text of all messages, one after the other."""
        return "\n".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def shown(self) -> list[tuple[str, bytes]]:
        """Pictures, films and sounds, in order: (type of the part, its bytes)."""
        return [(part["type"], _carried(part)) for part in self.parts if part["type"] != "text"]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _carried(part: dict[str, Any]) -> bytes:
    inside = part[part["type"]]
    return base64.b64decode(inside["data"] if "data" in inside else inside["url"].partition(";base64,")[2])


class Socket(ThreadingHTTPServer):
    """The socket and the state its threads share."""

    daemon_threads = True

    def __init__(self, port: int, script: Script, dim: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.script, self.dim = script, dim
        self.requests: list[Request] = []
        self.models: list[str] | int | None = None
        self.closing = Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that disconnects is no fault of the server."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def shared(self) -> Socket:
        return cast(Socket, self.server)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the requests are kept."""

    def do_GET(self) -> None:
        models = self.shared.models
        if models is None:
            models = sorted({step.match.model for step in self.shared.script.steps} - {""})
        if isinstance(models, int):
            self._error(models, None, "No list of models.")
            return
        self._json(200, {"object": "list", "data": [{"id": model, "object": "model"} for model in models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.shared.requests.append(Request(self.path, headers, body))
        step = self.shared.script.take(self.path, body)
        embeds = self.path.endswith("/embeddings")
        if step is None and not embeds:
            self._error(400, "no_step", "The script has no step for this request.")
        elif not self._fails(step or Step(), body):
            (self._embed if embeds else self._stream if body.get("stream") else self._chat)(body, step or Step())

    def _fails(self, step: Step, body: dict[str, Any]) -> bool:
        """Simulate a fault that leaves no reply; returns whether there was one."""
        refused = [name for name in step.refused if name in body]
        if step.fault in _STATUS:
            self._error(*_STATUS[step.fault], retry_after=step.retry_after)
        elif step.fault == "refuses":
            self._error(400, None, step.message)
        elif refused:
            self._error(400, "unsupported_parameter", f"Unsupported parameter: '{refused[0]}'.", param=refused[0])
        elif step.fault == "key_in_error":
            self._error(400, None, f"The key {self._key} is not for this.")
        elif step.fault == "odd_retry_after":
            self._error(429, None, "Wait.", retry_after="1e309")
        elif step.fault in ("redirect", "redirect_loop") or (step.fault == "redirect_once" and "?" not in self.path):
            self._redirect(step)
        elif step.fault == "no_http":
            self.wfile.write(b"\x16\x03\x01 no HTTP\r\n\r\n")
            self._hang_up()
        elif step.fault == "drip_headers":
            self._drip_headers()
        elif step.fault in ENDLESS:
            self._never_end(step.fault, streams=bool(body.get("stream")))
        elif step.fault in ("hang", "drop"):
            self.shared.closing.wait(_HANGS_S if step.fault == "hang" else 0)
            self._hang_up()
        elif step.fault == "not_json":
            self._send(200, b"<html>upstream connect error</html>")
        elif step.fault == "error_in_200":
            self._json(200, _ERROR_INSIDE)
        elif step.fault in ("moderated", "moderated_in_200"):
            self._json(403 if step.fault == "moderated" else 200, {"error": _MODERATED})
        else:
            time.sleep(step.delay_s if step.fault == "slow" else 0)
            return False
        return True

    @property
    def _key(self) -> str:
        return str(self.headers["Authorization"]).removeprefix("Bearer ")

    def _redirect(self, step: Step) -> None:
        self.send_response(307)
        self.send_header("Location", step.message if step.fault == "redirect" else f"{self.path}?again")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _drip_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self.shared.closing.wait(0.05):
            self.wfile.write(b"X-Wait: 1\r\n")
        self._hang_up()

    def _never_end(self, fault: str, *, streams: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in endless(fault, self.shared.closing.is_set):
            self.wfile.write(piece)
        self._hang_up()

    def _said(self, step: Step) -> str:
        """The text of the reply, with the key where the fault asks for it."""
        key = self._key
        if step.fault == "escapes_key":
            key = "".join(f"\\u{ord(character):04x}" for character in key)
        return f"{key} {step.text} {key}" if step.fault in ("echoes_key", "escapes_key") else step.text

    def _chat(self, body: dict[str, Any], step: Step) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": self._said(step)}
        if step.calls:
            message = {"role": "assistant", "content": None, "tool_calls": _calls(step)}
        if step.fault == "declines":
            message = {"role": "assistant", "content": None, "refusal": step.message}
        choice = {"index": 0, "message": message, "finish_reason": _finish(step)}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"]}
        whole = head | {"choices": [choice], "usage": USAGES.get(step.fault or "", step.usage)}
        reply = BODIES[step.fault](whole) if step.fault in BODIES else json.dumps(whole).encode()
        if step.fault == "bomb":
            self._send(200, bomb(reply), encoding="gzip")
        else:
            self._send(200, reply, sent=len(reply) // 2 if step.fault in ("drop_midway", "short_body") else None)

    def _stream(self, body: dict[str, Any], step: Step) -> None:
        if step.fault in {"no_stream", "bomb", "short_body", *BODIES}:
            self._chat(body, step)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if step.fault == "untyped_stream" else "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        text = self._said(step)
        pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
        for number, piece in enumerate(pieces):
            if step.fault in ("drop_midway", "hang_midway") and number == len(pieces) // 2:
                self.shared.closing.wait(_HANGS_S if step.fault == "hang_midway" else 0)
                self._hang_up()
                return
            if step.fault == "error_midway" and number == len(pieces) // 2:
                self._event(_ERROR_INSIDE)
            self._event(_delta(body, {"role": "assistant", "content": piece}))
        if step.fault == "declines":
            self._event(_delta(body, {"role": "assistant", "refusal": step.message}))
        if step.fault == "no_end":
            self.wfile.write(b"0\r\n\r\n")
            return
        self._event(_delta(body, {}, _finish(step)))
        if body.get("stream_options", {}).get("include_usage"):
            usage = USAGES.get(step.fault or "", step.usage)
            self._event(_delta(body, {}) | {"choices": [], "usage": usage})
        self._event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _embed(self, body: dict[str, Any], step: Step) -> None:
        if isinstance(step.reply, dict):
            self._json(200, step.reply)
            return
        texts = cast(list[str], body["input"])
        data: list[dict[str, Any]] = []
        for index, text in enumerate(texts):
            vector = embedding(text, int(body.get("dimensions", self.shared.dim)))
            packed = body.get("encoding_format") == "base64"
            listed = base64.b64encode(vector.tobytes()).decode() if packed else vector.tolist()
            data.append({"object": "embedding", "index": index, "embedding": listed})
        # Turned round: a vector's index says which text it is of, not its place.
        self._json(200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": step.usage})

    def _error(
        self, status: int, code: str | None, message: str, *, retry_after: str | None = None, param: str | None = None
    ) -> None:
        error = {"message": message, "type": "error", "code": code, "param": param}
        self._send(status, json.dumps({"error": error}).encode(), retry_after=retry_after)

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body).encode())

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        retry_after: str | None = None,
        sent: int | None = None,
        encoding: str | None = None,
    ) -> None:
        """Send a response. sent: the connection is closed after so many bytes of the body."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if encoding is not None:
            self.send_header("Content-Encoding", encoding)
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body[:sent])
        if sent is not None:
            self._hang_up()

    def _event(self, data: dict[str, Any] | str) -> None:
        event = f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
        self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):  # the client may have hung up first
            self.connection.shutdown(socket.SHUT_RDWR)


def embedding(text: str, dim: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """(dim,) float32, not of length 1: how often each word occurs, at the place that its checksum gives."""
    vector = np.full(dim, 0.01, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        vector[crc32(word.encode()) % dim] += 1
    return vector


def _calls(step: Step) -> list[dict[str, Any]]:
    written = {name: text if isinstance(text, str) else json.dumps(text) for name, text in step.calls.items()}
    called = [{"name": name, "arguments": text} for name, text in written.items()]
    return [{"id": f"call_{n}", "type": "function", "function": each} for n, each in enumerate(called)]


def _finish(step: Step) -> str:
    if step.calls:
        return "tool_calls"
    return "length" if step.fault == "cut" else "stop"


def _delta(body: dict[str, Any], delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    return head | {"choices": choices}
