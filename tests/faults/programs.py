"""Programs that take words from outside: killed at random, run at the same time, and given a line of 50 MB."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Barrier, Thread, Timer
from typing import IO, Any

from urllib3.exceptions import HTTPError

from amr_neo4j import Memory
from amr_neo4j.settings import load
from tests.faults.graph_damage import SAID, footage
from tests.faults.served import HELLO
from tests.faults.tally import MOST_MB, Row, Tally, call, command, peak_mb
from tests.support.films import make, source
from tests.support.http_client import Client
from tests.support.live_streams import camera, free_port
from tests.support.real_ingest import KITCHEN

_TURNS = 80
_LONG = 50 * 10**6
_FILM = KITCHEN / "kitchen_evening.jsonl"
# What two processes may do at the same moment.
_WORKS: dict[str, Callable[[Memory], object]] = {
    "ingest": lambda memory: memory.ingest(_FILM),
    "remember": lambda memory: memory.remember(SAID, user_id="anna", session_id="monday"),
    "extract": lambda memory: memory.extract(user_id="anna"),
    "consolidate": lambda memory: memory.consolidate(user_id="anna"),
    "forget the video": lambda memory: memory.forget_videos(video_id="kitchen_evening"),
    "forget the session": lambda memory: memory.forget(user_id="anna", session_id="monday"),
    "repair": lambda memory: list(memory.repair()),
    "search": lambda memory: memory.search("keys", limit=5),
}


def killed(tally: Tally, chance: random.Random, kills: int, folder: Path) -> None:
    """Kill each of the programs in turn, so often in all. What a program acknowledged is there, once and in order."""
    film = make(folder / "film.ts", *source("testsrc=s=64x48:r=10:d=4"), "-c:v", "libx264", "-g", "10", "-bf", "0")
    with tally.kind("killed programs") as row:
        for number in range(kills):
            program = (_import, _live_chat, _mcp, _serve, _import, _live_chat, _mcp, _serve, _live)[number % 9]
            row.attacks += 1
            if why := program(chance, number, folder, film):
                row.failed[f"{program.__name__} {number}"] = why


def _import(chance: random.Random, number: int, folder: Path, film: Path) -> str:
    """A file of turns: the second run completes it."""
    session = f"import-{number}"
    file = folder / f"{session}.jsonl"
    texts = [f"turn {n}" for n in range(_TURNS)]
    file.write_text("\n".join(json.dumps({"role": "user", "content": text}) for text in texts))
    arguments = ["chat", "import", str(file), "--user", "anna", "--session", session]
    with _started(arguments) as process:
        time.sleep(chance.uniform(0.5, 4.0))
        process.kill()
    done = subprocess.run(
        [sys.executable, "-m", "amr_neo4j", *arguments], capture_output=True, text=True, check=False
    )
    return done.stderr[-200:] if done.returncode else _compared(session, texts, more=0)


def _live_chat(chance: random.Random, number: int, folder: Path, film: Path) -> str:
    """`amr chat live`, a line at a time."""
    session = f"live-{number}"
    texts = [f"I like drink{n}." for n in range(1000)]
    with _started(["chat", "live", "--user", "anna", "--session", session, "--json"]) as process:
        said = _said(process, texts, chance.uniform(0.0, 1.5))
    return _compared(session, texts[:said], more=1)


def _mcp(chance: random.Random, number: int, folder: Path, film: Path) -> str:
    """The tool `remember`, a call at a time."""
    session = f"mcp-{number}"
    texts = [f"I like dish{n}." for n in range(1000)]
    calls = [_remember(text, session, n) for n, text in enumerate(texts)]
    with _started(["mcp", "--user", "anna"]) as process:
        for message in map(json.dumps, HELLO):
            _write(process, message)
        _read(process)
        said = _said(process, calls, chance.uniform(0.0, 1.5))
    return _compared(session, texts[:said], more=1)


def _serve(chance: random.Random, number: int, folder: Path, film: Path) -> str:
    """`amr serve`, a turn a call, while a job takes in a file: the next server ends the job."""
    session, video = f"served-{number}", f"served_{number}"
    texts = [f"I like bread{n}." for n in range(1000)]
    file = folder / f"{video}.jsonl"
    file.write_text(_FILM.read_text().replace("kitchen_evening", video))
    anna, said = {"user": "anna"}, 0
    with serving(folder) as (process, client):
        job = client.call("POST", "/ingest", {"places": [str(file)]}, query=anna).json["id"]
        Timer(chance.uniform(0.0, 1.5), process.kill).start()
        with suppress(OSError, HTTPError):
            for text in texts:
                if client.call("POST", f"/conversations/{session}/observe", {"text": text}, query=anna).status != 200:
                    break
                said += 1
    with serving(folder) as (process, client):
        deadline = time.monotonic() + 120
        while (state := client.get(f"/jobs/{job}", **anna)["state"]) != "completed":
            if state == "failed" or time.monotonic() > deadline:
                return f"the job is {state}"
            time.sleep(0.2)
        events = client.get(f"/videos/{video}", **anna)["events"]
        process.terminate()
        if (code := process.wait(60)) not in (0, -signal.SIGTERM):
            return f"the server that was stopped ended with {code}"
    return _compared(session, texts[:said], more=1) if events else "the job committed no event"


@contextmanager
def serving(
    folder: Path, err: int | IO[bytes] = subprocess.DEVNULL, **more: str
) -> Generator[tuple[subprocess.Popen[str], Client]]:
    """`amr serve` that may read a folder, and its client, with the key of this machine's user. more: environment."""
    client = Client(free_port())
    environment = os.environ | {"AMR_SERVE_FOLDERS": str(folder)} | more
    with _started(["serve", "--port", str(client.port)], environment, err) as process:
        deadline = time.monotonic() + 200  # as long as the machine may be busy with other attacks
        while True:
            with suppress(OSError, HTTPError):
                client.call("GET", "/health/live")
                break
            assert time.monotonic() < deadline, "amr serve does not answer"
            time.sleep(0.1)
        key = load().data_dir.expanduser() / "server.key"
        yield process, client.with_key(key.read_text().strip())


