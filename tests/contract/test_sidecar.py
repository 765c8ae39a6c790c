"""The sidecar's door: token, sizes, nonsense, health, metrics; and a client whose sidecar goes away."""

from __future__ import annotations

import json
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import numpy as np
import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st
from urllib3.util import wait_for_read

from amr_neo4j.domain.ports import Search
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import ConfigError, StoreUnavailable
from amr_neo4j.settings import load
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.sidecar import client, server
from amr_neo4j.vectors.sidecar.client import SidecarIndex
from amr_neo4j.vectors.sidecar.server import http_server
from amr_neo4j.vectors.sidecar.service import Batches, IndexService, TooMuch
from amr_neo4j.vectors.sidecar.wire import (
    ANOTHER_VERSION,
    CONTENT_TYPE,
    PATH,
    decode,
    encode,
    scope_from_json,
    scope_to_json,
)
from amr_neo4j.wiring import sidecar
from tests.support.dense_contract import scopes
from tests.support.plain_vectors import PlainVectors, unit
from tests.support.sidecar import TOKEN, sidecar_index, sidecar_url

QUERY = unit([1, 2, 3, 4])


@pytest.fixture
def some() -> PlainVectors:
    source = PlainVectors()
    for node_id in range(20):
        source.write(node_id, "g", "v", unit([1, node_id, 2, 3]))
    return source


def post(path: str, body: bytes, token: str = TOKEN) -> urllib3.BaseHTTPResponse:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": CONTENT_TYPE}
    return urllib3.request("POST", f"{sidecar_url()}{path}", body=body, headers=headers)


def headed(header: str) -> bytes:
    return struct.pack("<I", len(header)) + header.encode()


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def test_every_call_needs_the_token(some: PlainVectors, tmp_path: Path) -> None:
    for path in (f"{PATH}size", "/metrics", "/ready", "/nowhere"):
        assert urllib3.request("GET", sidecar_url() + path).status == 401
    assert urllib3.request("GET", sidecar_url() + "/health").status == 200
    index = sidecar_index(some, tmp_path)
    wrong = SidecarIndex(sidecar_url(), "guessed", kind="event", model=str(tmp_path), dim=4)
    with pytest.raises(ConfigError, match="token"):
        wrong.search(QUERY, 3, Scope("g"))
    assert len(index) == 20


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"\xff\xff\xff\xff",
        encode({}),
        encode({"kind": "event", "model": "m", "dim": -1}),
        encode({"kind": "secrets", "model": "m", "dim": 4}),
        encode({"kind": "event", "model": "m", "dim": 4})[:-1],
        encode({"kind": "event", "model": "m", "dim": 4}) + b"x",
        *(headed(text) for text in ('["arrays"]', '"arrays"', "7", '{"arrays": ' + "[" * 100_000)),
        *(headed(json.dumps({"arrays": [["f4", shape]]})) for shape in ([-1], [2**70], 7)),
        headed('{"arrays": [[[], [1]]]}'),
    ],
)
def test_nonsense_is_refused(body: bytes) -> None:
    assert post(f"{PATH}search", body).status == 400
    assert post(f"{PATH}no-such", encode({"kind": "event", "model": "m", "dim": 4})).status in (400, 503)


WRONG: list[Any] = [None, -1, 2**70, float("inf"), "x", [], [[]], {"group_id": []}, {"group_id": "g", "x": 1}]


@pytest.mark.parametrize("key", ["k", "scope", "model", "dim"])
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_header_with_a_wrong_value_is_refused(some: PlainVectors, tmp_path: Path, key: str, wrong: Any) -> None:
    sidecar_index(some, tmp_path)
    about = {"kind": "event", "model": str(tmp_path), "dim": 4, "k": 3, "scope": {"group_id": "g"}}
    assert post(f"{PATH}search", encode(about, [QUERY])).status == 200
    assert post(f"{PATH}search", encode(about | {key: wrong}, [QUERY])).status == 400


def test_a_vector_that_is_not_finite_is_refused(some: PlainVectors, tmp_path: Path) -> None:
    sidecar_index(some, tmp_path)
    about = {"kind": "event", "model": str(tmp_path), "dim": 4, "k": 3, "scope": {"group_id": "g"}}
    for number in (np.nan, np.inf):
        assert post(f"{PATH}search", encode(about, [np.full(4, number, np.float32)])).status == 400


