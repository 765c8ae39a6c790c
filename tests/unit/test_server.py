"""What stands before memory in `amr serve`: keys, hosts, limits and errors. No database answers here."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
import logging
import os
import re
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext, suppress
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Event, Semaphore
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
import urllib3
from filelock import FileLock

from amr_neo4j import InputError, Memory, NoSpace, NotInMemory, StoreUnavailable, errors
from amr_neo4j.cli.uninstall import IN_DATA_DIR
from amr_neo4j.domain.belief import Consolidated
from amr_neo4j.domain.chat import ModelCall
from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup
from amr_neo4j.domain.page import PageRequest
from amr_neo4j.domain.receipt import IngestReport, Progress
from amr_neo4j.domain.views import GroupView
from amr_neo4j.errors import AmrError, SpoolUnusable
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.spool import JOBS_FILE, SERVED_FOLDER
from amr_neo4j.spool.jobs import JobSpool
from amr_neo4j.store.database import Database

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from starlette.requests import Request

from amr_neo4j.server import app
from amr_neo4j.server import jobs as jobs_of_server
from amr_neo4j.server.app import _wants_events, document
from amr_neo4j.server.client import Client as Program
from amr_neo4j.server.cuts import Cuts
from amr_neo4j.server.gate import Gate, Limits
from amr_neo4j.server.jobs import Action, Jobs
from amr_neo4j.server.keys import BEGUN, SCOPES, AuditedCall, Keys
from amr_neo4j.server.logs import log_faults
from amr_neo4j.server.problems import Refused
from amr_neo4j.server.run import listen, serve
from amr_neo4j.server.uploads import Uploads
from tests.support.amr_command import Amr
from tests.support.http_client import Client, key_of, serving
from tests.support.small_disk import read_only
from tests.support.words_in_errors import SECRET

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALL = ("read", "write", "forget", "admin")
OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
FILMS = "films"
PAGE = "https://home.example"
Server = tuple[Client, Keys, Path]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose database is away, and was used before. One folder is allowed."""
    folder = tmp_path_factory.mktemp("server")
    (folder / FILMS).mkdir()
    (folder / "secret.jsonl").write_text("{}\n")
    (folder / FILMS / "link").symlink_to(folder)
    given = {"serve_folders": str(folder / FILMS), "serve_sources": "192.168.1.0/24,cam.test"}
    given |= {"serve_largest_mb": 1, "serve_requests_per_minute": 60, "serve_key_usd_a_day": 0.5}
    given |= {"serve_origins": PAGE}
    settings = load(data_dir=folder / "data", group="home", neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0, **given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("amr_neo4j.store.database._RETRY_SECONDS", 0.0)
        with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
            memory._parts.identity._id = "here"
            with serving(memory) as (client, keys):
                yield client, keys, folder


@pytest.fixture
def client(server: Server) -> Client:
    """Called with a key that may do everything with the memory of anna."""
    client, keys, _ = server
    return client.with_key(key_of(keys, "home", "anna", ALL))


def refusal(reply: Any, status: int) -> str:
    """The detail of a problem document."""
    assert reply.status == status, reply.body
    assert reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert problem["status"] == status and problem["type"].startswith("urn:amr:error:") and problem["instance"]
    assert problem["exit_code"] and "Traceback" not in reply.body.decode()
    return problem["detail"]


# --- keys


def test_every_path_but_health_wants_a_key(client: Client) -> None:
    paths = [(verb.upper(), path) for path, verbs in json.loads(document())["paths"].items() for verb in verbs]
    paths += [("GET", "/api/v1/openapi.json"), ("GET", "/api/v1/nonsense"), ("GET", "/docs")]
    for verb, path in paths:
        if not path.startswith("/health"):
            for key in ("", "amr_nonsense", client.key[:-1] + "x"):
                reply = client.with_key(key).call(verb, path.removeprefix("/api/v1"))
                # A reply to HEAD has no body.
                assert reply.status == 401 if verb == "HEAD" else "the key is missing" in refusal(reply, 401)
                assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert client.with_key("").call("GET", "/health/live").json == {"status": "live"}


def test_a_key_does_what_its_scopes_say(server: Server) -> None:
    client, keys, _ = server
    reader = client.with_key(key_of(keys, "home", "anna", ("read",)))
    observe = ("POST", "/conversations/monday/observe", {"text": "I live in Porto."})
    assert "lacks the scope write" in refusal(reader.call(*observe), 403)
    assert "lacks the scope forget" in refusal(reader.call("DELETE", "/user"), 403)
    writer = client.with_key(key_of(keys, "home", "anna", ("write",)))
    assert writer.call(*observe).status == 200
    assert "lacks the scope read" in refusal(writer.call("GET", "/facts"), 403)
    assert "lacks the scope admin" in refusal(writer.call("DELETE", "/group"), 403)


def test_who_makes_all_groups_wait_needs_the_scope_admin(server: Server) -> None:
    client, keys, _ = server
    forgets, may_all = (
        client.with_key(key_of(keys, "home", "anna", scopes)) for scopes in (("forget",), ("forget", "admin"))
    )
    scrubs = [("DELETE", "/user"), ("DELETE", "/conversations/a"), ("DELETE", "/facts/a"), ("DELETE", "/videos/a")]
    for verb, path in scrubs:
        assert "may not scrub" in refusal(forgets.call(verb, path, query={"scrub": "true"}), 403)
        refusal(forgets.call(verb, path, query={"scrub": "false"}), 503)
        refusal(forgets.call(verb, path, query={"scrub": "true", "dry_run": "true"}), 503)
        refusal(may_all.call(verb, path, query={"scrub": "true"}), 503)


def test_group_and_user_come_from_the_key(server: Server) -> None:
    client, keys, _ = server
    anna = client.with_key(key_of(keys, "home", "anna"))
    assert "this user" in refusal(anna.call("GET", "/facts", query={"user": "ben"}), 403)
    assert "this group" in refusal(anna.call("GET", "/facts", query={"group": "office"}), 403)
    assert "this group" in refusal(anna.call("GET", "/facts", query={"group": ""}), 403)
    assert "user_id" in refusal(anna.call("GET", "/facts", query={"user_id": "ben"}), 422)
    assert "user_id" in refusal(anna.call("POST", "/ask", {"question": "Where?", "user_id": "ben"}), 422)
    both = keys.create(groups=["home"], users=["anna", "ben"], now=datetime.now(UTC))[1]
    assert "several users" in refusal(client.with_key(both).call("GET", "/facts"), 422)
    nobody = client.with_key(key_of(keys, "home"))
    assert "no user" in refusal(nobody.call("GET", "/facts"), 422)


@pytest.mark.parametrize("typed", ["José", "Jose\u0301"])
def test_a_name_is_one_however_it_was_typed(server: Server, typed: str) -> None:
    """An accented letter is one character or two: macOS and some keyboards send two."""
    client, keys, _ = server
    text = keys.create(groups=[typed, "home"], users=[typed, "ben"], scopes=ALL, now=datetime.now(UTC))[1]
    for asked in ("José", "Jose\u0301"):
        opened = client.with_key(text).get("/key", user=asked, group="home")
        assert opened["user"] == "José" and opened["key"]["groups"] == ["José", "home"]
    assert load(group=typed, user=typed, user_timezones={typed: "Asia/Tokyo"}).zone_of_user("José") == ZoneInfo(
        "Asia/Tokyo"
    )


def test_a_revoked_or_expired_key_is_refused(server: Server) -> None:
    client, keys, _ = server
    text = key_of(keys, "home", "anna")
    mine = client.with_key(text)
    assert refusal(mine.call("GET", "/nonsense"), 404)
    keys.revoke(text.split("_")[1], datetime.now(UTC))
    time.sleep(1.1)
    assert refusal(mine.call("GET", "/nonsense"), 401)
    soon = datetime.now(UTC) + timedelta(seconds=0.3)
    _, text = keys.create(groups=["home"], now=datetime.now(UTC), expires_at=soon)
    assert refusal(client.with_key(text).call("GET", "/nonsense"), 404)
    time.sleep(0.4)
    assert refusal(client.with_key(text).call("GET", "/nonsense"), 401)


def test_an_upload_ends_with_its_key(server: Server) -> None:
    """A film that is sent slowly would go on for hours."""
    client, keys, _ = server
    text = key_of(keys, "home", "anna", ALL)
    anna = client.with_key(text)
    path = f"/uploads/{anna.post('/uploads', name='slow.mp4', size=8)['id']}"

    def parts() -> Iterator[bytes]:
        yield b"seen"
        time.sleep(0.5)
        keys.revoke(text[4:16], datetime.now(UTC))
        time.sleep(1.2)
        yield b"lost"

    headers = {"Upload-Offset": "0", "Authorization": f"Bearer {text}"}
    sent = urllib3.request("PATCH", f"http://127.0.0.1:{client.port}/api/v1{path}", body=parts(), headers=headers)
    assert sent.status == 401, sent.data
    other = client.with_key(key_of(keys, "home", "anna", ALL))
    assert other.call("HEAD", path).headers["Upload-Offset"] == "4"


def test_a_long_reply_ends_with_its_key(tmp_path: Path) -> None:
    """As of a film that a player reads for hours."""
    keys, sent = Keys(tmp_path), list[bytes]()
    text = key_of(keys, "home", "anna", ALL)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(20):
            await send({"type": "http.response.body", "body": b"%d" % number, "more_body": number < 19})
            if number == 5:
                keys.revoke(text[4:16], NOW)
                await asyncio.sleep(1.1)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.extend([message["body"]] if "body" in message else [])

    limits = Limits(hosts=frozenset({"box"}), origins=frozenset(), largest_body=9, per_minute=9, bytes_a_day=None)
    gate = Gate(app, keys, limits, lambda: NOW, lambda *_: None)
    headers = [(b"host", b"box"), (b"authorization", f"Bearer {text}".encode())]
    call = {"type": "http", "method": "GET", "path": "/api/v1/videos/film/film", "headers": headers}
    asyncio.run(gate(call, receive, send))
    assert sent == [b"%d" % number for number in range(6)]
    keys.close()


def test_keys_are_stored_as_hashes_in_a_private_file(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    key, text = keys.create(name="laptop", groups=["home"], users=["anna"], scopes=("write", "read"), now=NOW)
    assert keys.check(text, NOW) == key and key.scopes == ("read", "write")
    [known] = keys.all()
    assert (known.last_used, known.id) == (NOW, text.split("_")[1])
    assert keys.check(f"amr_{key.id}_{'x' * 43}", NOW) is None
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert text.split("_", 2)[2].encode() not in file.read_bytes()
    with pytest.raises(InputError, match="scope"):
        keys.create(groups=["home"], scopes=("root",), now=NOW)
    with pytest.raises(InputError, match="group"):
        keys.create(groups=[], now=NOW)
    with pytest.raises(InputError, match="expired"):
        keys.create(groups=["home"], now=NOW, expires_at=NOW)
    with pytest.raises(NotInMemory):
        keys.revoke("zzz", NOW)
    keys.close()


def test_the_key_of_this_machine_is_made_once_and_again_after_it_was_revoked(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    file = keys.local(NOW)
    text = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys.local(NOW).read_text().strip() == text
    found = keys.check(text, NOW)
    assert found and (found.groups, found.users, found.scopes) == (("*",), ("*",), SCOPES)
    keys.revoke(found.id, NOW)
    assert keys.local(NOW).read_text().strip() != text
    keys.close()


def test_what_may_change_memory_is_audited(server: Server) -> None:
    client, keys, _ = server
    text = key_of(keys, "home", "anna", ("read", "write", "admin"))
    mine = client.with_key(text)
    mine.call("POST", "/conversations/friday/observe", {"text": "Good morning."})
    mine.call("DELETE", "/conversations/friday")
    for path in ("/facts", "/uploads/none", "/metrics"):
        mine.call("GET", path)
    found = [change for change in keys.audit(20) if change.key_id == text.split("_")[1]]
    path = "/api/v1/conversations/{session_id}"
    assert [(each.action, each.of, each.status) for each in found] == [
        (f"DELETE {path}", "/api/v1/conversations/friday", 403),
        (f"POST {path}/observe", "/api/v1/conversations/friday/observe", 200),
    ]
    assert {(each.group_id, each.user_id) for each in found[1:]} == {("home", "anna")}


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_call_that_only_counts_is_no_deed(server: Server, monkeypatch: pytest.MonkeyPatch, dry_run: bool) -> None:
    client, keys, _ = server
    text = key_of(keys, "home", "anna", ("forget", "admin", "write"))
    mine, whether = client.with_key(text), str(dry_run).lower()
    monkeypatch.setattr(Memory, "forget", lambda self, **given: Forgotten())
    monkeypatch.setattr(Memory, "consolidate_all", lambda self, **given: [])
    monkeypatch.setattr(Memory, "merge_persons", lambda self, *given, **named: 0)
    for verb, path, body in (
        ("DELETE", f"/conversations/friday?dry_run={whether}", None),
        ("POST", "/persons/Ida/merge", {"other": "Mia", "dry_run": dry_run}),
    ):
        assert mine.call(verb, path, body).status == 200
    found = [change.action for change in keys.audit(20) if change.key_id == text.split("_")[1]]
    assert len(found) == (0 if dry_run else 2)


@pytest.mark.parametrize("error", [NoSpace, SpoolUnusable])
def test_nothing_is_forgotten_without_a_trace(
    server: Server, monkeypatch: pytest.MonkeyPatch, error: type[AmrError]
) -> None:
    """A call that cannot be audited is not done; where that shows at its end, the reply tells what came of it."""
    client, keys, _ = server
    mine = client.with_key(key_of(keys, "home", "anna", ("forget",)))
    note, forgot, fails_at = Keys.note, list[str](), 1

    def full(self: Keys, change: AuditedCall, number: int = 0) -> int:
        if (2 if number else 1) == fails_at:
            raise error("the file cannot be written", hint="free some space")
        return note(self, change, number)

    def forget(self: Memory, **named: Any) -> Forgotten:
        forgot.append(named["session_id"])
        return Forgotten()

    monkeypatch.setattr(Keys, "note", full)
    monkeypatch.setattr(Memory, "forget", forget)
    assert mine.call("DELETE", "/conversations/friday").status == 503 and not forgot
    fails_at = 2
    assert mine.call("DELETE", "/conversations/friday").status == 200 and forgot == ["friday"]
    assert keys.audit(1)[0].status == BEGUN
    fails_at = 3
    assert mine.call("DELETE", "/conversations/friday").status == 200
    assert [change.status for change in keys.audit(2)] == [200, BEGUN]


def test_keys_on_the_command_line(tmp_path: Path) -> None:
    amr = Amr({"AMR_DATA_DIR": str(tmp_path)})
    whose = ("--group", "home", "--user", "anna", "--scope", "read,write")
    made = json.loads(amr.here("keys", "create", *whose, "--expires", "90d", "--json").stdout)
    keys = Keys(tmp_path)
    assert (found := keys.check(made["key"], datetime.now(UTC))) and found.expires_at
    assert (found.groups, found.users, found.scopes) == (("home",), ("anna",), ("read", "write"))
    keys.close()
    listed = amr.here("keys", "list").stdout
    assert made["id"] in listed and "valid" in listed and made["key"] not in listed
    assert "revoked" in amr.here("keys", "revoke", made["id"][:5]).stdout
    assert "revoked" in amr.here("keys", "list").stdout
    assert "90 days" in amr.refused("keys", "create", "--expires", "90 days", code=65)
    assert "nothing yet" in amr.here("keys", "audit").stdout
    assert "1000000" in amr.here("keys", "audit", "--limit", "9" * 20, code=2).stderr


# --- the gate


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1", "localhost@evil.example:1/"]
)
def test_another_host_is_refused(client: Client, host: str) -> None:
    """A page of another site reaches this machine if its name resolves to 127.0.0.1 (DNS rebinding)."""
    with socket.create_connection(("127.0.0.1", client.port), 10) as line:
        line.sendall(f"GET /health/live HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_pages_of_other_origins_are_refused(client: Client, origin: str) -> None:
    assert "origin" in refusal(client.call("GET", "/facts", headers={"Origin": origin}), 403)


@pytest.mark.parametrize(
    ("verb", "path", "sent"),
    [
        ("POST", "/ask", "authorization,content-type"),
        ("PATCH", "/uploads/1", "authorization,content-type,upload-offset"),
        ("POST", "/ingest", "authorization,content-type,idempotency-key"),
        ("GET", "/videos/film/film", "authorization,if-range,range"),
        ("DELETE", "/videos/film", "authorization"),
        ("POST", "/mcp", "authorization,content-type,mcp-protocol-version"),
    ],
)
def test_a_browser_lets_a_page_of_an_allowed_origin_call(client: Client, verb: str, path: str, sent: str) -> None:
    """A browser asks first, without the key, whether the page may send it (fetch.spec.whatwg.org, CORS-preflight)."""
    stranger = client.with_key("")
    asks = {"Origin": PAGE, "Access-Control-Request-Method": verb, "Access-Control-Request-Headers": sent}
    asked = stranger.call("OPTIONS", path, headers=asks, at_root=path == "/mcp")
    assert asked.status == 200 and asked.headers["Access-Control-Allow-Origin"] == PAGE, asked.body
    assert verb in asked.headers["Access-Control-Allow-Methods"]
    allowed = {each.strip().lower() for each in asked.headers["Access-Control-Allow-Headers"].split(",")}
    assert set(sent.split(",")) <= allowed
    evil = stranger.call("OPTIONS", path, headers=asks | {"Origin": "https://evil.example"}, at_root=True)
    assert evil.status == 400 and "Access-Control-Allow-Origin" not in evil.headers


def test_a_page_of_an_allowed_origin_reads_replies_and_refusals(client: Client) -> None:
    """Without these headers a page gets "Failed to fetch" in place of the reason."""
    upload = client.call("POST", "/uploads", {"name": "film.mp4", "size": 4}, headers={"Origin": PAGE})
    head = client.call("HEAD", f"/uploads/{upload.json['id']}", headers={"Origin": PAGE})
    assert head.headers["Upload-Offset"] == "0"
    wrong = client.with_key("amr_wrong").call("GET", "/facts", headers={"Origin": PAGE})
    away = client.call("GET", "/videos", headers={"Origin": PAGE})
    assert (upload.status, head.status, wrong.status, away.status) == (200, 200, 401, 503)
    for reply in (upload, head, wrong, away):
        assert reply.headers["Access-Control-Allow-Origin"] == PAGE
        assert reply.headers["Access-Control-Expose-Headers"] == "*"


def test_a_large_body_is_refused_before_it_is_read(client: Client) -> None:
    assert "1 MiB" in refusal(client.call("POST", "/ask", {"question": "x" * 2**20}), 413)
    with socket.create_connection(("127.0.0.1", client.port), 10) as line:
        head = "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        line.sendall(f"{head}Authorization: Bearer {client.key}\r\n\r\n".encode())
        chunk = b"20000\r\n" + b" " * 0x20000 + b"\r\n"
        for _ in range(9):
            line.sendall(chunk)
        assert b" 413 " in line.recv(1000)


@pytest.mark.parametrize(("letters", "status"), [(60_000, 200), (200_000, 431)])
def test_a_large_head_is_refused_also_if_it_arrives_in_one_piece(tmp_path: Path, letters: int, status: int) -> None:
    statuses = list[int]()

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    limits = Limits(hosts=frozenset({"box"}), origins=frozenset(), largest_body=9, per_minute=9, bytes_a_day=None)
    headers = [(b"host", b"box"), (b"accept", b"a" * letters)]
    call = {"type": "http", "method": "GET", "path": "/health/live", "headers": headers}
    with closing(Keys(tmp_path)) as keys:
        asyncio.run(Gate(app, keys, limits, lambda: NOW, lambda *_: None)(call, receive, send))
    assert statuses == [status]


def test_too_many_requests_of_a_key_are_refused(server: Server) -> None:
    client, keys, _ = server
    eager, other = (client.with_key(key_of(keys, "home", "anna")) for _ in range(2))
    replies = iter(lambda: eager.call("GET", "/nonsense"), None)
    refused = next(reply for reply in islice(replies, 300) if reply.status != 404)
    assert "too many" in refusal(refused, 429) and int(refused.headers["Retry-After"]) >= 1
    assert other.call("GET", "/nonsense").status == 404


def test_a_key_sends_so_many_bytes_a_day(server: Server, tmp_path: Path) -> None:
    settings = load(data_dir=tmp_path, group="home", neo4j_uri="bolt://127.0.0.1:9", serve_key_mb_a_day=0.01)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        memory._parts.identity._id = "here"
        with serving(memory) as (client, keys):
            anna, ben = (client.with_key(key_of(keys, "home", name, ALL)) for name in ("anna", "ben"))
            said = {"text": "I like figs. " * 300}
            statuses = [anna.call("POST", "/conversations/a/observe", said).status for _ in range(4)]
            assert statuses == [200, 200, 429, 429]
            reply = anna.call("GET", "/jobs")
            assert reply.status == 200, "what sends nothing is served"
            assert int(anna.call("POST", "/conversations/a/observe", said).headers["Retry-After"]) <= 86_400
            assert ben.call("POST", "/conversations/a/observe", said).status == 200


def test_a_conversation_goes_on_while_other_calls_take_all_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a database that is slow: a turn needs it not, nor does the key of a new program."""
    asked, goes_on = Event(), Event()

    def slow(*_: Any) -> Any:
        asked.set()
        assert goes_on.wait(60)
        raise InputError("no answer", hint="ask again")

    monkeypatch.setattr(Jobs, "of", slow)
    settings = load(
        data_dir=tmp_path,
        group="home",
        neo4j_uri="bolt://127.0.0.1:9",
        serve_threads=1,
        serve_key_mb_a_day=1,
        store_wait_sec=0,
    )
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        memory._parts.identity._id = "here"
        with serving(memory) as (client, keys), ThreadPoolExecutor() as others:
            anna, ben = (client.with_key(key_of(keys, "home", name, ALL)) for name in ("anna", "ben"))
            answer = others.submit(anna.call, "GET", "/jobs")
            assert asked.wait(60)
            try:
                said = ben.call("POST", "/conversations/a/observe", {"text": "I like figs."})
                messages = [{"role": "user", "content": "What do I like?"}]
                told = ben.call("POST", "/conversations/a/inject", {"messages": messages})
                assert (said.status, told.status, answer.done()) == (200, 200, False)
            finally:
                goes_on.set()
            assert refusal(answer.result(), 422) == "no answer"


def test_a_conversation_goes_on_while_others_are_opened(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening one reads from the database. As many as there are threads wait for it here."""
    opening, goes_on, threads = Semaphore(0), Event(), load().serve_threads
    assert client.call("POST", "/conversations/held/observe", {"text": "I like figs."}).status == 200
    chat = Memory.chat

    def slow(memory: Memory, **given: Any) -> Any:
        opening.release()
        assert goes_on.wait(60)
        return chat(memory, **given)

    monkeypatch.setattr(Memory, "chat", slow)
    with ThreadPoolExecutor(threads) as others:
        told = [
            others.submit(client.call, "POST", f"/conversations/{n}/observe", {"text": "I like tea."})
            for n in range(threads)
        ]
        assert all(opening.acquire(timeout=60) for _ in range(threads))
        try:
            said = client.call("POST", "/conversations/held/observe", {"text": "I like dates."})
            assert (said.status, any(each.done() for each in told)) == (200, False)
        finally:
            goes_on.set()
        assert [each.result().status for each in told] == [200] * threads


def test_a_key_spends_so_many_dollars_a_day(client: Client, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its calls and its jobs together."""

    def paid(memory: Memory, *_: Any, **given: Any) -> Any:
        with memory.ledger.reserve(0.4):
            memory.ledger.add(ModelCall("answer", "of/nobody", cost_usd=0.4))
        return IngestReport()

    for name in ("ingest", "ask"):
        monkeypatch.setattr(Memory, name, paid)
    job = client.call("POST", "/ingest", {"places": [str(server[2] / FILMS)]}).json
    assert ended(client, job["id"])["state"] == "completed"
    assert "serve_key_usd_a_day" in refusal(client.call("POST", "/ask", {"question": "Where?"}), 429)
    job = client.call("POST", "/ingest", {"places": [str(server[2] / FILMS)]}).json
    assert "serve_key_usd_a_day" in ended(client, job["id"])["error"]
    second = client.with_key(key_of(server[1], "home", "anna", ALL))
    second.post(f"/jobs/{job['id']}/retry")
    assert ended(client, job["id"])["state"] == "completed", "the key that has it begin again pays for it"
    other = client.with_key(key_of(server[1], "home", "anna", ALL))
    assert other.call("POST", "/ask", {"question": "Where?"}).status == 200


def test_what_a_key_spent_on_a_day_outlives_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def paid(memory: Memory, *_: Any, **given: Any) -> Any:
        with memory.ledger.reserve(0.4):
            memory.ledger.add(ModelCall("answer", "of/nobody", cost_usd=0.4))
        return IngestReport()

    monkeypatch.setattr("amr_neo4j.server.run.utc_now", lambda: NOW)
    limits: dict[str, Any] = {"serve_key_usd_a_day": 0.5, "serve_key_mb_a_day": 0.01}
    settings = load(data_dir=tmp_path, group="home", neo4j_uri="bolt://127.0.0.1:9", **limits)
    with closing(Keys(tmp_path)) as keys:
        anna, ben = (key_of(keys, "home", name, ALL) for name in ("anna", "ben"))
    asked = ("POST", "/ask", {"question": "Where?"})
    told = ("POST", "/conversations/a/observe", {"text": "I like figs. " * 600})
    statuses: list[tuple[int, int]] = []
    for _ in range(2):
        with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
            memory._parts.identity._id = "here"
            memory.ledger.day = NOW.date
            with serving(memory) as (client, _), monkeypatch.context() as patch:
                patch.setattr(Memory, "ask", paid)
                statuses.append((client.with_key(anna).call(*asked).status, client.with_key(ben).call(*told).status))
    assert statuses == [(200, 200), (429, 429)]


def test_what_cannot_be_written_counts_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program locks the file, or it is closed: a call was paid for and its reply is there."""
    monkeypatch.setattr("amr_neo4j.spool.file._BUSY_SEC", 0.0)
    day = NOW.date()
    ledger = Ledger(print, day=lambda: day)
    with closing(Keys(tmp_path)) as keys:
        keys.spend("usd", "anna", day, 0.25)
        ledger.keep(partial(keys.spent, "usd"), partial(keys.spend, "usd"))
        with ledger.paid_by("anna", "a_day", 1.0), ledger.counting() as counted:
            with closing(sqlite3.connect(tmp_path / "keys.sqlite")) as other:
                other.execute("BEGIN IMMEDIATE")
                ledger.add(ModelCall("answer", "m", cost_usd=0.25))
            assert len(counted) == 1 and keys.spent("usd", "anna", day) == 0.5
            ledger.add(ModelCall("answer", "m", cost_usd=0.125))
    with closing(Keys(tmp_path)) as again:
        assert again.spent("usd", "anna", day) == 0.625, "the next call writes the whole"
    with ledger.paid_by("anna", "a_day", 1.0):
        ledger.add(ModelCall("answer", "m", cost_usd=0.125))  # the file is closed
        assert keys.spent("usd", "anna", day) == 0.75 and not ledger.affords(0.5)


def test_a_key_is_valid_while_another_program_locks_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amr_neo4j.spool.file._BUSY_SEC", 0.0)
    with closing(Keys(tmp_path)) as keys, closing(sqlite3.connect(tmp_path / "keys.sqlite")) as other:
        text = key_of(keys, "home", "anna")
        other.execute("BEGIN IMMEDIATE")
        assert keys.check(text, NOW), "only its last use is not noted"


def test_a_key_that_cannot_be_counted_on_the_disk_has_limits(tmp_path: Path) -> None:
    """As with a data directory of an earlier version that cannot be written."""
    day = NOW.date()
    with closing(Keys(tmp_path)) as keys:
        keys._file.db.execute("DROP TABLE spent")
    with read_only(tmp_path), closing(Keys(tmp_path)) as keys:
        assert keys.spent("bytes", "anna", day) == 0.0
        for _ in range(2):
            keys.spend("bytes", "anna", day, 10)
        assert keys.spent("bytes", "anna", day) == 20


def test_what_was_spent_on_earlier_days_is_deleted(tmp_path: Path) -> None:
    day = NOW.date()
    with closing(Keys(tmp_path)) as keys:
        for late in range(3):
            keys.spend("bytes", "anna", day + timedelta(days=late), 10)
    with closing(Keys(tmp_path)) as keys:
        assert [keys.spent("bytes", "anna", day + timedelta(days=late)) for late in range(3)] == [0, 0, 10]


def test_other_calls_do_not_wait_until_a_cost_is_written() -> None:
    ledger, is_writing, is_read = Ledger(print), Event(), Event()

    def write(*_: Any) -> None:
        is_writing.set()
        assert is_read.wait(60)

    ledger.keep(lambda *_: 0.0, write)
    with ThreadPoolExecutor(1) as others, ledger.paid_by("anna", "a_day", 1.0):
        paid = others.submit(copy_context().run, ledger.add, ModelCall("answer", "m", cost_usd=0.5))
        assert is_writing.wait(60)
        assert len(ledger.sums) == 1
        is_read.set()
        paid.result(60)


@pytest.mark.parametrize("verb", ["POST", "PATCH"])
def test_bytes_of_a_body_that_does_not_end_count(tmp_path: Path, verb: str) -> None:
    """Each whole MiB at once, and the rest when the request ends."""
    parts = [b"x" * 2**19] * 3
    at_end = list[float]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in parts:
            await receive()
        at_end.append(keys.spent("bytes", text[4:16], NOW.date()))
        await send({"type": "http.response.start", "status": 409, "headers": []})

    given = iter(parts)

    async def receive() -> Any:
        if (part := next(given, None)) is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": True}

    async def send(message: Any) -> None:
        pass

    limits = Limits(
        hosts=frozenset({"box"}), origins=frozenset(), largest_body=2**20, per_minute=9, bytes_a_day=2**30
    )
    with closing(Keys(tmp_path)) as keys:
        text = key_of(keys, "home", "anna", ALL)
        headers = [(b"host", b"box"), (b"authorization", f"Bearer {text}".encode())]
        call = {"type": "http", "method": verb, "path": "/api/v1/uploads/none", "headers": headers}
        asyncio.run(Gate(app, keys, limits, lambda: NOW, lambda *_: None)(call, receive, send))
        assert at_end == ([2**20] if verb == "PATCH" else [])
        assert keys.spent("bytes", text[4:16], NOW.date()) == 3 * 2**19


_TOLD = ("POST", "/conversations/monday/observe", {"text": "I live in Porto."})


def test_a_span_names_the_call_and_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry", reason="the extra [otel] is not installed")
    spans = list[tuple[str, dict[str, str]]]()

    class Provider:
        """Of the whole process, FastAPI included."""

        def get_tracer(self, *_: Any, **given: Any) -> Provider:
            return self

        def start_as_current_span(self, name: str, attributes: dict[str, str], **given: Any) -> Any:
            # Else the span has the message of an error.
            assert given == {"record_exception": False, "set_status_on_exception": False}
            spans.append((name, attributes))
            return nullcontext()

        start_span = start_as_current_span

    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", Provider())
    client.call("DELETE", "/conversations/monday", query={"user": "anna"})
    path = "/api/v1/conversations/{session_id}"
    said = {"gen_ai.operation.name": "delete_memory", "http.request.method": "DELETE", "http.route": path}
    assert spans == [(f"DELETE {path}", said)]
    # What is asked for is in a span only if the environment says so; what is told, never.
    for asks, is_there in ((("POST", "/ask", {"question": SECRET}), True), (_TOLD, False)):
        for captures in ("", "true"):
            monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", captures)
            spans.clear()
            client.call(*asks, query={"user": "anna"})
            [(_, given)] = spans
            found = given.get("gen_ai.memory.query.text")
            assert found == (SECRET if captures and is_there else None)


def test_a_silent_connection_is_closed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("amr_neo4j.server.run._HEAD_S", 0.3)
    with socket.create_connection(("127.0.0.1", client.port), 10) as line:
        line.sendall(b"GET /health/live HTTP/1.1\r\nHost: loc")
        assert line.recv(1000) == b""


def test_replies_are_sent_without_delay() -> None:
    """Else the second part of a reply waits 40 ms, until the client acknowledges the first."""

    async def accepted() -> int:
        option = asyncio.get_running_loop().create_future()

        def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            given = writer.get_extra_info("socket")
            option.set_result(given.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(accept, sock=listen("127.0.0.1", 0)) as server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.close()
            return await option

    assert asyncio.run(accepted())


def test_only_loopback_without_tls_or_a_proxy(tmp_path: Path) -> None:
    with Memory(load(data_dir=tmp_path), Database("bolt://127.0.0.1:9", "neo4j", "none")) as memory:
        for host in ("0.0.0.0", "::", "192.168.0.4", "example.org"):
            with pytest.raises(InputError, match="open to other machines"):
                serve(memory, host, 0)
        with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError, match="cannot listen"):
            serve(memory, "127.0.0.1", taken.getsockname()[1])


def test_files_and_names_with_which_no_server_starts(tmp_path: Path) -> None:
    odd = tmp_path / "odd.pem"
    odd.write_text("no certificate")
    with Memory(load(data_dir=tmp_path), Database("bolt://127.0.0.1:9", "neo4j", "none")) as memory:
        for certificate, key in ((None, odd), (odd, None), (tmp_path / "none", None)):
            with pytest.raises(InputError, match="certificate"):
                serve(memory, "127.0.0.1", 0, certificate=certificate, key=key)
        for host in ("a" * 300, "a..b"):
            with pytest.raises(InputError, match="cannot listen"):
                serve(memory, host, 0, behind_proxy=True)


def test_one_server_works_with_a_data_directory(tmp_path: Path) -> None:
    """A second one would begin jobs again that the first is doing."""
    with Memory(load(data_dir=tmp_path), Database("bolt://127.0.0.1:9", "neo4j", "none")) as memory:
        with FileLock(tmp_path / "serve.lock"), pytest.raises(InputError, match="another amr serve"):
            serve(memory, "127.0.0.1", 0)
        with pytest.raises(InputError, match="cannot listen"):  # the lock was given back
            serve(memory, "a..b", 0, behind_proxy=True)
    assert any((tmp_path / "serve.lock").match(name) for name in IN_DATA_DIR)


# --- input and errors


@pytest.mark.parametrize(
    ("verb", "path", "body", "said"),
    [
        ("POST", "/ask", {}, "question: Field required"),
        ("POST", "/ask", {"question": "Where?", "colour": 1}, "colour: Extra inputs"),
        ("POST", "/ask", {"question": "Where?", "look": 3}, "look: Extra inputs"),
        ("POST", "/ask", [1], "body"),
        ("POST", "/search", {"text": "x", "limit": "ten"}, "limit"),
        ("POST", "/search", {"text": "x", "limit": -1}, "limit is not from 0"),
        ("POST", "/search", {"text": "x", "order": "best"}, "order: Input should be 'fit'"),
        ("POST", "/search", {"text": "x", "cursor": "zz"}, "is no cursor"),
        ("POST", "/ask", {"question": "Where?", "known_at": "2026-03-01T09:00:00"}, "known_at"),
        ("POST", "/conversations/a/observe", {"text": ""}, "empty"),
        ("POST", "/conversations/a/observe", {"text": "a\ud800"}, "text"),
        ("POST", "/conversations/a/inject", {"messages": "hi"}, "messages"),
        ("GET", "/events/abc", None, "node_id"),
        ("POST", "/ask", {"question": "Where?", "since": "gestern"}, "since: Input should be a valid number"),
        ("POST", "/ask", {"question": "Where?", "since": "gestern"}, "valid datetime"),
        ("GET", "/facts?limit=many", None, "limit"),
        ("GET", "/counts/colour", None, "by: Input should be 'person'"),
        ("GET", f"/jobs?limit={10**30}", None, "limit"),
        ("GET", "/jobs?limit=-1", None, "limit"),
    ],
)
def test_bad_input_is_one_line(client: Client, verb: str, path: str, body: Any, said: str) -> None:
    assert said in refusal(client.call(verb, path, body), 422)


@pytest.mark.parametrize(("path", "status"), [("/facts/3f2a/restore", 503), ("/facts/3f2a/pin", 503), ("/ask", 422)])
def test_a_body_may_be_left_out_where_nothing_in_it_is_required(client: Client, path: str, status: int) -> None:
    """The database is away, so a call that is accepted is answered with 503."""
    for body in (None, {}):
        refusal(client.call("POST", path, body), status)


@pytest.mark.parametrize("name", ["a/b", "/", "a?b#c", "a%2Fb", "a b", "日本/ö", "..a", "a\\b"])
def test_a_name_in_a_path_may_have_any_letters(server: Server, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    client, keys, _ = server
    asked = list[str]()
    monkeypatch.setattr(Memory, "forget", lambda self, **given: (asked.append(given["session_id"]), Forgotten())[1])
    mine = client.with_key(key_of(keys, "home", "anna", ("forget",)))
    path = f"/conversations/{quote(name, safe='')}"
    assert mine.call("DELETE", path).status == 200 and asked == [name]
    assert keys.audit(1)[0].of == "/api/v1/conversations/" + name.replace("/", "%2F")
    assert mine.call("POST", f"{path}/observe", {"text": "Hello."}).json["instance"] == f"/api/v1{path}/observe"
    assert mine.call("DELETE", f"{path}/more").status == 404


def test_paths_and_methods_that_do_not_exist(client: Client) -> None:
    assert refusal(client.call("GET", "/nonsense"), 404)
    assert refusal(client.call("PUT", "/facts"), 405)
    assert client.call("PUT", "/episodes").headers["Allow"] == "GET, HEAD, POST"
    assert refusal(client.call("GET", "/../../etc/passwd"), 404)


PLACES = [
    "/etc/passwd",
    "secret.jsonl",
    "../secret.jsonl",
    "{films}/../secret.jsonl",
    "{films}/link/secret.jsonl",
    "{films}/*/secret.jsonl",
    "{films}/link",
    "{films}x",
    "file:///etc/passwd",
    "http://169.254.169.254/latest/meta-data",
    "https://localhost/film.mp4",
    "rtsp://127.0.0.1/stream",
    "srt://127.0.0.1:9",
    "udp://127.0.0.1:9",
    "concat:/etc/passwd",
    "/dev/video0",
    "/dev/stdin",
    "/proc/self/environ",
    "-",
    "",
    "~/film.mp4",
    "{films}/\u0000",
    "data:,x",
    "pipe:0",
]


@pytest.mark.parametrize("place", PLACES)
def test_no_file_is_read_by_name_but_in_allowed_folders(server: Server, client: Client, place: str) -> None:
    place = place.replace("{films}", str(server[2] / FILMS))
    assert "may not be read" in refusal(client.call("POST", "/ingest", {"places": [place]}), 403)


def test_no_job_is_accepted_that_has_nothing_to_do(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = server[2] / FILMS / "porch.mp4"
    film.touch()
    monkeypatch.setattr(Memory, "video", lambda self, video_id, limit: SimpleNamespace(video_id=video_id))
    monkeypatch.setattr(Memory, "film", lambda self, video_id: film)
    assert refusal(client.call("POST", "/ingest", {"places": []}), 422) == "places: is empty"
    assert refusal(client.call("POST", "/explore", {"source": "porch", "question": ""}), 422) == "question: is empty"


def test_a_film_in_memory_is_explored_by_its_path(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A video may be named like a file in the working directory of the server."""
    secret, film = server[2] / "secret.jsonl", server[2] / FILMS / "kitchen.mp4"
    film.touch()
    monkeypatch.setattr(Memory, "video", lambda self, video_id, limit: SimpleNamespace(video_id=video_id))
    monkeypatch.setattr(Memory, "film", lambda self, video_id: film)
    reply = client.call("POST", "/explore", {"source": str(secret), "question": "Who comes in?"})
    assert reply.status == 202
    assert reply.json["arguments"]["source"] == str(film)
    assert reply.json["arguments"]["video_id"] == str(secret)
    client.call("POST", f"/jobs/{reply.json['id']}/cancel")


# What leads to this machine, its network or a cloud's metadata, in every way that an address can be written.
ADDRESSES = [
    *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]"),
    *("localhost", "cam.test", "cam.test.", "10.0.0.1", "172.16.0.9", "192.168.2.1", "169.254.169.254", "[fe80::1]"),
    *("[fd00::1]", "100.100.100.200", "224.0.0.1", "255.255.255.255", "8.8.8.8", "cam.example@10.0.0.1", ""),
]


@pytest.mark.parametrize(
    "url",
    [
        *(f"rtsp://{address}/stream" for address in ADDRESSES),
        *("http://192.168.1.7/film.m3u8", "file:///etc/passwd", "udp://192.168.1.7:9", "tcp://192.168.1.7:9"),
        *(
            "concat:rtsp://192.168.1.7",
            "rtsp://192.168.1.7:99999/",
            "rtsp:192.168.1.7",
            "/dev/video0",
            "-",
            "gopher://x",
        ),
    ],
)
def test_no_source_is_read_but_of_allowed_hosts(client: Client, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """cam.test is allowed by its name, and leads into this network, as when a name is rebound."""
    looked_up = socket.getaddrinfo

    def rebound(host: Any, *more: Any, **named: Any) -> Any:
        return looked_up("127.0.0.1" if host in ("cam.test", "cam.test.") else host, *more, **named)

    monkeypatch.setattr("amr_neo4j.server.sources.socket.getaddrinfo", rebound)
    assert "may not be read" in refusal(client.call("POST", "/sources", {"url": url}), 403)


def test_a_source_of_an_allowed_network_is_a_job_that_is_paused_and_removed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    def film(_: Memory, url: str, *, watch: Any, **given: Any) -> Any:
        try:
            while True:
                watch(Progress(url, cast(Any, None)))
                time.sleep(0.05)
        finally:
            ended.append(given["place"])

    def until(state: str) -> None:
        deadline = time.monotonic() + 30
        while (job := client.get(at))["state"] != state or (state == "processing" and not job["progress"]):
            assert time.monotonic() < deadline
            time.sleep(0.05)

    monkeypatch.setattr(Memory, "ingest", film)
    reply = client.call("POST", "/sources", {"url": "rtsp://192.168.1.7/stream", "place": "hall"})
    assert reply.status == 202 and reply.json["action"] == "source"
    at = f"/jobs/{reply.json['id']}"
    until("processing")
    assert "under way" in refusal(client.call("DELETE", at), 422)
    for go_on in (True, False):
        client.post(f"{at}/cancel")
        until("cancelled")
        if go_on:
            client.post(f"{at}/retry")
            until("processing")
    assert client.call("DELETE", at).status == 200
    assert refusal(client.call("GET", at), 404)
    deadline = time.monotonic() + 30
    while ended != ["hall", "hall"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_source_is_tried_again_after_any_loss_and_by_one_thread_at_a_time(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was lost after clips, then the database is away, then its host may no longer be read."""
    monkeypatch.setattr("amr_neo4j.server.jobs._TRY_AGAIN_S", 0.0)
    lost = IngestReport()
    lost.lost, lost.errors = 1, ["the connection was lost"]
    tries: list[Any] = [lost, StoreUnavailable("away"), Refused(403, "may not be read"), IngestReport()]
    done, under_way = list[Any](), list[int]()

    def film(*_: Any, **given: Any) -> Any:
        done.append(found := tries[len(done)])
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(Memory, "ingest", film)
    job_id = client.call("POST", "/sources", {"url": "rtsp://192.168.1.8/a"}).json["id"]
    assert ended(client, job_id)["state"] == "completed" and len(done) == 4

    go_on = Event()

    stops: list[Event] = []

    def stuck(_: Memory, url: str, *, watch: Any, stop: Event, **given: Any) -> Any:
        under_way.append(1)
        stops.append(stop)
        assert go_on.wait(30)
        watch(Progress(url, cast(Any, None)))
        return IngestReport()

    monkeypatch.setattr(Memory, "ingest", stuck)
    job_id = client.call("POST", "/sources", {"url": "rtsp://192.168.1.8/b"}).json["id"]
    deadline = time.monotonic() + 30
    while not under_way:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    writer = client.with_key(key_of(server[1], "home", "anna", ("read", "write")))
    assert "lacks the scope admin" in refusal(writer.call("POST", f"/jobs/{job_id}/cancel"), 403)
    client.post(f"/jobs/{job_id}/cancel")
    assert stops[0].is_set(), "a source that is paused is not read any more, also while it sends nothing"
    client.post(f"/jobs/{job_id}/retry")
    time.sleep(0.3)
    assert len(under_way) == 1, "its earlier thread is still at work"
    go_on.set()
    assert ended(client, job_id)["state"] == "completed" and len(under_way) == 2


def test_the_password_of_a_camera_is_shown_to_nobody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job itself keeps it."""
    opened: list[str] = []
    monkeypatch.setattr(Memory, "ingest", lambda self, url, **given: opened.append(url) or IngestReport())
    url, once = "rtsp://me:pa55@192.168.1.7/stream?token=t0ken", {"Idempotency-Key": "camera"}
    replies = [client.call("POST", "/sources", {"url": url}, headers=once) for _ in range(2)]
    at = f"/jobs/{replies[0].json['id']}"
    assert ended(client, replies[0].json["id"])["state"] == "completed" and opened == [url]
    replies += [client.call("GET", at), client.call("GET", "/jobs"), client.call("POST", f"{at}/retry")]
    ended(client, replies[0].json["id"])
    replies.append(client.call("DELETE", at))
    for reply in replies:
        assert b"pa55" not in reply.body and b"t0ken" not in reply.body
    assert replies[0].json["arguments"]["places"] == ["rtsp://192.168.1.7/stream"]


def test_a_client_with_a_path_in_its_address_is_told(client: Client) -> None:
    with pytest.raises(InputError) as told:
        Program(f"http://127.0.0.1:{client.port}/memory/", client.key).videos()
    assert "address" in told.value.hint


def test_a_call_with_an_idempotency_key_is_done_once(server: Server, client: Client) -> None:
    (server[2] / FILMS / "once.jsonl").write_text("{}\n")
    once, body = {"Idempotency-Key": "k1"}, {"places": [str(server[2] / FILMS / "once.jsonl")]}
    first = client.call("POST", "/ingest", body, headers=once).json
    assert client.call("POST", "/ingest", body, headers=once).json["id"] == first["id"]
    assert client.call("POST", "/ingest", body).json["id"] != first["id"]
    other = client.call("POST", "/ingest", body | {"place": "hall"}, headers=once)
    assert "another job" in refusal(other, 422)
    upload = {"name": "a.mp4", "size": 5}
    sent = [client.call("POST", "/uploads", upload, headers=once).json["id"] for _ in range(2)]
    assert sent[0] == sent[1]
    assert "another upload" in refusal(client.call("POST", "/uploads", upload | {"size": 6}, headers=once), 422)
    said = {"text": "I like figs."}
    turns = [client.call("POST", "/conversations/once/observe", said, headers=once).json["turn"] for _ in range(2)]
    assert turns[0]["episode_id"] == turns[1]["episode_id"]
    other = client.call("POST", "/conversations/once/observe", {"text": "I like tea."}, headers=once).json["turn"]
    assert other["episode_id"] != turns[0]["episode_id"], "docs/server.md says so"
    ben = client.with_key(key_of(server[1], "home", "ben", ALL))
    assert ben.call("POST", "/ingest", body, headers=once).json["id"] != first["id"]


def test_the_work_of_a_night_is_added_once_a_day_for_each_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = {"neo4j_uri": "bolt://127.0.0.1:9", "store_wait_sec": 0}
    settings = load(data_dir=tmp_path, group="home", serve_nightly_hour=3, **away)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        memory._parts.identity._id = "here"
        view = GroupView(group_id="home", videos=0, events=0, users=0, turns=0, facts=0)
        monkeypatch.setattr(Memory, "groups", lambda self, **asked: [view])
        said = "anna: lives in Porto"
        runs = [
            Consolidated("1", "anna", NOW, "completed", {"merged": 2}, [said], [said]),
            Consolidated("1", "ben", NOW, "incomplete", {"merged": 2}, [said], [said]),
        ]
        gone = ForgottenGroup(ForgottenFootage(events=3), Forgotten(facts=4), ("anna",))
        monkeypatch.setattr(Memory, "consolidate_all", lambda self, **given: runs)
        monkeypatch.setattr(Memory, "forget_expired", lambda self, **given: gone)
        for hours, nights in ((2, 0), (3, 1), (5, 1), (24 + 2, 1), (24 + 4, 2)):
            now = NOW.replace(hour=0) + timedelta(hours=hours)
            jobs = Jobs(tmp_path, memory, lambda: now)  # noqa: B023 - it ends before the next
            jobs.start()
            deadline = time.monotonic() + 30
            while jobs.count()["completed"] < nights:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            time.sleep(0.2)
            for job in jobs.of("home", "", PageRequest(9)).items:
                result = json.dumps(job.result)
                assert "anna" not in result and "ben" not in result and "Porto" not in result
                assert (job.result["users"], job.result["incomplete"], job.result["counts"]) == (2, 1, {"merged": 4})
                expired = job.result["expired"]
                assert (expired["users"], expired["footage"]["events"], expired["conversations"]["facts"]) == (
                    1,
                    3,
                    4,
                )
            jobs.close()
            counted = Jobs(tmp_path, memory, lambda: NOW)
            assert sum(counted.count().values()) == nights
            counted._file.close()


def test_a_turn_is_accepted_while_the_database_is_away_and_that_is_said(client: Client) -> None:
    """What the process holds still answers."""
    found = client.post("/conversations/monday/observe", text="I live in Porto and work at BMW.")
    assert found["turn"]["episode_id"]
    messages = client.post("/conversations/monday/inject", messages=[{"role": "user", "content": "Where do I live?"}])
    assert "You live in Porto" in str(messages)
    deadline = time.monotonic() + 30
    while not client.post("/conversations/monday/observe", text="Good morning.")["waits"]:
        assert time.monotonic() < deadline, "the outage is noticed by the commit in the background"
        time.sleep(0.5)
    reply = client.call("GET", "/facts")
    assert "127.0.0.1:9" in refusal(reply, 503) and reply.headers["Retry-After"] == "5"
    assert refusal(client.call("GET", "/health/ready"), 503)
    assert client.call("GET", "/health/live").status == 200


def test_a_client_is_told_the_error_of_a_server_that_cannot_do_it_now(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(f"http://127.0.0.1:{client.port}", client.key)
    with pytest.raises(StoreUnavailable) as away:
        program.videos()
    assert away.value.message == client.call("GET", "/videos").json["detail"]
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, AmrError)]
    for error in [kind("it failed", hint="do this") for kind in kinds]:

        def fails(self: Memory, error: AmrError = error, **_: Any) -> None:
            raise error

        monkeypatch.setattr(Memory, "videos", fails)
        with pytest.raises(AmrError) as told:
            program.videos()
        assert (type(told.value), told.value.message, told.value.hint) == (type(error), "it failed", "do this")


def test_a_client_says_whose_memory_each_call_is_about(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def exports(self: Memory, *_: Any, **given: Any) -> dict[str, Any]:
        asked.append(self.settings.user)
        return {"nodes": [], "edges": [], "episodes": [], "total": 0, "next": None}

    monkeypatch.setattr(Memory, "export_episodes", exports)
    program = Program(f"http://127.0.0.1:{client.port}", client.key)
    program.export_episodes("anna")
    program.export_episodes(user_id="anna", limit=10)
    assert asked == ["anna", "anna"]
    with pytest.raises(InputError, match="takes no among for groups"):
        program.groups(among=["home"])


def test_a_client_with_a_key_of_several_groups_has_to_name_one(server: Server) -> None:
    client, keys, _ = server
    both = keys.create(groups=["home", "office"], now=datetime.now(UTC))[1]
    program = Program(f"http://127.0.0.1:{client.port}", both)
    with pytest.raises(InputError, match="several groups"):
        assert program.group_id
    assert program.group("office").group_id == "office"


def test_an_argument_that_comes_twice_is_found_among_many() -> None:
    """Each name was counted once for every other, which took a core for seconds."""
    query = "&".join(f"name{number}=1" for number in range(20_000)) + "&name19999=1"
    begun = time.thread_time()
    with pytest.raises(InputError, match="name19999: given twice"):
        app._check_once(Request({"type": "http", "query_string": query.encode(), "headers": []}))
    assert time.thread_time() - begun < 2


def test_lines_are_refused_at_once_while_the_database_is_away(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory waits for it, by default five minutes, and a client must not."""
    monkeypatch.setattr(Memory, "ingest_lines", lambda self, *given, **named: pytest.fail("it was waited for"))
    reply = client.call("POST", "/ingest/lines", b"{}\n", headers={"Content-Type": "application/x-ndjson"})
    assert reply.status == 503 and int(reply.headers["Retry-After"]) > 0


def test_an_export_leaves_no_copy_on_the_server(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def export(_: Memory, file: Path, **given: Any) -> None:
        file.write_text(f"of {given['user_id']}")

    monkeypatch.setattr(Memory, "export", export)
    reply = client.call("GET", "/export")
    assert (reply.status, reply.body, reply.headers["Cache-Control"]) == (200, b"of anna", "no-store")
    deadline = time.monotonic() + 10
    while [*(server[2] / "data" / SERVED_FOLDER).glob("*")]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- jobs


def ended(client: Client, job_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (job := client.get(f"/jobs/{job_id}"))["state"] in ("pending", "processing"):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return job


def test_films_are_taken_in_by_a_job(server: Server, client: Client) -> None:
    """The database is away, so it waits, and says why. Other jobs, which wait before it, are cancelled."""
    for user in (client, client.with_key(key_of(server[1], "home", "ben", ALL))):
        for job in user.get("/jobs")["items"]:
            user.call("POST", f"/jobs/{job['id']}/cancel")
    film = server[2] / FILMS / "clips.jsonl"
    analysis = {
        "clip_summary": "A cat sleeps.",
        "events": [{"time_start": 0, "time_end": 1, "summary": "It sleeps."}],
    }
    film.write_text(json.dumps({"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 1, "analysis": analysis}))
    reply = client.call("POST", "/ingest", {"places": [str(film)]})
    assert reply.status == 202 and reply.headers["Location"] == f"/api/v1/jobs/{reply.json['id']}"
    job_id = reply.json["id"]
    deadline = time.monotonic() + 60
    while not (waits := client.get(f"/jobs/{job_id}"))["error"]:
        assert time.monotonic() < deadline
        time.sleep(0.5)  # a key may ask only so often
    assert (waits["state"], waits["attempts"]) == ("pending", 0) and "127.0.0.1:9" in waits["error"]
    assert client.post(f"/jobs/{job_id}/cancel")["state"] == "cancelled"
    assert refusal(client.call("POST", f"/jobs/{job_id}/cancel"), 422) == "the job is cancelled"
    assert client.post(f"/jobs/{job_id}/retry")["state"] in ("pending", "processing")
    as_events = {"Accept": "text/event-stream"}
    with ThreadPoolExecutor() as threads:
        followed = threads.submit(client.call, "GET", f"/jobs/{job_id}", headers=as_events)
        time.sleep(1)
        assert client.post(f"/jobs/{job_id}/cancel")["state"] == "cancelled"
        events = followed.result(60).body.decode().strip().split("\n\n")
    told = [json.loads(event.removeprefix("event: job\ndata: ")) for event in events]
    assert {job["id"] for job in told} == {job_id}
    assert told[0]["state"] in ("pending", "processing") and told[-1]["state"] == "cancelled"
    assert refusal(client.call("GET", "/jobs/none", headers=as_events), 404)
    found = client.get("/jobs", limit=1)
    assert found["total"] >= 1 and found["items"][0]["id"] == job_id
    other = client.with_key(key_of(server[1], "home", "ben"))
    assert refusal(other.call("GET", f"/jobs/{job_id}"), 404)
    assert job_id not in {job["id"] for job in other.get("/jobs")["items"]}


def test_the_events_of_a_job_end_with_the_key(server: Server, client: Client) -> None:
    """Within seconds, although the job goes on."""
    film = server[2] / FILMS / "waits.jsonl"
    analysis = {"clip_summary": "", "events": [{"time_start": 0, "time_end": 1, "summary": "It sleeps."}]}
    film.write_text(json.dumps({"video_id": "w", "clip_id": "c", "t_start": 0, "t_end": 1, "analysis": analysis}))
    job_id = client.call("POST", "/ingest", {"places": [str(film)]}).json["id"]
    made, text = server[1].create(groups=["home"], users=["anna"], now=datetime.now(UTC))
    with ThreadPoolExecutor() as threads:
        began = time.monotonic()
        as_events = {"Accept": "text/event-stream"}
        followed = threads.submit(client.with_key(text).call, "GET", f"/jobs/{job_id}", headers=as_events)
        time.sleep(1)
        server[1].revoke(made.id, datetime.now(UTC))
        assert b"event: job" in followed.result(60).body and time.monotonic() - began < 10
    client.post(f"/jobs/{job_id}/cancel")


def test_jobs_go_on_after_a_server_died(tmp_path: Path) -> None:
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        memory._parts.identity._id = "here"
        died = Jobs(tmp_path, memory, lambda: NOW)
        first, second, third = (died.add("default", "", "ingest", {"places": ["/nowhere"]}) for _ in range(3))
        # What a killed server leaves.
        for job, attempts in ((first, 1), (second, 3)):
            died._set(job.id, ("pending",), state="processing", attempts=attempts)
        died.cancel(third)
        died._file.close()
        jobs = Jobs(tmp_path, memory, lambda: NOW)
        jobs.start()
        deadline = time.monotonic() + 60
        while (found := jobs.job("default", "", first.id)).state != "failed":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert found.attempts == 2 and "/nowhere" in found.error
        assert "3 times" in jobs.job("default", "", second.id).error
        assert jobs.job("default", "", third.id).state == "cancelled"
        with pytest.raises(NotInMemory):
            jobs.job("office", "", first.id)
        jobs.close()


@pytest.mark.parametrize("action", ["import", "night"])
def test_what_runs_to_its_end_is_not_cancelled(tmp_path: Path, action: Action) -> None:
    """It would be done although its job says that it was cancelled."""
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        jobs = Jobs(tmp_path, memory, lambda: NOW)
        waits, runs = (jobs.add("default", "", action, {"file": name}) for name in ("one", "other"))
        jobs._set(runs.id, ("pending",), state="processing")
        jobs.cancel(waits)
        with pytest.raises(InputError, match="the job is processing"):
            jobs.cancel(runs)
        states = [jobs.job("default", "", job.id).state for job in (waits, runs)]
        jobs._file.close()
    assert states == ["cancelled", "processing"]


@pytest.mark.parametrize(
    "error", [NoSpace("full"), SpoolUnusable("held for too long"), OSError(errno.ENOSPC, "full")], ids=repr
)
@pytest.mark.parametrize(("action", "ends"), [("source", "completed"), ("ingest", "failed")])
def test_a_source_outlives_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, action: Action, ends: str
) -> None:
    """A camera goes on as soon as there is room. Other jobs fail, since their models would be paid again."""
    errors = [error]

    def work(*_: object) -> dict[str, str]:
        if errors:
            raise errors.pop()
        return {"took": "in"}

    monkeypatch.setitem(jobs_of_server._WORK, action, work)
    monkeypatch.setattr(jobs_of_server, "_AWAY_S", 0.05)
    settings = load(data_dir=tmp_path, neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory:
        jobs = Jobs(tmp_path, memory, lambda: NOW)
        job = jobs.add("default", "", action, {"places": ["rtsp://camera/1"]})
        jobs.start()
        deadline = time.monotonic() + 30
        while (found := jobs.job("default", "", job.id)).state in ("pending", "processing"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        jobs.close()
    assert (found.state, found.attempts) == (ends, 1)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, {"night completed", "source cancelled", "source pending", "ingest pending"}),
        ({"user_id": "anna"}, {"source pending", "ingest pending"}),
        ({"unfinished": True}, set[str]()),
    ],
)
def test_forgetting_footage_leaves_paused_sources_and_nights(
    tmp_path: Path, given: dict[str, Any], kept: set[str]
) -> None:
    spool = JobSpool(tmp_path / JOBS_FILE)
    with spool.transaction() as db:
        for name in ("night completed", "source cancelled", "source pending", "source completed", "ingest pending"):
            row = {"id": name, "group_id": "home", "user_id": "anna", "arguments": "{}", "attempts": 1}
            row |= dict(zip(("action", "state"), name.split(), strict=True))
            row |= dict.fromkeys(("progress", "result", "error", "created_at", "changed_at"), "")
            columns = ", ".join(row)
            db.execute(f"INSERT INTO jobs ({columns}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
    spool.forget("home", **given)
    assert {row["id"] for row in spool.rows("SELECT id FROM jobs")} == kept
    spool.close()


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("is_asked", [False, True])
def test_a_log_has_no_words_of_users_unless_asked(
    as_json: bool, is_asked: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of an internal error it has the places and the classes: messages quote what they stumbled over."""
    told = "import logging, sys, threading\nfrom tests.support.words_in_errors import fail_on_words\n"
    told += "from amr_neo4j.server.logs import log_as_json, log_faults\n"
    told += f"logging.basicConfig(level={'logging.INFO' if is_asked else 'logging.CRITICAL'})\n"
    if as_json:
        told += f"log_as_json(verbose={is_asked})\n"
    elif not is_asked:
        told += "log_faults()\n"
    told += (
        "try:\n    fail_on_words()\nexcept Exception:\n    logging.getLogger('amr_neo4j.x').exception('it failed')\n"
    )
    told += "thread = threading.Thread(target=fail_on_words, name='of-anna')\nthread.start()\nthread.join()\n"
    told += "thread = threading.Thread(target=sys.exit)\nthread.start()\nthread.join()\n"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=60, check=True)
    assert "KeyError" in done.stderr and "ValueError" in done.stderr and "fail_on_words" in done.stderr
    assert (SECRET in done.stderr) is is_asked, done.stderr
    assert "SystemExit" not in done.stderr
    lines = done.stderr.splitlines()
    assert not as_json or [json.loads(line)["level"] for line in lines] == ["error", "error"]


def test_an_error_without_a_status_of_its_own_is_in_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is a bug, or a fault of the database that nobody foresaw; the client is told little."""

    def refused(*_: Any, **__: Any) -> Any:
        raise errors.StoreRefused(SECRET, hint="Neo.ClientError.Statement.EntityNotFound")

    monkeypatch.setattr(Memory, "ask", refused)
    assert client.call("POST", "/ask", {"question": "Where?"}).status == 500
    [line] = [record for record in caplog.records if record.name == "amr_neo4j.server.problems"]
    assert "StoreRefused" in line.getMessage() and "EntityNotFound" in line.getMessage()
    assert line.exc_info and SECRET not in line.getMessage()


def test_a_file_that_another_call_deletes_is_no_internal_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a picture of what is forgotten, or an upload that is removed twice at once."""
    monkeypatch.setattr(Memory, "ask", lambda *_, **__: Path("/nowhere").stat())
    for accept in ("application/json", "text/event-stream"):
        reply = client.call("POST", "/ask", {"question": "Where?"}, headers={"Accept": accept})
        assert "was deleted while it was read" in refusal(reply, 409)


def test_a_picture_is_cut_although_its_folder_is_deleted_meanwhile(tmp_path: Path) -> None:
    tried = list[Path]()

    def cut(path: Path) -> None:
        tried.append(path)
        if len(tried) == 1:
            path.parent.rmdir()
        path.write_bytes(b"picture")

    assert Cuts(tmp_path).file(("event", 1), ".jpg", cut).read_bytes() == b"picture" and len(tried) == 2


def test_an_internal_error_is_in_the_log_whatever_is_logged(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The command line logs nothing by default, and the client is told only that there was one."""
    names = ("", "amr_neo4j", "uvicorn.error")
    before = {name: logging.getLogger(name).level for name in names}
    logging.getLogger().setLevel(logging.CRITICAL)
    monkeypatch.setattr(Memory, "ask", lambda *_, **__: 1 / 0)
    try:
        log_faults()
        assert client.call("POST", "/ask", {"question": "Where?"}).status == 500
        until = time.monotonic() + 5
        while "ZeroDivisionError" not in caplog.text and time.monotonic() < until:
            time.sleep(0.05)
        assert "ZeroDivisionError" in caplog.text
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def test_the_openapi_document_is_up_to_date() -> None:
    assert OPENAPI.read_text("utf-8") == document(), "run: amr serve --openapi > docs/openapi.json"


@pytest.mark.parametrize("name", ["a%FFb", "%ED%A0%80", "%C0%AF"])
def test_an_address_that_is_no_text_is_refused_and_names_nothing_else(client: Client, name: str) -> None:
    for path in (f"/conversations/{name}", f"/facts?subject={name}"):
        assert "no UTF-8" in refusal(client.call("GET", path), 422)
    assert "no UTF-8" in refusal(client.call("DELETE", f"/conversations/{name}"), 422)


@pytest.mark.parametrize("name", ["a/b", "a\ufdd0b", "a\ufffeb", "a\U0001ffffb", "a\ufffdb"])
def test_any_character_of_a_name_stays_what_it_is(client: Client, name: str) -> None:
    """Also the code points that Unicode keeps for programs: no name becomes another one."""
    assert refusal(client.call("GET", f"/jobs/{quote(name, safe='')}"), 404) == f"no job {name}"


def test_an_argument_that_comes_twice_is_refused(client: Client) -> None:
    for query in ("group=home&group=office", "limit=1&limit=2", "user=anna&user=anna"):
        assert "given twice" in refusal(client.call("GET", f"/jobs?{query}"), 422)


def test_a_key_of_several_is_told_what_it_opens(server: Server) -> None:
    client, keys, _ = server
    text = keys.create(groups=["home", "office"], users=["anna", "ben"], now=datetime.now(UTC))[1]
    both = client.with_key(text)
    told = both.get("/key")
    assert told["key"]["groups"] == ["home", "office"] and (told["group"], told["user"]) == ("", "")
    assert both.get("/key", group="home", user="ben")["user"] == "ben"
    assert "several groups" in refusal(both.call("GET", "/jobs"), 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/ask", '{"question": "Where is the mug?", "question": "Where is the pot?"}'),
        ("/conversations/a/observe", '{"text": "I live in Rome.", "text": "I live in Oslo."}'),
        ("/conversations/a/inject", '{"messages": [{"role": "user", "content": "a", "content": "b"}]}'),
        ("/analytics/orphans", '{"params": {"a": 1, "a": 2}}'),
    ],
)
def test_a_name_that_comes_twice_in_a_body_is_refused(client: Client, path: str, body: str) -> None:
    """As in a query: one of the two values would be dropped without a word."""
    reply = client.call("POST", path, body.encode(), headers={"Content-Type": "application/json"})
    assert "given twice" in refusal(reply, 400)


def test_a_body_of_another_type_is_told_so(client: Client) -> None:
    body = b'{"text": "I like figs."}'
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        reply = client.call("POST", "/conversations/m/observe", body, headers={"Content-Type": kind})
        assert kind in refusal(reply, 415) and "Content-Type: application/json" in reply.json["hint"]
    for verb, path in (("POST", "/ask"), ("PATCH", f"/uploads/{'0' * 32}")):
        packed = client.call(verb, path, gzip.compress(body), headers={"Content-Encoding": "gzip"})
        assert "packed" in refusal(packed, 415)
    for none in ("", "Identity"):
        headers = {"Content-Encoding": none, "Content-Type": "application/json"}
        assert client.call("POST", "/conversations/m/observe", body, headers=headers).status == 200


def test_what_is_got_can_be_asked_for_its_head(client: Client) -> None:
    for path in ("/health/live", "/jobs", "/key"):
        reply = client.call("HEAD", path)
        assert reply.status == 200 and not reply.body, path


# Lists that a call returns whole: what bounds them.
BOUNDED = {
    "GET /events/{node_id}/around": "seconds before and after",
    "GET /analytics": "the saved queries",
    "GET /sources": "the live sources of the machine",
    "GET /alerts": "alerts that somebody keeps",
    "POST /conversations/{session_id}/inject": "the messages of the call",
    "POST /consolidate_all": "a report for each user",
    "POST /relocate": "a report for each film",
}


def test_every_list_has_pages_or_a_bound() -> None:
    """Also a document with lists, such as the episodes, if it says `next`."""
    api, whole = json.loads(document()), set[str]()
    for path, verbs in api["paths"].items():
        for verb, call in verbs.items():
            schema = call["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
            named = schema.get("$ref", "").rpartition("/")[2]
            takes = {each["name"] for each in call.get("parameters", ())}
            if body := call.get("requestBody", {}).get("content", {}).get("application/json"):
                takes |= api["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]["properties"].keys()
            if named.startswith("PageOf"):
                assert {"limit", "cursor"} <= takes, path
            elif schema.get("type") == "array":
                whole.add(f"{verb.upper()} {path.removeprefix('/api/v1')}")
    assert whole == BOUNDED.keys()


def test_errors_are_documented_as_the_problem_documents_that_they_are(client: Client) -> None:
    for body in (b"\xff", b"{", b"[1"):
        refusal(client.call("POST", "/ask", body, headers={"Content-Type": "application/json"}), 400)
    for path, verbs in json.loads(document())["paths"].items():
        for verb, call in verbs.items():
            errors = {status: reply for status, reply in call["responses"].items() if status >= "400"}
            assert "400" in errors
            given = [*(reply.get("content", {}) for reply in errors.values())]
            assert all(
                list(content) == ([] if verb == "head" else ["application/problem+json"]) for content in given
            ), path


@pytest.mark.parametrize(
    ("accept", "is_wanted"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("application/json, text/event-stream", True),
        ("text/event-stream;q=0.9, application/json;q=0.1", True),
        ("application/json, text/event-stream;q=0.5", False),
        ("application/json;charset=utf-8;q=0.8,text/event-stream ; Q=0.7", False),
        ("text/event-stream;q=0", False),
        ("application/json, text/event-stream;q=.5", False),
        ("*/*", False),
        ("", False),
        (";q=1,,text/event-stream;q=abc", True),
        pytest.param("a" * 200_000, False, id="long"),
    ],
)
def test_server_sent_events_are_for_those_who_prefer_them(accept: str, is_wanted: bool) -> None:
    assert _wants_events(accept) is is_wanted


def test_the_openapi_document_over_http_is_the_same(client: Client) -> None:
    assert client.get("/openapi.json") == json.loads(document())


def test_prometheus_is_told_numbers_and_no_names(server: Server, client: Client) -> None:
    assert client.call("POST", "/conversations/friday/observe", {"text": "I moved to Ghent."}).status == 200
    client.with_key("amr_nonsense").call("GET", "/facts")
    refusal(client.with_key(key_of(server[1], "home", "anna", ("read", "write"))).call("GET", "/metrics"), 403)
    text = client.call("GET", "/metrics").body.decode()
    observed = (
        'amr_request_seconds_count{method="POST",path="/api/v1/conversations/{session_id}/observe",status="200"}'
    )
    assert re.search(rf"(?m)^{re.escape(observed)} [1-9]", text)
    assert re.search(r'(?m)^amr_request_seconds_count\{method="GET",path="",status="401"\} [1-9]', text)
    assert re.search(r"(?m)^amr_turns_waiting [1-9]", text)
    assert re.search(r'(?m)^amr_jobs\{state="pending"\} ', text)
    assert re.search(r"(?m)^amr_ingest_lag_seconds \d", text)
    assert "amr_index_lag{" not in text, "the database is away"
    for private in ("anna", "Ghent", "friday", "home"):
        assert private not in text


def test_no_client_makes_series_of_metrics(client: Client) -> None:
    """Each would stay in the memory of the server, also for a client without a key."""
    for key in (client.key, ""):
        client.with_key(key).call("BREW", "/facts")
    text = client.call("GET", "/metrics").body.decode()
    assert "BREW" not in text and 'method="other"' in text


def test_a_file_that_cannot_be_read_hides_no_other_number(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def unusable(jobs: Jobs) -> list[str]:
        raise SpoolUnusable("the file is damaged")

    monkeypatch.setattr(Jobs, "recorded_groups", unusable)
    text = client.call("GET", "/metrics").body.decode()
    assert "amr_ingest_lag_seconds " not in text and re.search(r"(?m)^amr_jobs\{", text)


def test_the_lag_of_a_source_is_known_without_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[dict[str, Any]]()

    def status(memory: Memory, **given: Any) -> list[Any]:
        asked.append(given)
        return [SimpleNamespace(lag_s=1234.5)]

    monkeypatch.setattr(Jobs, "recorded_groups", lambda jobs: ["home"])
    monkeypatch.setattr(Memory, "status", status)
    monkeypatch.setattr(Jobs, "oldest", lambda jobs: None)
    assert "\namr_ingest_lag_seconds 1234.5\n" in client.call("GET", "/metrics").body.decode()
    assert asked == [{"from_disk": True}]


def test_an_upload_is_no_place_to_move_a_film_to(client: Client) -> None:
    """Deleting the upload would delete the film."""
    upload = client.call("POST", "/uploads", {"name": "film.mp4", "size": 4}).json["id"]
    assert client.call("PATCH", f"/uploads/{upload}", b"film", headers={"Upload-Offset": "0"}).status == 200
    moved = client.call("POST", "/relocate", {"old": "/films/a.mp4", "new": f"upload:{upload}"})
    assert "may not be read" in refusal(moved, 403)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("upload.json", True), ("a" * 200, True), ("é" * 127, True), ("é" * 128, False), (".upload.json", False)],
)
def test_an_upload_may_have_any_name_that_a_file_may_have(client: Client, name: str, is_one: bool) -> None:
    begun = client.call("POST", "/uploads", {"name": name, "size": 4})
    if not is_one:
        assert "is no name of a file" in refusal(begun, 422)
        return
    place = f"/uploads/{begun.json['id']}"
    assert client.call("PATCH", place, b"film", headers={"Upload-Offset": "0"}).status == 200
    assert client.get(place) == {"id": begun.json["id"], "name": name, "size": 4, "offset": 4}
    assert client.call("DELETE", place).status == 200
    assert client.call("GET", place).status == 404


def test_no_offset_is_said_before_its_bytes_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither that of a part that came whole nor that of one whose connection broke; nor is the upload itself."""
    on_disk: dict[int, int] = {}  # inode: its size when it was last synced

    def fsync(opened: int) -> None:
        on_disk[os.fstat(opened).st_ino] = os.fstat(opened).st_size

    async def parts(*, breaks: bool) -> AsyncIterator[bytes]:
        yield b"four"
        if breaks:
            raise ConnectionError

    monkeypatch.setattr(os, "fsync", fsync)
    uploads, owner = Uploads(tmp_path, 1.0), ("home", "anna")
    begun = uploads.begin(owner, "film.mp4", 12)
    there = {path.stat().st_ino: path for path in (tmp_path / "uploads", *(tmp_path / "uploads").rglob("*"))}
    assert [str(path) for inode, path in there.items() if inode not in on_disk and path.name != "film.mp4"] == []
    film = next(path for path in there.values() if path.name == "film.mp4")
    for breaks, size in ((False, 4), (True, 8)):
        with suppress(ConnectionError):
            asyncio.run(uploads.append(owner, begun.id, size - 4, parts(breaks=breaks)))
        assert uploads.upload(owner, begun.id).offset == size == on_disk[film.stat().st_ino]
