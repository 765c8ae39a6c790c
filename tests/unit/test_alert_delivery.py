"""What an alert is delivered to may do anything: it costs bounded time and memory, and never a traceback."""

from __future__ import annotations

import socket
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import repeat
from threading import Thread

import pytest

from amr_neo4j.app import alert_delivery
from amr_neo4j.errors import InputError

EVIDENCE = {"question": "Who comes in?", "events": [{"summary": "x" * 500_000}]}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ENDLESS = {
    "silent": (b"", 0.0),
    "headers": (b"X-Still: here\r\n", 0.05),
    "body": (b"x" * 65_536, 0.0),
    "continues": (b"HTTP/1.1 100 Continue\r\n\r\n", 0.0),
}
ODD = {
    "no http": b"hello\r\n\r\n",
    "nothing": b"",
    "half a line": b"HTTP/1.1 2",
    "odd status": b"HTTP/1.1 9999 x\r\n\r\n",
    "redirect": b"HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
    "long header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
}


@contextmanager
def answering(*pieces: bytes, forever: tuple[bytes, float] | None = None) -> Iterator[str]:
    """The address of a server that takes one request and sends the pieces, then the last one for ever."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            with suppress(OSError):
                line, _ = server.accept()
                with line:
                    line.recv(1000)
                    for piece in pieces:
                        line.sendall(piece)
                    for piece, seconds in repeat(forever) if forever else ():
                        line.sendall(piece)
                        time.sleep(seconds or (0.0 if piece else 0.05))

        Thread(target=run, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/hook?x=1"


def test_a_reply_of_200_acknowledges() -> None:
    with answering(OK) as url:
        assert alert_delivery.post(url, {}) == ""


@pytest.mark.parametrize("fault", ENDLESS)
def test_a_reply_that_never_ends_costs_bounded_time_and_memory(fault: str) -> None:
    begin, head = time.monotonic(), OK[:17] if fault in ("headers", "body") else b""
    tracemalloc.start()
    try:
        with answering(head, b"\r\n" * (fault == "body"), forever=ENDLESS[fault]) as url:
            said = alert_delivery.post(url, {}, limit_s=0.5)
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()
    assert time.monotonic() - begin < 5
    assert said == "" if fault == "body" else said


@pytest.mark.parametrize("fault", ODD)
def test_an_odd_reply_is_a_failure_in_a_line(fault: str) -> None:
    with answering(ODD[fault]) as url:
        said = alert_delivery.post(url, EVIDENCE, limit_s=5)
    assert said and "\n" not in said and len(said) <= 300


BAD = ["", "x", "ftp://a/", "http://", "http://[::1", "http://a:b/", "http://a:99999/", "http://a:0/", "//a/"]
BAD += ["http://a b/", "http://a/\x7f", f"http://{'a' * 70}.b/", "http://a..b/"]


@pytest.mark.parametrize("url", BAD)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError) as refused:
        alert_delivery.address(url)
    assert refused.value.hint


@pytest.mark.parametrize("out", ["stdout", "stderr"])
def test_what_a_command_prints_is_not_kept(out: str) -> None:
    code = f"import sys; sys.{out}.write('x' * 10**8)"
    tracemalloc.start()
    try:
        assert alert_delivery.run(f'{sys.executable} -c "{code}"', EVIDENCE) == ""
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_a_command_that_does_not_end_is_ended_with_its_children() -> None:
    begin = time.monotonic()
    said = alert_delivery.run("sh -c 'sleep 60 & sleep 60'", EVIDENCE, limit_s=0.5)
    assert "longer than 0.5 s" in said and time.monotonic() - begin < 10


def test_the_last_line_of_a_failed_command_is_reported() -> None:
    said = alert_delivery.run("sh -c 'echo one >&2; echo no such camera >&2; exit 3'", EVIDENCE)
    assert said == "the command ended with 3: no such camera"