@pytest.mark.parametrize("ids", [np.full(1, 1e30, np.float32), np.ones(1, np.float32), np.ones((1, 1), np.int64)])
def test_ids_that_are_no_list_of_whole_numbers_are_refused(some: PlainVectors, tmp_path: Path, ids: Any) -> None:
    sidecar_index(some, tmp_path)
    about = {"kind": "event", "model": str(tmp_path), "dim": 4, "k": 3, "scope": {"group_id": "g"}}
    asked = {"search": [QUERY, ids], "similarities": [QUERY, ids], "vectors": [ids]}
    for name, arrays in asked.items():
        assert post(f"{PATH}{name}", encode(about, arrays)).status == 400, name


@pytest.mark.parametrize("path", ["/v1/size", "/v3/search", "/v99/no-such"])
def test_a_request_of_another_version_is_refused_and_says_so(path: str) -> None:
    reply = post(path, encode({"kind": "event", "model": "m", "dim": 4}))
    assert (reply.status, reply.data.decode()) == (404, f"{ANOTHER_VERSION}\n")
    assert post("/nowhere", b"").data == b"no such path\n"


def test_a_sidecar_of_another_version_counts_as_away_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATH", "/v1/")
    said: list[str] = []
    index = SidecarIndex(sidecar_url(), TOKEN, kind="event", model="m", dim=4, notify=said.append)
    assert index.search(QUERY, 3, Scope("g")) == [] and index.degraded
    assert len(said) == 1 and ANOTHER_VERSION in said[0]
    with pytest.raises(StoreUnavailable, match=ANOTHER_VERSION):
        index.vectors([1])


def _ids(*values: Any) -> Any:
    return np.asarray(values, np.int64)


REPLIES: dict[str, tuple[str, bytes]] = {
    "no message": ("200 OK", b"hello"),
    "nothing": ("200 OK", encode({})),
    "one array": ("200 OK", encode({}, [_ids(1)])),
    "of two lengths": ("200 OK", encode({}, [_ids(1), np.zeros(2, np.float32)])),
    "cosines that are none": ("200 OK", encode({}, [_ids(1), np.full(1, np.nan, np.float32)])),
    "ids twice": ("200 OK", encode({}, [_ids(1), _ids(1)])),
    "bad request": ("400 Bad Request", b"x"),
    "redirect": ("307 Temporary Redirect", b""),
    "endless": ("200 OK", b""),
}


