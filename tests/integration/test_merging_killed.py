"""Killed and concurrent ingests with merging leave the graph of one undisturbed run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import (
    KITCHEN,
    Environment,
    Quiet,
    assert_same_as,
    epic_lines,
    forget,
    killed,
    settle,
    started,
    take_in,
)


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Limits so wide that many events merge."""
    monkeypatch.setenv("MERGE_EVENTS_ENABLED", "true")
    monkeypatch.setenv("MERGE_TIME_GAP_THRESHOLD", "15")
    monkeypatch.setenv("MERGE_SIM_THRESHOLD", "0.4")
    return settle(neo4j_connection, group_id, monkeypatch)


@pytest.mark.timeout(900)  # a server that was just started plans its largest statements first, some of them again
def test_a_kill_in_the_middle_of_merging_leaves_no_trace(environment: Environment) -> None:
    """A kill while clips are merged: the digest is equal, no id is lost, and the index is complete."""
    _hold(KITCHEN / "kitchen_evening.jsonl", kills=1, seed=3, environment=environment)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_concurrent_processes_merge_as_one_does(environment: Environment) -> None:
    """Three at once on one video: each reads again after a commit of another."""
    [video, *_] = sorted(KITCHEN.glob("*.jsonl"))
    take_in(video)
    quiet = _quiet()
    together = [started(video, environment) for _ in range(3)]
    assert [process.wait() for process in together] == [0, 0, 0]
    _assert_same(quiet)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_kills_of_a_long_ingest_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    """Twenty kills over the 17,841 records of EPIC-KITCHENS, merged."""
    _hold(epic_lines(tmp_path), kills=20, seed=4, environment=environment)


def _hold(source: Path, *, kills: int, seed: int, environment: Environment) -> None:
    take_in(source)
    quiet = _quiet()
    moments = random.Random(seed)
    done = [killed(source, environment, after=moments.uniform(0.1, 1.0)) for _ in range(kills)]
    assert any(done), "no kill came in time to interrupt anything"
    take_in(source)
    _assert_same(quiet)
    with Memory.open() as memory:
        assert memory.ingest(source).committed == 0


def _quiet() -> Quiet:
    """The digest of an undisturbed run, with many merges; its group is deleted afterwards."""
    with Memory.open() as memory:
        quiet = Quiet.of(memory)
        assert memory.stats().merged > 5
        forget(memory)
        return quiet


def _assert_same(quiet: Quiet) -> None:
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        live = memory._parts.database.driver.execute_query(
            "MATCH (e:Event {group_id: $group_id}) RETURN collect(e.node_id) AS ids", group_id=memory.group_id
        ).records[0]["ids"]
        found = memory.search("Anna cup keys", limit=99)
        assert found and {hit.event.node_id for hit in found} <= set(live)
