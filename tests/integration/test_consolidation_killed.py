"""A process that consolidates is killed, again and again: the digest is that of a quiet run."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import datetime, timedelta, timezone
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from amr_neo4j.store.read.digest import Digest
from tests.support.real_ingest import Environment, settle

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
# Prints a line once the run begins: until then there is nothing to kill.
_RUN = """
import sys
from datetime import datetime, timezone
from amr_neo4j import Memory
from amr_neo4j.store.write import fact_upkeep
fact_upkeep._AT_ONCE = 1
with Memory.open() as memory:
    memory._parts.embedder.embed(["warm"])
    print("begins", flush=True)
    report = memory.consolidate(user_id="anna", at=datetime(2026, 5, 1, tzinfo=timezone.utc))
    print(report.status, flush=True)
"""


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(neo4j_connection, group_id, monkeypatch)


def test_a_killed_run_is_finished_by_the_next(environment: Environment) -> None:
    _hold(kills=1, seed=3, environment=environment)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_thirty_kills_lose_no_source(environment: Environment) -> None:
    _hold(kills=30, seed=4, environment=environment)


def _hold(*, kills: int, seed: int, environment: Environment) -> None:
    moments, done = random.Random(seed), 0
    quiet = _talk(environment | {"AMR_GROUP": f"test-{uuid4()}"})
    assert _run(quiet[0], None) == "completed"
    while done < kills:
        group = _talk(environment | {"AMR_GROUP": f"test-{uuid4()}"})[0]
        while done < kills and _run(group, moments.uniform(0.0, 1.2)) == "killed":
            done += 1
        if _run(group, None):
            assert _digest(group) == _digest(quiet[0])


def _talk(environment: Environment) -> tuple[Environment, int]:
    """The environment, with turns of one user in its group."""
    said = [f"I like {a} {b}." for a in ("red", "green") for b in ("apples", "apple", "grapes", "pears", "the pears")]
    said += ["I love films.", "I like movies.", "I live in Porto.", "I love tea.", "I hate tea.", "I live in Ghent."]
    turns = [
        {"content": text, "actor": "user", "at": NINE + timedelta(minutes=n), "id": f"t{n}"}
        for n, text in enumerate(said)
    ]
    with Memory.open(group=environment["AMR_GROUP"]) as memory:
        assert memory.remember(turns, user_id="anna", session_id="s").committed == len(turns)
    return environment, len(turns)


def _run(environment: Environment, kill_after: float | None) -> str:
    """How a run ended; "killed" where it was, so many seconds after it began."""
    command = [sys.executable, "-c", _RUN]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begins\n"
        try:
            process.wait(kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            return "killed"
        return process.stdout.read().strip()


def _digest(environment: Environment) -> Digest:
    with Memory.open(group=environment["AMR_GROUP"]) as memory:
        return memory.digest()