@pytest.mark.parametrize("said", REPLIES)
def test_a_sidecar_that_answers_nonsense_counts_as_away(said: str) -> None:
    """Also one whose answer never ends: the deadline is wall clock."""
    status, body = REPLIES[said]

    def reply(environ: Any, start: Any) -> Iterator[bytes]:
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start(status, [("Content-Type", CONTENT_TYPE), ("Location", "http://127.0.0.1:9/")])
        yield body
        for _ in range(100 if said == "endless" else 0):
            time.sleep(0.05)
            yield b"x"

    with make_server("127.0.0.1", 0, reply, handler_class=QuietHandler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        index, begin = SidecarIndex(url, TOKEN, kind="event", model="m", dim=4, timeout_sec=0.5), time.monotonic()
        assert index.search(QUERY, 3, Scope("g")) == []
        assert index.degraded and time.monotonic() - begin < 3
        for call in (lambda: len(index), lambda: index.vectors([1]), index.rebuild):
            if said != "endless":
                with pytest.raises(StoreUnavailable):
                    call()
        server.shutdown()


@pytest.mark.parametrize("left", ["", " \n", "\xe9\xff"])
def test_a_token_file_that_a_kill_left_empty_opens_nothing(left: str, tmp_path: Path) -> None:
    settings = load(data_dir=tmp_path)
    (tmp_path / "sidecar.token").write_text(left, "latin-1")
    with pytest.raises(ConfigError, match="token"):
        sidecar.known_token(settings)
    if not left.strip():
        assert len(sidecar._own_token(settings)) > 20
        assert (tmp_path / "sidecar.token").stat().st_mode & 0o777 == 0o600


def test_a_search_of_another_dimension_is_refused(some: PlainVectors, tmp_path: Path) -> None:
    index = sidecar_index(some, tmp_path)
    with pytest.raises(ValueError, match="dimension"):
        index.search(np.ones(3, np.float32), 3, Scope("g"))


def test_metrics_and_readiness(some: PlainVectors, tmp_path: Path) -> None:
    sidecar_index(some, tmp_path).search(QUERY, 3, Scope("g"))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    lines = urllib3.request("GET", sidecar_url() + "/metrics", headers=headers).data.decode()
    assert f'amr_sidecar_vectors{{kind="event",model="{tmp_path}",dim="4"}} 20' in lines
    assert 'amr_sidecar_requests_total{operation="search"}' in lines
    assert "amr_sidecar_memory_bytes" in lines
    assert urllib3.request("GET", sidecar_url() + "/ready", headers=headers).status in (200, 503)


@given(scope=scopes())
def test_a_scope_crosses_the_wire_unchanged(scope: Scope) -> None:
    header, _ = decode(encode({"scope": scope_to_json(scope)}))
    assert scope_from_json(header["scope"]) == scope


@given(st.lists(st.lists(st.floats(width=32, allow_nan=False), max_size=5), max_size=3))
def test_arrays_cross_the_wire_unchanged(rows: list[list[float]]) -> None:
    sent = [np.asarray(row, np.float32) for row in rows]
    _, received = decode(encode({}, sent))
    assert [array.tolist() for array in received] == [array.tolist() for array in sent]


def test_while_it_is_away_nothing_is_found_and_it_is_said_once() -> None:
    said: list[str] = []
    with socket.socket() as listening:  # accepts and never answers
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        index = SidecarIndex(url, TOKEN, kind="event", model="m", dim=4, timeout_sec=0.2, notify=said.append)
        begin = time.monotonic()
        assert [index.search(QUERY, 3, Scope("g")) for _ in range(50)] == [[]] * 50
        assert np.isnan(index.similarities(QUERY[np.newaxis], [1])).tolist() == [[True]]
        assert index.catch_up() == 0
        assert time.monotonic() - begin < 30  # the deadline once, not fifty-two times
        assert index.degraded
        assert len(said) == 1
        assert "words and the graph" in said[0]
        with pytest.raises(StoreUnavailable):
            index.vectors([1])


def test_it_is_asked_again_once_it_is_back(some: PlainVectors, tmp_path: Path) -> None:
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / "event.npz")  # noqa: E731
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first = http_server(IndexService(opened), "127.0.0.1", port, token=TOKEN)
    Thread(target=first.serve, daemon=True).start()
    index = SidecarIndex(f"http://127.0.0.1:{port}", TOKEN, kind="event", model="m", dim=4)
    assert len(index.search(QUERY, 3, Scope("g"))) == 3
    first.stop()
    while not index.degraded:
        index.search(QUERY, 3, Scope("g"))
    again = http_server(IndexService(opened), "127.0.0.1", port, token=TOKEN)
    Thread(target=again.serve, daemon=True).start()
    until = time.monotonic() + 60
    while index.degraded and time.monotonic() < until:
        index.search(QUERY, 3, Scope("g"))
        time.sleep(0.1)
    assert len(index.search(QUERY, 3, Scope("g"))) == 3
    again.stop()


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    closed = Event()

    def answer_and_close(listening: socket.socket) -> None:
        for _ in range(2):
            line, _ = listening.accept()
            with line:
                line.recv(2**16)
                body = encode({}, [_ids(7), np.ones(1, np.float32)])
                head = f"HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
                line.sendall(head.encode() + body)
            closed.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=answer_and_close, args=(listening,), daemon=True).start()
        index = SidecarIndex(f"127.0.0.1:{listening.getsockname()[1]}", TOKEN, kind="event", model="m", dim=4)
        assert index.search(QUERY, 1, Scope("g")) == [(7, 1.0)]
        assert closed.wait(60)
        assert index.search(QUERY, 1, Scope("g")) == [(7, 1.0)]
        index.close()