def _live(chance: random.Random, number: int, folder: Path, film: Path) -> str:
    """A live source: the next run takes up the clips that were received."""
    short = {"TARGET_CLIP_SEC": "2", "AMR_LIVE_RECONNECT_SEC": "0", "AMR_FRAMES_PER_SECOND": "1"}
    for seconds in (60.0, 2.5):
        with camera(film, free_port(), seconds) as url, _started(["ingest", url], os.environ | short) as process:
            if seconds > 9:
                time.sleep(chance.uniform(4.0, 12.0))
                process.kill()
            elif process.wait(120):
                return f"the run afterwards ended with {process.returncode}"
    with Memory.open(notify=lambda line: None) as memory:
        left = [each for each in memory.receipts() if each.state != "committed"]
    return f"not committed: {left}"[:300] if left else ""


def races(tally: Tally, chance: random.Random, number: int) -> None:
    """Two memories do something at the same moment. After everything is taken in again, all of it is there, once."""
    with (
        tally.kind("races") as row,
        Memory.open(notify=_quiet) as one,
        Memory.open(notify=_quiet) as other,
    ):
        whole = call(row, "footage", footage)
        one.remember(SAID, user_id="anna", session_id="monday")
        for count in range(number):
            pair = chance.choices(list(_WORKS), k=2)
            name = f"{count} {' and '.join(pair)}"
            together(row, name, [(one, _WORKS[pair[0]]), (other, _WORKS[pair[1]])])
            one.remember(SAID, user_id="anna", session_id="monday")
            if call(row, f"{name}: again", footage) != whole:
                row.failed[f"{name}: footage"] = "not that of a quiet run"
            turns = [turn.content for turn in one.conversation("monday", user_id="anna")]
            if sorted(turns) != sorted(turn["content"] for turn in SAID):
                row.failed[f"{name}: turns"] = str(turns)[:200]


