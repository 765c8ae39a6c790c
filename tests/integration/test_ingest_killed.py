"""Ingests killed in the middle, and several at once: what comes out is what one quiet run gives."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.clients.models import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

ROOT = Path(__file__).parents[2]
KITCHEN = ROOT / "examples" / "kitchen"
EPIC = ROOT.parent / "shared" / "data" / "epic" / "events.jsonl.gz"
CONVERTER = ROOT / "examples" / "epic_kitchens" / "convert.py"

Environment = dict[str, str]


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Settings for the real command and for Memory alike, by the environment."""
    if not {status.name: status for status in installed(load())}["minilm"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    for name, value in {
        "NEO4J_URI": neo4j_connection.uri,
        "NEO4J_USERNAME": neo4j_connection.username,
        "NEO4J_PASSWORD": neo4j_connection.password,
        "AMR_GROUP": group_id,
    }.items():
        monkeypatch.setenv(name, value)
    return dict(os.environ)


def test_a_few_kills_leave_no_trace(environment: Environment) -> None:
    """Three kills at seeded moments of the example household."""
    _hold(KITCHEN, kills=3, seed=1, environment=environment)


def test_processes_side_by_side_write_what_one_writes(environment: Environment) -> None:
    """Four at once, two of them of the same video: the same digest, no gap, nothing twice."""
    _ingest(KITCHEN, environment)
    with Memory.open() as memory:
        quiet = memory.digest()
        _forget(memory)
    videos = sorted(KITCHEN.glob("*.jsonl"))
    together = [_started(video, environment) for video in [*videos, videos[0]]]
    assert [process.wait() for process in together] == [0] * len(together)
    with Memory.open() as memory:
        assert memory.digest() == quiet
        ids = _node_ids(memory)
        assert ids == list(range(ids[0], ids[0] + quiet.events))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_kills_of_a_long_ingest_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    """Twenty kills over the 17,841 records of EPIC-KITCHENS."""
    if not EPIC.exists():
        pytest.skip(f"{EPIC} is not there")
    lines = tmp_path / "epic.jsonl"
    with lines.open("w") as out:
        subprocess.run([sys.executable, str(CONVERTER), str(EPIC)], stdout=out, check=True)
    _hold(lines, kills=20, seed=2, environment=environment)


def _hold(source: Path, *, kills: int, seed: int, environment: Environment) -> None:
    """Ingest in peace and count; forget it all; ingest under kills, finish, and compare."""
    quiet_s = _ingest(source, environment)
    with Memory.open() as memory:
        quiet = memory.digest()
        _forget(memory)
    moments = random.Random(seed)
    done = [_ingest(source, environment, kill_after=moments.uniform(0.3, quiet_s * 4 / kills)) for _ in range(kills)]
    assert None in done, "no kill came in time to interrupt anything"
    _ingest(source, environment)
    with Memory.open() as memory:
        assert memory.digest() == quiet
        ids = _node_ids(memory)
        assert ids == list(range(ids[0], ids[0] + quiet.events))
        assert memory.ingest(source).committed == 0


def _ingest(source: Path, environment: Environment, kill_after: float | None = None) -> float | None:
    """Seconds that `amr ingest` took; None where it was killed, `kill_after` seconds from its start."""
    start = time.monotonic()
    with _started(source, environment) as process:
        try:
            assert process.wait(timeout=kill_after) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return None
    return time.monotonic() - start


def _started(source: Path, environment: Environment) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "amr_neo4j", "ingest", str(source)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def _forget(memory: Memory) -> None:
    _run(memory, "MATCH (n {group_id: $group_id}) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")


def _node_ids(memory: Memory) -> list[int]:
    return _run(memory, "MATCH (e:Event {group_id: $group_id}) RETURN e.node_id AS id ORDER BY id")


def _run(memory: Memory, statement: str) -> list[int]:
    with memory._database.session() as session:
        return [record[0] for record in session.run(statement, group_id=memory.group_id)]
