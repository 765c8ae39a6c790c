"""amr index plan: what fits where, from the constants of a table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from amr_neo4j.cli.main import app
from amr_neo4j.errors import InputError
from amr_neo4j.vectors.capacity import Machine, constants, plan

KNOWN = constants()
machines = st.builds(Machine, st.floats(1, 4096), st.integers(1, 256), st.floats(1, 200))


@given(st.integers(1, 10**12), st.integers(1, 4096), machines)
def test_every_shard_fits_and_one_fewer_would_not(vectors: int, dim: int, machine: Machine) -> None:
    for need in plan(vectors, dim, machine, known=KNOWN):
        places = [(machine.memory_gb, KNOWN.row_bytes + (need.vector_bytes if need.where == "memory" else 0))]
        places += [(machine.gpu_gb, need.vector_bytes)] * (need.where == "gpu")
        room = [gb * 1e9 * KNOWN.fillable for gb, _ in places]
        loaded = [-(-vectors // need.shards) * each for _, each in places]
        assert all(load <= most * 1.0001 for load, most in zip(loaded, room, strict=True))
        if need.shards > 1:
            fewer = [vectors / (need.shards - 1) * each for _, each in places]
            assert any(load > most * 0.999 for load, most in zip(fewer, room, strict=True))


@given(st.integers(1, 10**10), st.integers(1, 4096), machines)
def test_more_vectors_never_take_less_nor_answer_faster_on_one_machine(
    vectors: int, dim: int, machine: Machine
) -> None:
    for few, many in zip(
        plan(vectors, dim, machine, known=KNOWN), plan(2 * vectors, dim, machine, known=KNOWN), strict=True
    ):
        assert many.gb == pytest.approx(2 * few.gb)
        assert many.shards >= few.shards
        if few.searches_per_s and many.searches_per_s and few.shards == many.shards == 1:
            assert many.searches_per_s <= few.searches_per_s * 1.0001


def test_nothing_is_claimed_that_was_not_measured() -> None:
    for need in plan(10**6, 384, Machine(), known=KNOWN):
        assert (need.searches_per_s is None) == (need.where == "gpu")


def test_a_machine_too_small_for_one_vector_is_refused() -> None:
    with pytest.raises(InputError):
        plan(1, 65_536, Machine(memory_gb=0.0001), known=KNOWN)


def test_the_command_prints_each_kind() -> None:
    ran = CliRunner().invoke(app, ["index", "plan", "--events", "1e9", "--dim", "1024", "--json"])
    found = json.loads(ran.stdout)
    assert [each["kind"] for each in found] == [kind.name for kind in KNOWN.kinds]
    flat = found[0]
    assert flat["gb"] == pytest.approx((4 * 1024 + 8 + KNOWN.row_bytes) * 1e9 / 1e9)
