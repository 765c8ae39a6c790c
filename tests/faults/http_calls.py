"""`amr serve`: every call of its OpenAPI document with values that do not belong there, and torn requests."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from urllib3.exceptions import HTTPError

from tests.faults import nasty
from tests.faults.programs import serving
from tests.faults.served import HALF_SENT, judge
from tests.faults.tally import Row, Tally, peak_mb
from tests.support.http_client import Client, Reply
from tests.support.real_ingest import KITCHEN

_DOCUMENT = json.loads((Path(__file__).parents[2] / "docs/openapi.json").read_text("utf-8"))
_SAMPLES: dict[str, tuple[Any, ...]] = {
    "user": ("door",),
    "user_id": ("door",),
    "session_id": ("monday", "tuesday"),
    "video_id": ("kitchen_evening", "no-such"),
    "video": ("kitchen_evening",),
    "node_id": (0, 3, 10**6),
    "question": ("Where are the keys?", "What did I say?"),
    "text": ("I live in Porto.", "Where are the keys?"),
    "name": ("Anna", "keys", "object_states"),
    "one": ("Anna", "Tom"),
    "other": ("Tom",),
    "by": ("person", "object", "verb"),
    "size": (9, 10**6),
    "upload-offset": (0,),
    "places": (["upload:x"], [str(KITCHEN / "kitchen_evening.jsonl")]),
    "scrub": (False,),  # takes ten seconds
    "model": (False,),
}
_MOST_S = 60.0


def http_calls(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """Each reply is one that the document names, errors as problems; after each ten a good call is answered."""
    calls = [(verb, path, call) for path, of in _DOCUMENT["paths"].items() for verb, call in of.items()]
    with tally.kind("HTTP calls") as row, (folder / "serve.err").open("w+b") as err:
        with serving(KITCHEN, err, AMR_SERVE_REQUESTS_PER_MINUTE="100000") as (process, client):
            _assert_answers(row, client, "before", most_s=300)  # loads the models
            for number in range(attacks):
                verb, path, call = calls[number % len(calls)]
                row.attacks += 1
                if chance.random() < 0.1:
                    _sent_torn(chance, client, verb, path)
                else:
                    _called(row, chance, client, verb, path, call)
                if number % 10 == 9:
                    _assert_answers(row, client, f"after {number} {verb} {path}")
            with ExitStack() as opened:
                for _ in range(min(attacks, HALF_SENT)):
                    row.attacks += 1
                    line = opened.enter_context(socket.create_connection(("127.0.0.1", client.port), 20))
                    line.sendall(f"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nX".encode())
                _assert_answers(row, client, f"beside {HALF_SENT} half-sent requests")
            peak = peak_mb(process.pid)
            process.terminate()
            process.wait(60)
        err.seek(0)
        judge(row, err.read(), peak)


def _lines() -> bytes:
    return (KITCHEN / "kitchen_evening.jsonl").read_bytes()


def _called(row: Row, chance: random.Random, client: Client, verb: str, path: str, call: Mapping[str, Any]) -> None:
    given = {"path": {}, "query": {"user": "door"}, "header": {}}
    for each in call.get("parameters", ()):
        if each["in"] == "path" or (each["name"] != "group" and chance.random() < 0.4):
            good = _sample(chance, each["name"], each["schema"])
            given[each["in"]][each["name"]] = nasty.value(chance) if chance.random() < 0.3 else good
    place = path.removeprefix("/api/v1")
    for name, value in given["path"].items():
        place = place.replace(f"{{{name}}}", _quoted(value) or "-")
    place += "?" + "&".join(f"{name}={_quoted(value)}" for name, value in given["query"].items())
    headers = {name: _quoted(value) for name, value in given["header"].items()}
    body, content = b"", call.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        valid = _sample(chance, "", content["application/json"]["schema"])
        body = json.dumps(nasty.document(chance, valid) if chance.random() < 0.8 else valid).encode()
        headers["Content-Type"] = "application/json"
    elif content or verb == "patch":
        body = nasty.torn(chance, _lines()[:3000])
    name, begin = f"{verb} {place[:150]} {body[:150]!r}", time.monotonic()
    try:
        reply = client.call(verb.upper(), place, body or None, headers=headers)
    except (OSError, HTTPError) as error:
        row.failed[name] = f"no reply: {error!r}"[:300]
        return
    row.refused += reply.status >= 400
    if (took := time.monotonic() - begin) > _MOST_S:
        row.failed[name] = f"took {took:.0f} s"
    if wrong := _wrong(reply, call):
        row.failed[name] = wrong


def _wrong(reply: Reply, call: Mapping[str, Any]) -> str:
    said = f"{reply.status} {reply.body[:300]!r}"
    if str(reply.status) not in call["responses"] or reply.status >= 500:
        return said
    if reply.status < 400 or not reply.body:
        return ""
    if reply.headers["Content-Type"] != "application/problem+json":
        return f"an error that is no problem document: {said}"
    return "" if reply.json.get("detail") else f"a problem without a word: {said}"


def _sample(chance: random.Random, name: str, schema: Mapping[str, Any]) -> Any:
    """A value that the schema allows; of known names one that means something."""
    if name in _SAMPLES:
        return chance.choice(_SAMPLES[name])
    if "$ref" in schema:
        return _sample(chance, name, _DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return _sample(chance, name, chance.choice(schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return chance.choice(schema.get("enum") or [schema["const"]])
    match schema.get("type"):
        case "object":
            wanted = set(schema.get("required", ()))
            parts = schema.get("properties", {}).items()
            return {key: _sample(chance, key, of) for key, of in parts if key in wanted or chance.random() < 0.4}
        case "array":
            return [_sample(chance, "", schema.get("items", {}))]
        case "integer" | "number":
            return chance.choice((0, 1, 20))
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
        case _:
            return chance.choice(("keys", "2026-03-01T09:00:00+01:00", "1:02"))


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return quote(text[:5000].encode("utf-8", "surrogatepass"), safe="")


def _sent_torn(chance: random.Random, client: Client, verb: str, path: str) -> None:
    """A request with bytes replaced, removed or repeated. It may be answered in any way."""
    head = f"{verb.upper()} {path} HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nAuthorization: Bearer {client.key}"
    request = nasty.torn(chance, f"{head}\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    with suppress(OSError), socket.create_connection(("127.0.0.1", client.port), 20) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        while line.recv(65_536):
            pass


def _assert_answers(row: Row, client: Client, name: str, most_s: float = _MOST_S) -> None:
    begin = time.monotonic()
    try:
        client.call("POST", "/ingest/lines", _lines(), query={"user": "door"})  # what was forgotten is there again
        reply = client.call("POST", "/search", {"text": "Where are the keys?"}, query={"user": "door"})
    except (OSError, HTTPError) as error:
        row.failed[name] = f"no reply to a good call: {error!r}"[:300]
        return
    took = time.monotonic() - begin
    if reply.status != 200 or took > most_s:
        row.failed[name] = f"a good call: {reply.status} after {took:.0f} s: {reply.body[:200]!r}"
