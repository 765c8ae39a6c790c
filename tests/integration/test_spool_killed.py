"""Runs with every model fault and with kills leave the graph of an undisturbed run, each call paid once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.localdb import Connection
from tests.support.film_run import AT_ONCE, CLIP_SEC, Run, settle_models
from tests.support.films import pattern
from tests.support.graph_edges import edges_of, indices_of
from tests.support.merging import next_id, nodes_of, plain_nodes
from tests.support.merging_witness import MergingWitness
from tests.support.model_film import FAULTS, FilmModel
from tests.support.model_server import ModelServer
from tests.support.plain_graph import PlainGraph
from tests.support.real_ingest import Environment, Quiet, assert_same_as, forget, settle

RATES = dict.fromkeys(FAULTS, 0.05)


@pytest.fixture
def environment(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Environment:
    settle_models(tmp_path, monkeypatch)
    return settle(neo4j_connection, group_id, monkeypatch)


@pytest.fixture
def merging(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """The same, with merging on."""
    monkeypatch.setenv("MERGE_EVENTS_ENABLED", "true")
    return {**environment, "MERGE_EVENTS_ENABLED": "true"}


def test_a_kill_and_every_fault_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    _hold(tmp_path, environment, clips=12, kills=1, seed=7)


@pytest.mark.soak
def test_a_kill_and_every_fault_leave_no_trace_with_merging(merging: Environment, tmp_path: Path) -> None:
    """No event is lost, no id has a gap, and every edge is that of the plain dictionaries."""
    _hold(tmp_path, merging, clips=12, kills=1, seed=7)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_three_kills_of_720_clips_leave_no_trace(environment: Environment, tmp_path: Path) -> None:
    _hold(tmp_path, environment, clips=720, kills=3, seed=8)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_three_kills_of_720_merged_clips_leave_no_trace(merging: Environment, tmp_path: Path) -> None:
    _hold(tmp_path, merging, clips=720, kills=3, seed=8)


def _hold(folder: Path, environment: Environment, *, clips: int, kills: int, seed: int) -> None:
    """Analyse undisturbed and hash; delete all; analyse among faults and kills, finish, and compare."""
    film = pattern(folder / "film.mp4", clips * CLIP_SEC)
    with ModelServer(FilmModel()) as server:
        provider = {"provider": server.url}
        with Memory.open(analyse=provider, refine=provider) as memory:
            witness = MergingWitness(memory) if memory.settings.merge_events_enabled else None
            assert memory.ingest(film).committed == clips
            quiet = Quiet.of(memory)
            if witness:
                _assert_as_the_dictionaries(memory, witness)
            forget(memory)
    model, moments = FilmModel(RATES, seed), random.Random(seed)
    with ModelServer(model) as server:
        run = Run.asking(server.url, film, model, environment)
        share = clips // (kills + 1)
        assert all(run.killed(share, moments.uniform(0.0, 0.1)) for _ in range(kills)), "one ended before its kill"
        run.to_the_end()
    with Memory.open() as memory:
        assert_same_as(quiet, memory)
        assert memory._parts.clip_spool().waiting(memory.group_id) == {}
    assert len(model.said) == clips
    paid_twice = sum(model.said.values()) - clips
    assert paid_twice <= kills * AT_ONCE, "a kill may cost the calls that were under way"


def _assert_as_the_dictionaries(memory: Memory, witness: MergingWitness) -> None:
    model, database, group_id = witness.model, memory._parts.database, memory.group_id
    first = next_id(database) - model.next_node_id
    assert model.merged_into, "nothing was merged"
    assert nodes_of(database, group_id, first) == plain_nodes(model)
    live: list[ComposedClip] = model.live_clips()
    plain = PlainGraph(live, memory.settings.entity_jump_gap_sec)
    assert edges_of(database, group_id) == plain.edges()
    assert indices_of(database, group_id) == (plain.person_index(), plain.object_index())