@pytest.mark.parametrize(
    "url", ["", "ftp://here", "http://", "http://here:port", "http://[::1", f"http://{'a' * 64}"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="address"):
        SidecarIndex(url, TOKEN, kind="event", model="m", dim=4)


def _posted(length: int, token: str = "") -> bytes:
    head = f"POST {PATH}size HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n"
    return f"{head}\r\n".encode()


# What a client sends before it falls silent.
HALF_SENT = {
    "nothing": b"",
    "half a line": b"POST /v2/si",
    "half a head": _posted(9, TOKEN)[:-30],
    "no body, no token": _posted(2**20),
}


@pytest.mark.parametrize("sent", HALF_SENT.values(), ids=list(HALF_SENT))
def test_requests_that_are_sent_by_half_silence_nobody(sent: bytes, some: PlainVectors, tmp_path: Path) -> None:
    index = sidecar_index(some, tmp_path)
    assert len(index) == 20
    _, _, address = sidecar_url().partition("//")
    host, _, port = address.partition(":")
    with ExitStack() as lines:
        for _ in range(300):
            lines.enter_context(socket.create_connection((host, int(port)))).sendall(sent)
        begin = time.monotonic()
        for _ in range(5):
            assert len(SidecarIndex(sidecar_url(), TOKEN, kind="event", model=str(tmp_path), dim=4)) == 20
        assert urllib3.request("GET", sidecar_url() + "/health").status == 200
        assert time.monotonic() - begin < 5


def test_a_request_that_got_no_reply_is_sent_once_more() -> None:
    refusal = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for reply in (b"", refusal):
                line, _ = listening.accept()
                with line:
                    line.recv(2**16)
                    line.sendall(reply)

        Thread(target=serve, daemon=True).start()
        index = SidecarIndex(f"127.0.0.1:{listening.getsockname()[1]}", TOKEN, kind="event", model="m", dim=4)
        with pytest.raises(ConfigError, match="refuses the token"):
            len(index)


def test_clients_that_connect_together_are_all_answered(some: PlainVectors, tmp_path: Path) -> None:
    """A connection can be accepted long before its request arrives, which is then no sign of a stranger."""
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / "event.npz")  # noqa: E731
    serving = http_server(IndexService(opened), "127.0.0.1", 0, token=TOKEN, first_byte_sec=60)
    Thread(target=serving.serve, daemon=True).start()
    with ExitStack() as stack:
        stack.callback(serving.stop)
        lines = [stack.enter_context(socket.create_connection(serving.bind_addr, 60)) for _ in range(20)]
        time.sleep(0.3)  # the server has accepted them
        for line in lines:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: sidecar\r\n\r\n")
        assert {line.recv(12) for line in lines} == {b"HTTP/1.1 200"}


WHOLE = {
    "without a body": (b"GET /health HTTP/1.1\r\nHost: sidecar\r\n\r\n", b"HTTP/1.1 200"),
    "refused before its body is read": (_posted(2**13) + bytes(2**13), b"HTTP/1.1 401"),
}


