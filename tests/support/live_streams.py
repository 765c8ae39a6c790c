"""Real ffmpeg that serves a film as a live stream on loopback, at the speed of a camera."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


class HlsServer:
    """A live list and its segments. What was served before stays, but for what is taken away.

    asked: (path, authorization) of each request. silent: closes each connection without an answer.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.silent = False
        files, asked, served = self.files, self.asked, self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if served.silent:
                    self.close_connection = True
                    return
                asked.append((self.path.lstrip("/"), self.headers.get("Authorization", "")))
                body = files.get(self.path.lstrip("/"))
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/live.m3u8"

    def list(
        self,
        first: int,
        names: list[str],
        files: dict[str, bytes],
        *,
        without: Collection[str] = (),
        ended: bool = False,
    ) -> None:
        """Show a list of segments of a second each. first: the number of the first one."""
        for gone in without:
            self.files.pop(gone, None)
        self.files.update(files)
        head = f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:{first}\n"
        text = head + "".join(f"#EXTINF:1.0,\n{name}\n" for name in names) + "#EXT-X-ENDLIST\n" * ended
        self.files["live.m3u8"] = text.encode()


@contextmanager
def hls_list() -> Iterator[HlsServer]:
    served = HlsServer()
    Thread(target=served.server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield served
    finally:
        served.server.shutdown()
        served.server.server_close()


def _await_listener(port: int) -> None:
    """Look at the kernel's table. A trial connection would be taken for the one client that ffmpeg waits for."""
    wanted = f":{port:04X} 00000000:0000 0A"
    for _ in range(200):
        if wanted in Path("/proc/net/tcp").read_text():
            return
        time.sleep(0.05)
    raise TimeoutError(f"nobody listens on port {port}")
