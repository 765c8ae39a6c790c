"""A camera that speaks RTSP (RFC 2326) with RTP inside the TCP connection; ffmpeg makes the packets in real time."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any


class _Camera(StreamRequestHandler):
    """One client: DESCRIBE, SETUP and PLAY, then the packets of a film until it ends."""

    def handle(self) -> None:
        server: Any = self.server
        film, folder, seconds = server.film, server.folder, server.seconds
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
            packets.bind(("127.0.0.1", 0))
            port = packets.getsockname()[1]
            sdp = folder / f"{port}.sdp"
            command = ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", str(film), "-t", str(seconds), "-an"]
            to = f"rtp://127.0.0.1:{port}?rtcpport={port}&pkt_size=1200"
            sender = subprocess.Popen([*command, "-c:v", "copy", "-f", "rtp", "-sdp_file", str(sdp), to])
            try:
                self._talk(sdp, server.range)
                self._send(packets, sender)
            except (OSError, ValueError):
                pass
            finally:
                sender.kill()
                sender.wait()

    def _talk(self, sdp: Path, length: str) -> None:
        while True:
            request, headers = self._request()
            method = request.split()[0]
            reply: dict[str, str] = {"CSeq": headers["cseq"]}
            body = ""
            if method == "OPTIONS":
                reply["Public"] = "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"
            elif method == "DESCRIBE":
                body = _described(sdp).replace("m=video", f"{length}m=video")
                reply |= {"Content-Type": "application/sdp", "Content-Length": str(len(body))}
            elif method == "SETUP":
                reply |= {"Transport": "RTP/AVP/TCP;unicast;interleaved=0-1", "Session": "1"}
            elif method == "PLAY":
                reply |= {"Session": "1"}
            lines = "".join(f"{name}: {value}\r\n" for name, value in reply.items())
            self.wfile.write(f"RTSP/1.0 200 OK\r\n{lines}\r\n{body}".encode())
            if method == "PLAY":
                return

    def _request(self) -> tuple[str, dict[str, str]]:
        first = self.rfile.readline().decode().strip()
        if not first:
            raise ValueError("the client has gone")
        headers: dict[str, str] = {}
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return first, headers

    def _send(self, packets: socket.socket, sender: subprocess.Popen[bytes]) -> None:
        packets.settimeout(0.5)
        while True:
            try:
                data = packets.recv(65536)
            except TimeoutError:
                if sender.poll() is not None:
                    return
                continue
            is_control = 200 <= data[1] <= 204
            self.wfile.write(struct.pack(">cBH", b"$", int(is_control), len(data)) + data)


def _described(sdp: Path) -> str:
    for _ in range(100):
        if sdp.exists() and "m=video" in (text := sdp.read_text()):
            text = re.sub(r"^SDP:\n", "", text)
            return re.sub(r"m=video \d+", "m=video 0", text).replace("\n", "\r\n") + "a=control:track1\r\n"
        time.sleep(0.05)
    raise ValueError("ffmpeg wrote no SDP")


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def rtsp_camera(film: Path, folder: Path, seconds: float, *, says: float | None = None) -> Iterator[str]:
    """The address of a camera that plays so many seconds of a film (.mp4) to each client.

    says: the length that it states, as a recorder does that plays what it has recorded; None: it states none.
    """
    with _Server(("127.0.0.1", 0), _Camera) as server:
        server.film, server.folder, server.seconds = film, folder, seconds  # type: ignore[attr-defined]
        server.range = "" if says is None else f"a=range:npt=0-{says:g}\r\n"  # type: ignore[attr-defined]
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"rtsp://127.0.0.1:{server.server_address[1]}/stream"
        server.shutdown()
