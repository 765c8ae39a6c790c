"""Killed and concurrent ingests leave the graph of one undisturbed run."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import KITCHEN, Environment, assert_same_as, epic_lines, forget, settle, started


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_few_kills_leave_no_trace(environment: Environment) -> None:
    """Two kills at seeded moments of an evening of the example household."""
    _hold(KITCHEN / "kitchen_evening.jsonl", kills=2, seed=467, environment=environment)


def test_concurrent_processes_write_what_one_writes(environment: Environment) -> None:
    """Four at once, two of them of the same video: the same digest, no gap, nothing twice."""
    _ingest(KITCHEN, environment)
    with Memory.open() as memory:
        quiet = memory.digest()
        forget(memory)
    videos = sorted(KITCHEN.glob("*.jsonl"))
    together = [started(video, environment) for video in [*videos, videos[0]]]
    assert [process.wait() for process in together] == [0] * len(together)
    with Memory.open() as memory:
        assert_same_as(quiet, memory)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_kills_of_a_long_ingest_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    """Twenty kills over the 17,841 records of EPIC-KITCHENS."""
    _hold(epic_lines(tmp_path), kills=20, seed=2, environment=environment)


def _hold(source: Path, *, kills: int, seed: int, environment: Environment) -> None:
    """Ingest undisturbed and hash; delete all; ingest under kills, finish, and compare."""
    quiet_s = _ingest(source, environment)
    with Memory.open() as memory:
        quiet = memory.digest()
        forget(memory)
    moments = random.Random(seed)
    done = [_ingest(source, environment, kill_after=moments.uniform(0.3, quiet_s * 4 / kills)) for _ in range(kills)]
    assert None in done, "no kill came in time to interrupt anything"
    _ingest(source, environment)
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        assert memory.ingest(source).committed == 0


def _ingest(source: Path, environment: Environment, kill_after: float | None = None) -> float | None:
    """Seconds that `amr ingest` took; None where it was killed, `kill_after` seconds from its start."""
    start = time.monotonic()
    with started(source, environment) as process:
        try:
            assert process.wait(timeout=kill_after) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return None
    return time.monotonic() - start
