"""Live sources that send anything: garbage, playlists that name files of this machine, floods, silence."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import repeat
from pathlib import Path
from threading import Thread

from amr_neo4j import Memory
from tests.faults import nasty
from tests.faults.tally import MOST_MB, Row, Tally, command
from tests.support.films import make, source

_LONGEST_S = 90.0
"""On a quiet machine. On a busy one the time of a good stream comes on top, several times."""
_LONGEST_GOOD_S = 300.0
_SECRET = "segment-of-this-machine"
_PLAYLIST = (
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1.0,\n{0}\n#EXT-X-ENDLIST\n"
)
_SDP = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=control:t\r\n"
_M3U8 = "application/x-mpegURL"
# Under the name of a list, which brings ffmpeg's reader of lists in.
_LIST, _TCP, _RTSP = "http://{}/live.m3u8", "tcp://{}", "rtsp://{}"
Attack = tuple[str, Sequence[bytes], bytes | None]
"""(Address, what is sent to each client, what follows for ever; None: silence)."""


def _http(body: bytes, kind: str = "video/mp2t", status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Connection: close\r\n\r\n".encode() + body


def _rtsp(body: str, number: int = 1, status: str = "200 OK") -> bytes:
    head = (
        f"RTSP/1.0 {status}\r\nCSeq: {number}\r\nContent-Type: application/sdp\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


def attacks(chance: random.Random, film: bytes, secret: Path) -> dict[str, Attack]:
    """By name. film: a stream of 4 s; secret: a film."""
    lists = {
        "file": f"file://{secret}",
        "path": str(secret),
        "concat": f"concat:{secret}|{secret}",
        "subfile": f"subfile,,start,0,end,0,,:{secret}",
        "data": "data:text/plain,x",
        "itself": "list.m3u8",
        "another host": "http://127.0.0.1:9/x.ts",
        "a key of this machine": f'x.ts\n#EXT-X-KEY:METHOD=AES-128,URI="file://{secret}"',
    }
    hls = {
        f"playlist that names {name}": (_LIST, [_http(_PLAYLIST.format(uri).encode(), _M3U8)], b"")
        for name, uri in lists.items()
    }
    torn = {
        **{f"torn stream {n}": (_LIST, [_http(nasty.torn(chance, film))], b"") for n in range(3)},
        **{f"torn stream {n}": (_TCP, [nasty.torn(chance, film)], b"") for n in range(3, 6)},
        **{
            f"torn playlist {n}": (_LIST, [_http(nasty.text(chance, _PLAYLIST.format("x.ts")), _M3U8)], b"")
            for n in range(4)
        },
    }
    parts = _http(b"--x\r\nContent-Type: image/jpeg\r\n\r\n", "multipart/x-mixed-replace; boundary=x")
    dash = _http(f"<MPD><BaseURL>file://{secret}</BaseURL></MPD>".encode(), "application/dash+xml")
    noise = chance.randbytes(65_536)
    return {
        "good": ("http://{}/live.ts", [_http(film)], b""),
        "good, by tcp": (_TCP, [film], b""),
        **hls,
        **torn,
        "ffconcat": (_LIST, [_http(f"ffconcat version 1.0\nfile {secret}\n".encode(), "text/plain")], b""),
        "DASH": (_LIST, [dash], b""),
        "page": (_LIST, [_http(b"<html>not here</html>" * 999, "text/html")], b""),
        "not found": (_LIST, [_http(b"", status="404 Not Found")], b""),
        "redirect to a file": (_LIST, [_http(b"", status="302 x", more=f"Location: file://{secret}\r\n")], b""),
        "redirect for ever": (_LIST, [_http(b"", status="302 x", more="Location: /again\r\n")], b""),
        "no http": (_LIST, [b"hello\r\n" * 99], b""),
        "endless headers": (_LIST, [b"HTTP/1.1 200 OK\r\n"], b"X: y\r\n"),
        "endless noise": (_LIST, [_http(b"")], noise),
        "endless noise, by tcp": (_TCP, [b""], noise),
        "endless zeros": (_LIST, [_http(b"")], bytes(65_536)),
        "endless picture": (_LIST, [parts], noise),
        "silence": (_LIST, [_http(b"")], None),
        "text": (_TCP, [b'{"video_id": "v"}\n' * 9], b""),
        "film, then noise": (_LIST, [_http(film[: len(film) // 2])], noise),
        "RTSP noise": (_RTSP, [noise], b""),
        "RTSP endless": (_RTSP, [_rtsp(_SDP), _rtsp(_SDP, 2)], b"RTSP/1.0 200 OK\r\n"),
        "RTSP redirect": (_RTSP, [f"RTSP/1.0 302 x\r\nCSeq: 1\r\nLocation: file://{secret}\r\n\r\n".encode()], b""),
        "RTSP torn": (_RTSP, [nasty.text(chance, _rtsp(_SDP).decode())], b""),
    }  # fmt: skip


def live_sources(tally: Tally, chance: random.Random, most: int, folder: Path) -> None:
    """Each by the real command: it ends in time with a code of ours, and takes in nothing but what was streamed."""
    film = make(folder / "film.ts", *source("testsrc=s=64x48:r=10:d=4"), "-c:v", "libx264", "-g", "10", "-bf", "0")
    secret = make(folder / f"{_SECRET}.ts", *source("testsrc2=s=320x240:r=10:d=4"), "-c:v", "libx264", "-g", "10")
    known = attacks(chance, film.read_bytes(), secret)
    names = list(known) if most >= len(known) else ["good", *chance.sample(list(known)[1:], most)]
    environment = dict(os.environ) | {"AMR_LIVE_RECONNECT_SEC": "0", "AMR_FRAMES_PER_SECOND": "1"}
    environment |= {"TARGET_CLIP_SEC": "2", "AMR_DATA_DIR": str(folder / "live-data")}
    longest = _LONGEST_GOOD_S
    with tally.kind("live sources at once") as row:
        _at_once(row, list(known.values()), environment)
        _assert_nothing_leaked(row, environment)
    with tally.kind("live sources") as row:
        for name in names:
            print(f"  {name}", flush=True)  # noqa: T201 - the slowest kind: a minute each where a stream never ends
            with _sending(known[name]) as url:
                begin = time.monotonic()
                done = command(row, name, ["ingest", url, "--json"], environment, limit_s=longest)
            if done.returncode == -9:
                row.failed[name] = f"did not end in {longest:.0f} s"
            if name == "good":  # the first
                longest = _LONGEST_S + 4 * (time.monotonic() - begin)
            if name.startswith("good") and done.returncode:
                row.failed[name] = f"a good stream ended with {done.returncode}: {done.stderr[-300:]}"
            if left := _recorders(url):
                row.failed[name] = f"left running: {left}"
        _assert_nothing_leaked(row, environment)
        _assert_not_too_large(row, folder / "live-data")
    with tally.kind("standard input") as row:
        for number in range(most // 4):
            _piped(row, f"stdin {number}", nasty.torn(chance, film.read_bytes()), environment)


def _at_once(row: Row, all_of: Sequence[Attack], environment: dict[str, str]) -> None:
    """All in one command: none keeps it from ending, nor the good ones from being taken in."""
    with ExitStack() as stack:
        urls = [stack.enter_context(_sending(attack)) for attack in all_of]
        done = command(row, "at once", ["ingest", *urls, "--json"], environment, limit_s=2 * _LONGEST_GOOD_S)
    row.attacks += len(urls) - 1
    if done.returncode != 69:  # some are lost
        row.failed["at once"] = f"ended with {done.returncode}: {done.stderr[-300:]}"
        return
    said = "\n".join(json.loads(done.stdout)["notes"])
    if untold := [url for url in urls if url not in said]:
        row.failed["at once: notes"] = f"nothing is said of {untold}"
    if f"{urls[0]}: lost" in said:  # the good one
        row.failed["at once: good"] = said[:300]
    if left := [url for url in urls if _recorders(url)]:
        row.failed["at once: recorders"] = f"left running: {left}"


def _assert_nothing_leaked(row: Row, environment: dict[str, str]) -> None:
    """The film of this machine is 320 wide; what was streamed is 64 wide."""
    with Memory.open(data_dir=environment["AMR_DATA_DIR"], notify=lambda line: None) as memory:
        wide = [view.video_id for view in memory.videos() if getattr(view, "width", 0) == 320]
    if wide:
        row.failed["leak"] = f"a film of this machine was read: {wide}"


def _assert_not_too_large(row: Row, data: Path) -> None:
    size = sum(file.stat().st_size for file in data.rglob("*") if file.is_file()) / 2**20
    if size > MOST_MB:
        row.failed["disk"] = f"{size:.0f} MB were recorded of noise"


def _piped(row: Row, name: str, content: bytes, environment: dict[str, str]) -> None:
    row.attacks += 1
    line = [sys.executable, "-m", "amr_neo4j", "ingest", "-", "--json"]
    try:
        done = subprocess.run(
            line, input=content, env=environment, capture_output=True, timeout=_LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        row.failed[name] = f"did not end in {_LONGEST_S:g} s"
        return
    said = done.stderr.decode(errors="replace")
    row.refused += done.returncode != 0
    if done.returncode not in (0, 65, 66, 69) or "Traceback" in said or "internal error" in said:
        row.failed[name] = f"{done.returncode}: {said[-300:]}"


def _recorders(url: str) -> list[str]:
    """Processes of ffmpeg that still read the source."""
    found: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = file.read_bytes().split(b"\0")
            if words[0].endswith(b"ffmpeg") and url.encode() in words:
                found.append(file.parent.name)
    return found


@contextmanager
def _sending(attack: Attack) -> Iterator[str]:
    """The address of a server that sends the same to each client, whatever it asks for."""
    url, pieces, rest = attack
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(line: socket.socket) -> None:
            with suppress(OSError), line:
                line.settimeout(60)
                for piece in pieces:
                    line.sendall(piece)
                until = time.monotonic() + 2 * _LONGEST_GOOD_S
                for more in repeat(rest) if rest else ():
                    line.sendall(more)
                    if time.monotonic() > until:
                        return
                if rest is None:
                    line.recv(1)
                    time.sleep(_LONGEST_GOOD_S)
                line.shutdown(socket.SHUT_WR)
                while line.recv(65_536):
                    pass

        def run() -> None:
            with suppress(OSError):
                while True:
                    line, _ = server.accept()
                    Thread(target=serve, args=(line,), daemon=True).start()

        Thread(target=run, daemon=True).start()
        try:
            yield url.format(f"127.0.0.1:{server.getsockname()[1]}")
        finally:
            server.shutdown(socket.SHUT_RDWR)  # closing alone would leave the thread in accept