def together(row: Row, name: str, works: Sequence[tuple[Memory, Callable[[Memory], object]]]) -> None:
    """Let threads call these at the same moment."""
    start = Barrier(len(works))

    def run(memory: Memory, work: Callable[[Memory], object]) -> None:
        start.wait()
        call(row, name, lambda: work(memory))

    threads = [Thread(target=run, args=each) for each in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def long_lines(tally: Tally, folder: Path) -> None:
    """A line of 50 MB by every door is refused or taken in, in bounded memory, and what follows it is taken in."""
    text = "keys " * (_LONG // 5)
    event = {"time_start": 0, "time_end": 1, "summary": text}
    told = {"clip_summary": "", "events": [event]}
    clip = {"video_id": "long", "clip_id": "c0", "t_start": 0, "t_end": 1, "analysis": told}
    small = clip | {"clip_id": "c1", "analysis": told | {"events": [event | {"summary": "Anna waves."}]}}
    turns = [{"role": "user", "content": text}, {"role": "user", "content": "I live in Porto."}]
    (folder / "clips.jsonl").write_text("\n".join(map(json.dumps, (clip, small))))
    (folder / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)))
    with tally.kind("lines of 50 MB") as row:
        for line in (
            ["ingest", str(folder / "clips.jsonl")],
            ["chat", "import", str(folder / "turns.jsonl"), "--user", "anna", "--session", "long"],
            ["detections", str(folder / "clips.jsonl")],
        ):
            command(row, " ".join(line[:2]), line, os.environ)
        row.attacks += 2
        with _started(["chat", "live", "--user", "anna", "--session", "long-live", "--json"]) as process:
            _write(process, text)
            if not _said(process, ["I live in Porto."], 60.0):
                row.failed["chat live"] = "the line after it has no answer"
            peaks = {"chat live": peak_mb(process.pid)}
        with _started(["mcp", "--user", "anna"]) as process:
            for message in (*HELLO, _remember(text, "long-mcp", 1)):
                _write(process, message if isinstance(message, str) else json.dumps(message))
            for _ in range(2):
                if not _read(process):
                    row.failed["mcp"] = "no answer"
            if not _said(process, [_remember("I live in Porto.", "long-mcp", 2)], 60.0):
                row.failed["mcp afterwards"] = "the call after it has no answer"
            peaks["mcp"] = peak_mb(process.pid)
        row.peak_mb = max(row.peak_mb, *peaks.values())
        row.failed |= {f"{door}: memory": f"{peak:.0f} MB" for door, peak in peaks.items() if peak > MOST_MB}
        with Memory.open(notify=_quiet) as memory:
            there = {session.session_id for session in memory.sessions(user_id="anna")}
            if not memory.clips("c1", "long") or not {"long", "long-live", "long-mcp"} <= there:
                row.failed["afterwards"] = f"what followed the line is not all there: {there}"


def _quiet(line: str) -> None:
    """No messages."""


@contextmanager
def _started(
    arguments: Sequence[str],
    environment: dict[str, str] | os._Environ[str] = os.environ,
    err: int | IO[bytes] = subprocess.DEVNULL,
) -> Generator[subprocess.Popen[str]]:
    """`amr` as a process with pipes; killed at the end."""
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": err}
    line = [sys.executable, "-m", "amr_neo4j", *arguments]
    with subprocess.Popen(line, env=environment, text=True, **quiet) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()
            with suppress(OSError):
                process.communicate(timeout=60)


def _remember(text: str, session: str, number: int) -> str:
    given = {"text": text, "session_id": session}
    params = {"name": "remember", "arguments": given}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def _write(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    with suppress(OSError):
        process.stdin.write(f"{line}\n")
        process.stdin.flush()


def _read(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def _said(process: subprocess.Popen[str], lines: Sequence[str], kill_after: float) -> int:
    """Return how many lines were answered, one by one. The process is killed a while after the first answer."""
    said = 0
    for line in lines:
        _write(process, line)
        if not _read(process).endswith("\n"):
            break
        said += 1
        if said == 1:
            timer = Timer(kill_after, process.kill)  # at any moment of the work on a line
            timer.daemon = True
            timer.start()
    return said


def _compared(session: str, texts: Sequence[str], *, more: int) -> str:
    """What is wrong with the turns of a session. more: how many may be there without having been acknowledged."""
    with Memory.open(notify=_quiet) as memory:
        waiting: Any = memory._parts.turn_spool().waiting(memory.group_id, 9)
        there = [turn.content for turn in memory.conversation(session, user_id="anna")] if texts else []
    if waiting:
        return f"left in the spool: {waiting}"[:300]
    if there[: len(texts)] != list(texts) or len(there) > len(texts) + more:
        return f"{len(texts)} turns were acknowledged, {len(there)} are there: {there[-3:]}"
    return ""
