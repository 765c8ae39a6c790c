"""A model server that replies with nonsense: generated replies, and the faults of the scripted one, to every role."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

from amr_neo4j import Memory
from amr_neo4j.wiring.analyser import transcript
from tests.faults import nasty
from tests.faults.tally import Tally, call
from tests.support import seeing
from tests.support.films import make, pattern, source
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


@dataclass(frozen=True)
class Use:
    """What a model is asked for. valid: a reply. settings: of the memory. work: asks it; group: a suffix."""

    valid: dict[str, Any]
    settings: dict[str, Any]
    work: Callable[[Memory, str, Path], Any]
    group: str = ""


def _taken_in(memory: Memory, name: str, film: Path) -> Any:
    report = memory.ingest(film, video_id=f"v-{name}"[:200])
    assert report.committed + report.failed == 1, report
    return report


def _talked(memory: Memory, name: str, film: Path) -> str:
    memory.remember(
        [f"I like {name[-3:]} apples and the red apples, and I live in Rome."], user_id=name, session_id="s"
    )
    return name


def _explored(memory: Memory, name: str, film: Path) -> Any:
    how: Any = {"max_looks": 2, "max_depth": 2, "workdir": film.parent / "work", "remember": True}
    return memory.explore(film, "Who comes in?", planner="model", **how)


def _written_down(memory: Memory, name: str, film: Path) -> Any:
    sound = make(film.with_suffix(".wav"), *source("sine=d=2"))
    return list(transcript(memory.settings, sound, lambda line: None))


_STAGES = ("actions", "summary", "persons", "merged", "places")
_PATHS = [{"id": "P1", "strategy": "look", "start_s": 0.0, "end_s": 0.2}]
USES: dict[str, Use] = {
    "analyse": Use(seeing.reply(), {}, _taken_in),
    "refine": Use(seeing.reply(), {"refine": {"calls": _STAGES}, "merge_events_enabled": True}, _taken_in),
    "ask": Use(
        {"scores": [{"group": 1, "score": 0.5}], "question_type": "where", "persons": [], "objects": ["keys"]},
        {},
        lambda memory, name, film: memory.ask("Where do I live?", user_id=_talked(memory, name, film)),
    ),
    "extract": Use(
        {
            "mentions": [{"text": "Rome", "type": "PLACE"}, {"text": "apples", "type": "THING"}],
            "relations": [
                {
                    "confidence": 1.0,
                    "type": "IN",
                    "source": {"turn": 0, "text": "apples"},
                    "target": {"turn": 0, "text": "Rome"},
                }
            ],
        },
        {},
        lambda memory, name, film: memory.extract(user_id=_talked(memory, name, film)),
    ),
    "consolidate": Use(
        {"decisions": [{"cluster": 1, "verdict": "same", "stands": 1, "reason": "x"}], "facts": []},
        {},
        lambda memory, name, film: memory.consolidate(user_id=_talked(memory, name, film)),
    ),
    "explore": Use(
        {"decision": "expand", "rationale": "x", "proposed_paths": _PATHS, "direct_answer": "", "confidence": 0.5},
        {"explore": {"model": "m", "vision": "none", "timeout_s": _TIMEOUT_S, "patience_s": 2.0}},
        _explored,
    ),
    "explore, described": Use(
        {
            "decision": "direct_answer",
            "rationale": "x",
            "proposed_paths": [],
            "direct_answer": "x",
            "confidence": 0.5,
        },
        {"explore": {"model": "m", "vision": "analyse", "timeout_s": _TIMEOUT_S, "patience_s": 2.0}},
        _explored,
    ),
    "transcribe": Use(
        {"turns": [{"speaker": "voice 1", "words": "Good morning.", "time_start": 0.4, "time_end": 1.3}]},
        {"speech": "api", "analyse": {"sound": True}},
        _written_down,
    ),
    "embed": Use(
        {"data": [{"index": 0, "embedding": [0.1] * 8}]},
        {"embedder": "api", "embed": {"model": "m", "timeout_s": _TIMEOUT_S, "patience_s": 2.0}},
        lambda memory, name, film: memory.search("keys", user_id=_talked(memory, name, film)),
        group="-embed",
    ),
}


def _envelope(use: str) -> Any:
    """The whole body of a valid reply."""
    if use == "embed":
        return USES[use].valid | {"object": "list", "model": "m", "usage": {"prompt_tokens": 9, "total_tokens": 9}}
    return _completion(json.dumps(USES[use].valid))


def _reply(chance: random.Random, number: int, use: str) -> Any:
    """The function that replies to each request of one attack, and the attack's name."""
    valid, whole = USES[use].valid, _envelope(use)
    kind = number % 8
    if kind == 0:  # the analysis is generated, the envelope valid
        body = json.dumps(nasty.document(chance, whole) if use == "embed" else _generated(chance, valid)).encode()
        return f"generated reply {number}", lambda to: to.send(200, body)
    if kind in (1, 2):  # the envelope is generated
        body = json.dumps(nasty.document(chance, whole)).encode()
        return f"generated envelope {number}", lambda to: to.send(200, body)
    if kind == 3:
        usage = {name: nasty.value(chance) for name in _USAGE}
        body = json.dumps(whole | {"usage": usage}).encode()
        return f"generated usage {number}", lambda to: to.send(200, body)
    if kind == 4:
        body = nasty.text(chance, json.dumps(whole))
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


