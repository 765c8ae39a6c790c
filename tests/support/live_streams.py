"""Real ffmpeg that serves a film as a live stream on loopback, at the speed of a camera."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from threading import Thread
from typing import Literal

# a test that fails or is killed leaves no server behind
_WITH_US = ["setpriv", "--pdeathsig", "KILL"] if which("setpriv") else []
Way = Literal["http", "tcp"]


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def served(
    film: Path, port: int, seconds: float, *, way: Way = "http", speed: float = 1.0
) -> subprocess.Popen[bytes]:
    """ffmpeg that waits for one client and sends it so many seconds of a film; returns once it listens."""
    to = f"http://127.0.0.1:{port}/camera.ts" if way == "http" else f"tcp://127.0.0.1:{port}?listen=1"
    listen = ("-listen", "1") if way == "http" else ()
    command = [
        *_WITH_US,
        "ffmpeg",
        "-v",
        "fatal",
        "-nostdin",
        "-readrate",
        str(speed),
        "-i",
        str(film),
        "-t",
        str(seconds),
    ]
    process = subprocess.Popen([*command, "-c", "copy", "-f", "mpegts", *listen, to])
    _await_listener(port)
    return process


@contextmanager
def camera(film: Path, port: int, seconds: float, *, way: Way = "http", speed: float = 1.0) -> Iterator[str]:
    """The address of a camera that is `served` until the block ends."""
    process = served(film, port, seconds, way=way, speed=speed)
    try:
        yield f"http://127.0.0.1:{port}/camera.ts" if way == "http" else f"tcp://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@contextmanager
def endless(film: Path, port: int, breaks: tuple[float, ...]) -> Iterator[str]:
    """A camera that breaks off after each of so many seconds and is back a moment later, the last time for good."""
    processes: list[subprocess.Popen[bytes]] = []

    def run() -> None:
        for seconds in breaks:
            processes.append(served(film, port, seconds))
            processes[-1].wait()
            time.sleep(0.3)

    thread = Thread(target=run, daemon=True)
    thread.start()
    _await_listener(port)
    try:
        yield f"http://127.0.0.1:{port}/camera.ts"
    finally:
        for process in processes:
            process.kill()


def _await_listener(port: int) -> None:
    """Look at the kernel's table. A trial connection would be taken for the one client that ffmpeg waits for."""
    wanted = f":{port:04X} 00000000:0000 0A"
    for _ in range(200):
        if wanted in Path("/proc/net/tcp").read_text():
            return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")
