"""What `amr serve` bears at its edges: a large upload, many idle connections, slow heads, films that wait. No model.

    python -m benchmarks.server_edges [--upload-gb 2] [--idle 5000] [--films 20]

Starts `amr serve` with the database of the settings. Prints how much memory an upload takes; whether calls are
answered while so many connections are idle and heads come byte by byte, and when those are closed; and p95 of
/health/live while films wait in the queue of jobs and one is analysed. The load of the machine stands beside.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

import urllib3

from amr_neo4j.server.keys import Keys
from amr_neo4j.settings import load
from benchmarks.server_load import Server
from tests.support.films import make, source

_PART = 8 * 2**20


class Caller:
    """Calls a server with a key."""

    def __init__(self, port: int, key: str) -> None:
        self._url, self._headers = f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {key}"}
        self._pool = urllib3.PoolManager(retries=False, timeout=120)

    def call(self, verb: str, path: str, **more: Any) -> Any:
        """more: json, body, headers."""
        headers = self._headers | more.pop("headers", {})
        reply = self._pool.request(verb, self._url + path, headers=headers, **more)
        assert reply.status < 300, (reply.status, reply.data[:300])
        return reply.json()

    def live(self, seconds: float) -> str:
        """Ask so long whether it lives. Returns p50 and p95, and the calls that failed."""
        took, failed, until = list[float](), 0, time.monotonic() + seconds
        while time.monotonic() < until:
            begin = time.perf_counter()
            try:
                self.call("GET", "/health/live")
                took.append(time.perf_counter() - begin)
            except (AssertionError, urllib3.exceptions.HTTPError):
                failed += 1
            time.sleep(0.05)
        cuts = quantiles(took or [0.0, 0.0], n=20)
        return (
            f"/health/live {len(took)} times, p50 {cuts[9] * 1e3:.0f}, p95 {cuts[18] * 1e3:.0f} ms, {failed} failed"
        )


def upload(caller: Caller, server: Server, gigabytes: float) -> None:
    """Send a film of zeros part by part."""
    size, before = int(gigabytes * 2**30), server.memory_mb()
    sent = caller.call("POST", "/api/v1/uploads", json={"name": "large.mp4", "size": size})
    path, part, most, begin = f"/api/v1/uploads/{sent['id']}", bytes(_PART), before, time.perf_counter()
    for offset in range(0, size, _PART):
        caller.call("PATCH", path, body=part[: size - offset], headers={"Upload-Offset": str(offset)})
        most = max(most, server.memory_mb())
    took = time.perf_counter() - begin
    print(
        f"upload of {gigabytes:g} GiB: {took:.0f} s; memory {before:.0f} MB before, {most:.0f} MB at most", flush=True
    )
    caller.call("DELETE", path)


def idle(caller: Caller, port: int, number: int, said: bytes, what: str) -> None:
    """Hold so many connections that say this and no more, and see when they are closed."""
    begin = time.monotonic()
    with ExitStack() as held:
        lines = [held.enter_context(socket.create_connection(("127.0.0.1", port), 30)) for _ in range(number)]
        for line in lines:
            line.sendall(said)
        answered = caller.live(8)
        time.sleep(max(0.0, begin + 20 - time.monotonic()))
        closed = sum(_is_closed(line) for line in lines)
    print(f"{number} {what}: {answered}; {closed} closed after {time.monotonic() - begin:.0f} s", flush=True)


def _is_closed(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def films(caller: Caller, number: int) -> None:
    """Send films, have them taken in, and ask meanwhile whether the server lives."""
    with tempfile.TemporaryDirectory() as folder:
        data = make(Path(folder) / "film.mp4", *source("testsrc=s=640x360:r=25:d=30")).read_bytes()
    jobs: list[str] = []
    for each in range(number + 1):
        sent = caller.call("POST", "/api/v1/uploads", json={"name": f"film{each}.mp4", "size": len(data)})
        caller.call("PATCH", f"/api/v1/uploads/{sent['id']}", body=data, headers={"Upload-Offset": "0"})
        asked = {"places": [f"upload:{sent['id']}"], "video_id": f"edge-{os.getpid()}-{each}"}
        jobs.append(caller.call("POST", "/api/v1/ingest", json=asked)["id"])
    answered = caller.live(30)
    states = [caller.call("GET", f"/api/v1/jobs/{job}")["state"] for job in jobs]
    counted = {state: states.count(state) for state in sorted(set(states))}
    print(f"{number} films wait and one is analysed: {answered}; jobs then: {counted}", flush=True)
    for job, state in zip(jobs, states, strict=True):
        if state in ("pending", "processing"):
            caller.call("POST", f"/api/v1/jobs/{job}/cancel")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upload-gb", type=float, default=2)
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--films", type=int, default=20)
    parser.add_argument("--port", type=int, default=8392)
    given = parser.parse_args()
    most = min(65_536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    keys, server = Keys(load().data_dir.expanduser()), Server(load().data_dir.expanduser(), given.port)
    key = keys.create(
        groups=[f"edges-{os.getpid()}"], users=["anna"], scopes=["read", "write"], now=datetime.now(UTC)
    )[1]
    server.start()
    caller = Caller(given.port, key)
    parts: list[Callable[[], None]] = [
        lambda: upload(caller, server, given.upload_gb),
        lambda: idle(caller, given.port, given.idle, b"", "idle connections"),
        lambda: idle(caller, given.port, given.idle, b"GET /api/v1/facts HTTP/1.1\r\nX-A: ", "slow heads"),
        lambda: films(caller, given.films),
    ]
    try:
        for part in parts:
            part()
        print(f"load {os.getloadavg()[1]:.1f}")
    finally:
        server.end(signal.SIGTERM)
        keys.close()


if __name__ == "__main__":
    main()