def _generated(chance: random.Random, valid: Any) -> Any:
    return _completion(json.dumps(nasty.document(chance, valid)))


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
    """Each role's work ends in bounded time with a result, or an error with advice; the key is nowhere."""
    film = pattern(folder / "film.mp4", 0.2)
    faults = get_args(Fault)
    for use_number, use in enumerate(USES):
        with tally.kind(f"hostile replies: {use}") as row:
            for number in range(use_number, attacks, len(USES)):
                if chance.random() < 0.25:
                    fault = chance.choice(faults)
                    with ModelServer() as server:
                        how: dict[str, Any] = {"retry_after": "0", "delay_s": 2.0, "message": "no"}
                        server.then(USES[use].valid, fault=fault, times=None, **how)
                        _worked(row, f"{fault} {number}", server.url, use, film)
                    continue
                name, reply = _reply(chance, chance.randrange(8), use)
                with _serving(reply) as url:
                    _worked(row, f"{name} {number}", url, use, film)


def _worked(row: Any, name: str, url: str, use: str, film: Path) -> None:
    of = USES[use]
    role: dict[str, Any] = {"model": "m", "timeout_s": _TIMEOUT_S, "patience_s": 2.0}
    roles = dict.fromkeys(("analyse", "text", "judge", "answer"), role) | {"refine": role | {"calls": ()}}
    roles |= {
        each: {**roles.get(each, {}), **given} for each, given in of.settings.items() if isinstance(given, dict)
    }
    plain = {each: given for each, given in of.settings.items() if not isinstance(given, dict)}
    arguments: dict[str, Any] = {
        "provider": url,
        "api_key": seeing.KEY,
        "data_dir": film.parent / f"hostile{of.group}",
    }
    arguments["group"] = os.environ["AMR_GROUP"] + of.group

    def work() -> Any:
        with Memory.open(notify=lambda line: None, **arguments, **roles, **plain) as memory:
            found = of.work(memory, name, film)
            json.dumps(asdict(memory.stats()), default=str, allow_nan=False)
            if seeing.KEY in str(found):
                row.failed[name] = "the key is in the result"
            return found

    # The first consolidation of a process loads five languages.
    longest = _LONGEST_S * (4 if use == "consolidate" else 1 + len(of.settings))
    report = call(row, name, work, limit_s=longest)
    row.refused += bool(getattr(report, "failed", 0))