@pytest.mark.parametrize(("request_", "reply"), WHOLE.values(), ids=list(WHOLE))
def test_no_client_whose_whole_request_was_read_is_closed(
    request_: bytes, reply: bytes, some: PlainVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine, many threads can have read all of a request and not have run since."""
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / "event.npz")  # noqa: E731
    serving = http_server(IndexService(opened), "127.0.0.1", 0, token=TOKEN, first_byte_sec=60)
    Thread(target=serving.serve, daemon=True).start()
    have_read = Barrier(20)
    readinto = socket.SocketIO.readinto

    def wait_for_all(reader: socket.SocketIO, buffer: bytearray) -> int | None:
        count = readinto(reader, buffer)
        if count:
            have_read.wait(60)
        return count

    monkeypatch.setattr(socket.SocketIO, "readinto", wait_for_all)
    with ExitStack() as stack:
        stack.callback(serving.stop)
        lines = [stack.enter_context(socket.create_connection(serving.bind_addr, 60)) for _ in range(20)]
        for line in lines:
            line.sendall(request_)
        assert {line.recv(12) for line in lines} == {reply}


def test_a_request_that_takes_too_long_is_given_up(some: PlainVectors, tmp_path: Path, monkeypatch: Any) -> None:
    """However regularly something more of it comes."""
    monkeypatch.setattr(server, "_WAIT_SECONDS", 0.2)
    host, _, port = sidecar_url().removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as line:
        line.settimeout(10)
        with pytest.raises(OSError):
            for letter in _posted(0) * 20:
                line.sendall(bytes([letter]))
                assert urllib3.request("GET", sidecar_url() + "/health").status == 200
                if wait_for_read(line, 0) and not line.recv(1):
                    raise ConnectionResetError
                time.sleep(0.01)


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed: it makes the certificate")
def test_over_tls_it_answers_who_trusts_its_certificate(some: PlainVectors, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=sidecar -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*made.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / "event.npz")  # noqa: E731
    serving = http_server(IndexService(opened), "127.0.0.1", 0, token=TOKEN, certificate=certificate, key=key)
    Thread(target=serving.serve, daemon=True).start()
    url = f"https://127.0.0.1:{serving.bind_addr[1]}"
    trusting = SidecarIndex(url, TOKEN, kind="event", model="m", dim=4, certificates=certificate)
    with ExitStack() as silent:
        for _ in range(50):
            silent.enter_context(socket.create_connection(serving.bind_addr))
        for _ in range(3):
            assert len(trusting.search(QUERY, 3, Scope("g"))) == 3
    stranger = SidecarIndex(url, TOKEN, kind="event", model="m", dim=4)
    assert stranger.search(QUERY, 3, Scope("g")) == []
    assert stranger.degraded
    trusting.close()
    serving.stop()


def test_memory_and_the_number_of_indexes_are_bounded(some: PlainVectors, tmp_path: Path) -> None:
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / f"{kind}.npz")  # noqa: E731
    about = {"kind": "event", "model": "m", "dim": 4}
    with pytest.raises(TooMuch):
        IndexService(opened, most_bytes=1).answer("size", about, [])
    service = IndexService(opened, most_indexes=1)
    assert service.answer("size", about, []) == ({"vectors": 20}, [])
    with pytest.raises(TooMuch):
        service.answer("size", about | {"model": "n"}, [])


def test_it_follows_the_graph_and_forgets_with_it(some: PlainVectors, tmp_path: Path) -> None:
    opened = lambda kind, model, dim: FaissIndex(some, model, dim, path=tmp_path / "event.npz")  # noqa: E731
    service = IndexService(opened, every_sec=0.01)
    about = {"kind": "event", "model": "m", "dim": 4}
    assert service.answer("size", about, [])[0] == {"vectors": 20}
    some.write(99, "g", "v", QUERY)
    some.forget(3)
    until, found = time.monotonic() + 60, set[int]()
    while found != {99, *range(20)} - {3} and time.monotonic() < until:
        time.sleep(0.02)
        _, [ids, _] = service.answer("search", about | {"k": 30, "scope": {"group_id": "g"}}, [QUERY])
        found = set(ids.tolist())
    assert found == {99, *range(20)} - {3}
    service.close()
    assert len(FaissIndex(some, "m", 4, path=tmp_path / "event.npz")) == 20


def test_searches_that_wait_are_one_batch_and_each_gets_its_own_result(some: PlainVectors, tmp_path: Path) -> None:
    """Of several scopes, numbers and restrictions; one that cannot be searched fails alone."""
    index = FaissIndex(some, "m", 4, path=tmp_path / "event.npz")
    index.catch_up()
    batches = Batches(index)
    scopes = [Scope("g"), Scope("g", ("v",)), Scope("nobody")]
    asked = [Search(QUERY, 1 + n % 7, scopes[n % 3], [n, n + 1] if n % 5 == 0 else None) for n in range(24)]
    asked.append(Search(QUERY, 3, Scope("g", persons=("anna",))))
    with ThreadPoolExecutor(len(asked)) as threads:
        with batches._running:  # as while another batch runs
            found = [threads.submit(batches.search, each) for each in asked]
            until = time.monotonic() + 60
            while len(batches._queue) < len(asked) and time.monotonic() < until:
                time.sleep(0.01)
        with pytest.raises(ValueError, match="among"):
            found.pop().result()
        assert [each.result() for each in found] == [index.search(*each) for each in asked[:-1]]
    assert batches.count == 1
