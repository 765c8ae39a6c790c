"""A process that stores turn by turn is killed: acknowledged turns are stored, once, in order."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import Environment, settle

# Prints each turn's id once `remember` has returned; continues from the given number.
_TALK = """
import sys
from amr_neo4j import Memory
with Memory.open() as memory:
    for number in range(int(sys.argv[1]), 100_000):
        report = memory.remember([{"content": f"turn {number}", "id": f"t{number}"}], user_id="anna", session_id="s")
        assert report.rejected == 0, report
        print(*report.episodes, flush=True)
"""


@pytest.fixture
def environment(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Environment:
    monkeypatch.setenv("AMR_DATA_DIR", str(tmp_path))
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_kill_loses_nothing_that_was_acknowledged(environment: Environment) -> None:
    _hold(kills=2, seed=5, environment=environment)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_twenty_kills_lose_nothing_that_was_acknowledged(environment: Environment) -> None:
    _hold(kills=20, seed=6, environment=environment)


def _hold(*, kills: int, seed: int, environment: Environment) -> None:
    moments = random.Random(seed)
    acknowledged: list[str] = []
    for _ in range(kills):
        acknowledged += _talk(len(acknowledged), moments.uniform(0.0, 0.5), environment)
        with Memory.open() as memory:
            turns = memory.conversation("s", user_id="anna")
            assert memory._parts.turn_spool().waiting(memory.group_id, 9) == []
        there = [turn.episode_id for turn in turns]
        # One more may be stored than was acknowledged: the process was killed before it could print it.
        assert there[: len(acknowledged)] == acknowledged
        assert len(there) <= len(acknowledged) + 1
        assert [turn.turn for turn in turns] == list(range(len(there)))
        acknowledged = there
    assert len(acknowledged) > kills


def _talk(start: int, kill_after: float, environment: Environment) -> list[str]:
    """The ids acknowledged before the kill, `kill_after` seconds from the first."""
    command = [sys.executable, "-c", _TALK, str(start)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        first = process.stdout.readline()
        time.sleep(kill_after)
        process.kill()
        return (first + process.stdout.read()).split()
