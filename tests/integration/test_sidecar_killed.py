"""A sidecar of its own process beside a real Neo4j: killed at any moment, it finds what the graph holds, no more."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Scope
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.counting_embedder import CountingEmbedder


def serve(there: Connection, data_dir: Path, port: int) -> subprocess.Popen[str]:
    """`amr sidecar serve`, once it listens."""
    environment = os.environ | {
        "NEO4J_URI": there.uri,
        "NEO4J_USERNAME": there.username,
        "NEO4J_PASSWORD": there.password,
        "AMR_DATA_DIR": str(data_dir),
    }
    command = [sys.executable, "-m", "amr_neo4j", "sidecar", "serve", "--port", str(port)]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert run.stderr
    line = run.stderr.readline()
    assert "listens on" in line, line
    return run


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def beside(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    """A memory whose dense search is in a sidecar on this port."""
    monkeypatch.setenv("AMR_DENSE", "sidecar")
    monkeypatch.setenv("AMR_SIDECAR_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AMR_SIDECAR_TOKEN", "secret")
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def answered(memory: Memory, scope: Scope) -> list[tuple[int, float]]:
    """What the sidecar that has just started finds: on a busy machine the first calls may end at their limit."""
    index, until = memory._parts.indexes.turns, time.monotonic() + 60
    while True:
        index.index._away_until = 0.0
        index.catch_up()
        hits = index.search(CountingEmbedder().embed(["turn"])[0], 1000, scope)
        if hits or time.monotonic() > until:
            return hits


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(1200)])])
def test_after_kills_it_finds_every_vector_and_none_that_is_gone(
    beside: Memory, neo4j_connection: Connection, tmp_path: Path, port: int, kills: int
) -> None:
    random_ = random.Random(kills)
    kept: set[str] = set()
    for n in range(kills):
        run = serve(neo4j_connection, tmp_path, port)
        for m in range(5):
            beside.remember([f"turn {n} {m}"], user_id="anna", session_id=f"s{n}")
            kept.add(f"turn {n} {m}")
            found(beside, f"turn {n} {m}")
        if n % 2:
            beside.forget(user_id="anna", session_id=f"s{n - 1}")
            kept -= {f"turn {n - 1} {m}" for m in range(5)}
        time.sleep(random_.random() * 0.2)
        run.send_signal(signal.SIGKILL)
        run.wait()
    run = serve(neo4j_connection, tmp_path, port)
    scope = Scope(beside.group_id, user_id="anna")
    hits = answered(beside, scope)
    events = beside._parts.turns.events([node for node, _ in hits], scope)
    assert {event.summary_text.removeprefix("user: ") for event in events} == kept
    assert len(hits) == len(kept)
    run.send_signal(signal.SIGTERM)
    assert run.wait(150) == 0


def test_without_it_questions_are_answered_by_words(beside: Memory) -> None:
    beside.remember(["The keys are on the hook."], user_id="anna", session_id="s")
    assert found(beside, "keys hook")
    assert beside._parts.indexes.of("episode").degraded


def found(memory: Memory, text: str) -> bool:
    return bool(memory.search(text, user_id="anna"))
