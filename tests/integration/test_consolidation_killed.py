"""A process that consolidates is killed, again and again: the digest is that of a quiet run."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from amr_neo4j.store.read.digest import Digest
from tests.support.real_ingest import Environment, settle

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
_SAID = [f"I like {a} {b}." for a in ("red", "green") for b in ("apples", "apple", "grapes", "pears", "the pears")]
_SAID += ["I love films.", "I like movies.", "I live in Porto.", "I love tea.", "I hate tea.", "I live in Ghent."]
# Prints a line in each transaction that writes, so that a slow machine is killed at as many places as a fast one.
_RUN = """
import sys
import time
from datetime import UTC, datetime
from amr_neo4j import Memory
from amr_neo4j.store.write import fact_upkeep
fact_upkeep._UNITS_PER_COMMIT = 1
hold = fact_upkeep.FactUpkeep._hold
def announced(self, *arguments):
    print("writes", flush=True)
    return hold(self, *arguments)
fact_upkeep.FactUpkeep._hold = announced
with Memory.open() as memory:
    report = memory.consolidate(user_id="anna", at=datetime(2026, 5, 1, tzinfo=UTC))
    print(report.status, flush=True)
"""


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(neo4j_connection, group_id, monkeypatch)


@pytest.mark.soak
def test_a_killed_run_is_finished_by_the_next(environment: Environment) -> None:
    _hold(_SAID[-8:], kills=1, seed=3, environment=environment)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_thirty_kills_lose_no_source(environment: Environment) -> None:
    _hold(_SAID, kills=30, seed=4, environment=environment)


def _hold(said: Sequence[str], *, kills: int, seed: int, environment: Environment) -> None:
    moments, done, latest = random.Random(seed), 0, len(said) * 2
    quiet = _talk(said, environment | {"AMR_GROUP": f"test-{uuid4()}"})
    assert _run(quiet[0]) == "completed"
    while done < kills:
        group = _talk(said, environment | {"AMR_GROUP": f"test-{uuid4()}"})[0]
        while done < kills and _run(group, moments.randint(1, latest), moments.uniform(0, 0.03)) == "killed":
            done += 1
        if _run(group):
            assert _digest(group) == _digest(quiet[0])


def _talk(said: Sequence[str], environment: Environment) -> tuple[Environment, int]:
    """The environment, with turns of one user in its group."""
    turns = [
        {"content": text, "actor": "user", "at": NINE + timedelta(minutes=n), "id": f"t{n}"}
        for n, text in enumerate(said)
    ]
    with Memory.open(group=environment["AMR_GROUP"]) as memory:
        assert memory.remember(turns, user_id="anna", session_id="s").committed == len(turns)
    return environment, len(turns)


def _run(environment: Environment, writes: int = 0, seconds: float = 0.0) -> str:
    """How a run ended; "killed" if it was, which is so many seconds after its n-th writing transaction (0: never)."""
    command = [sys.executable, "-c", _RUN]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for number, line in enumerate(process.stdout, 1):
            if line != "writes\n":
                return line.strip()
            if number == writes:
                time.sleep(seconds)
                process.kill()
                return "killed"
    return f"ended with {process.returncode}"


def _digest(environment: Environment) -> Digest:
    with Memory.open(group=environment["AMR_GROUP"]) as memory:
        return memory.digest()
