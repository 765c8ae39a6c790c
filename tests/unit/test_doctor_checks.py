"""What amr doctor reports of the server's version, and of dense indexes that differ in each way and kind."""

from __future__ import annotations

from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest
from filelock import FileLock

from amr_neo4j.cli.checks import dense, groups, index, served, version
from amr_neo4j.domain.views import GroupView
from amr_neo4j.errors import StoreError, StoreUnavailable
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load

NAMES = {"event": "", "episode": " of turns", "fact": " of facts"}


@dataclass
class Indexes:
    """The answers of a Memory whose index of one kind is wrong in one way. deep: only a full comparison finds it."""

    kind: str = ""
    way: str = ""

    def index_is_damaged(self, kind: str) -> bool:
        return (kind, "damaged") == (self.kind, self.way)

    def index_size(self, kind: str) -> tuple[int, int]:
        return (3, 4) if (kind, "size") == (self.kind, self.way) else (4, 4)

    def index_differs(self, kind: str, *, every: bool) -> int:
        return int(kind == self.kind and (self.way == "sampled" or (self.way == "deep" and every)))


def _memory(indexes: Indexes) -> Memory:
    return cast("Memory", indexes)


def test_equal_indexes_pass() -> None:
    memory = _memory(Indexes())
    shown = "as in the graph, all groups: vectors of 4 events, 4 turns, 4 facts"
    assert (index(memory), dense(memory)) == (shown, shown)


@pytest.mark.parametrize("indexes", [Indexes(kind, way) for kind in NAMES for way in ("damaged", "size", "sampled")])
def test_a_difference_is_reported(indexes: Indexes) -> None:
    said = {
        "damaged": f"the index file{NAMES[indexes.kind]} cannot be read",
        "size": f"3 vectors{NAMES[indexes.kind]} in the index, 4 in the graph",
        "sampled": f"1 vectors{NAMES[indexes.kind]} of a sample differ from those in the graph",
    }[indexes.way]
    with pytest.raises(StoreError) as raised:
        index(_memory(indexes))
    assert (raised.value.message, raised.value.hint) == (said, "run: amr index rebuild")


@pytest.mark.parametrize("indexes", [Indexes(kind, "deep") for kind in NAMES])
def test_what_no_sample_finds_is_found_by_comparing_all(indexes: Indexes) -> None:
    assert index(_memory(indexes))
    with pytest.raises(StoreError, match=f"^1 vectors{NAMES[indexes.kind]} differ"):
        dense(_memory(indexes))


@dataclass
class Server:
    """The answers of a Memory on a server that calls itself so."""

    agent: str

    def server(self) -> str:
        return self.agent


@pytest.mark.parametrize("agent", ["Neo4j/4.4.40", "Neo4j/5.23.0", "Memgraph/2.1"])
def test_an_unsupported_server_version_fails(agent: str) -> None:
    with pytest.raises(StoreError) as raised:
        version(cast("Memory", Server(agent)))
    assert raised.value.message == f"{agent}; Neo4j 5.26 or newer is required"
    assert (raised.value.hint, raised.value.exit_code) == ("upgrade to Neo4j 5.26 or newer", 70)


@pytest.mark.parametrize(
    ("agent", "shown"),
    [("Neo4j/5.26.0", "Neo4j/5.26"), ("Neo4j/5.27-aura", "Neo4j/5.27"), ("Neo4j/2025.10.1", "Neo4j/2025.10")],
)
def test_supported_server_versions_pass(agent: str, shown: str) -> None:
    assert version(cast("Memory", Server(agent))) == f"{shown}, 5.26 or newer"


def _answering(status: int, body: bytes) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Answering


@pytest.mark.parametrize(
    ("status", "body", "found"),
    [
        (200, b'{"status": "ready"}', "is ready"),
        (200, b"<html>another program</html>", "does not answer as amr serve"),
        (200, b"7", "does not answer as amr serve"),
        (503, b'{"detail": "the database is away"}', "not ready: the database is away"),
    ],
)
def test_a_running_server_is_asked(status: int, body: bytes, found: str, tmp_path: Path) -> None:
    own = load(data_dir=tmp_path)
    with FileLock(tmp_path / "serve.lock"), HTTPServer(("127.0.0.1", 0), _answering(status, body)) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        if status == 200:
            assert found in served(own, server.server_port)
        else:
            with pytest.raises(StoreUnavailable, match=found):
                served(own, server.server_port)
        thread.join()
    assert "none is needed" in served(load(), server.server_port)


def test_a_server_of_another_data_folder_is_no_fault_of_this_one(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), _answering(503, b'{"detail": "the database is away"}')) as server:
        for _ in "absent", "left over":
            thread = Thread(target=server.handle_request)
            thread.start()
            assert "of another data folder, is not ready" in served(load(data_dir=tmp_path), server.server_port)
            thread.join()
            (tmp_path / "serve.lock").touch()


def test_groups_that_an_earlier_version_stored_under_another_form_are_named() -> None:
    """Every call composes the name of a group (NFC), so that none finds them."""
    held = {"videos": 1, "events": 1, "users": 0, "turns": 0, "facts": 0}
    found = [GroupView(group_id=name, **held) for name in ("home", "Cafe\u0301")]
    memory = cast(Any, SimpleNamespace(groups=lambda **_: found))
    assert groups(memory).endswith("not found under their names (no NFC): Cafe\u0301")
    found.pop()
    assert groups(memory) == "home (1 event)"
