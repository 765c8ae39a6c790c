"""Plans the memory, machines and searches per second that each kind of index needs for a number of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

from amr_neo4j.errors import InputError
from amr_neo4j.tables import Table, shipped

_GB = 10**9


class IndexKind(BaseModel):
    """A kind of index.

    vectors_per_s: how many one core compares at measured_dim; None if that was not measured.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    where: Literal["memory", "gpu"]
    bytes_per_number: PositiveFloat
    extra_bytes: int
    vectors_per_s: PositiveInt | None
    cells: bool
    recall: str
    built_in: str


class Constants(Table):
    """capacity.yaml, whose head explains its keys."""

    fillable: float
    row_bytes: int
    measured_dim: int
    visited_share: float
    visited_at_least: int
    kinds: tuple[IndexKind, ...]


@dataclass(frozen=True)
class Machine:
    """One of the equal machines that share the vectors.

    memory_gb, gpu_gb: in units of 10^9 bytes.
    cores: how many of them search.
    """

    memory_gb: float = 64.0
    cores: int = 16
    gpu_gb: float = 80.0

    def __post_init__(self) -> None:
        if not (self.memory_gb > 0 and self.cores > 0 and self.gpu_gb > 0):
            raise InputError("a machine has memory, cores and GPU memory", hint="pass numbers above 0")


@dataclass(frozen=True)
class Need:
    """What one kind of index needs.

    vector_bytes: the bytes of one vector, without its row_bytes.
    gb: the gigabytes of all vectors.
    shards: how many machines.
    searches_per_s: the upper bound for all machines together, if searches do nothing but compare vectors; None if
        that was not measured.
    """

    kind: str
    where: str
    vector_bytes: float
    gb: float
    shards: int
    searches_per_s: float | None
    recall: str
    built_in: str


constants = shipped("amr_neo4j.vectors", "capacity.yaml", Constants)
"""Returns the constants of capacity.yaml."""


def plan(vectors: int, dim: int, machine: Machine, *, known: Constants) -> list[Need]:
    """Return what each kind of index needs for this number of vectors.

    Raises InputError: `vectors` or `dim` is not positive, or a machine has no room for a single vector.
    """
    if vectors < 1 or dim < 1:
        raise InputError("nothing to plan for", hint="pass --events and --dim above 0")
    return [_need(vectors, dim, machine, kind=kind, known=known) for kind in known.kinds]


def _need(vectors: int, dim: int, machine: Machine, *, kind: IndexKind, known: Constants) -> Need:
    each = kind.bytes_per_number * dim + kind.extra_bytes
    on_gpu = kind.where == "gpu"
    fits = _fitting(machine.memory_gb, known.row_bytes + (0 if on_gpu else each), known)
    # The vectors lie on the GPU and what is known of each row in memory, so both limit the number.
    if on_gpu:
        fits = min(fits, _fitting(machine.gpu_gb, each, known))
    if fits < 1:
        raise InputError(f"a vector of {dim} d does not fit into such a machine", hint="plan with more memory")
    shards = ceil(vectors / fits)
    rate = _searches_per_s(ceil(vectors / shards), dim, machine.cores, kind=kind, known=known)
    gb = vectors * (each + (0 if on_gpu else known.row_bytes)) / _GB
    return Need(
        kind=kind.name,
        where=kind.where,
        vector_bytes=each,
        gb=gb,
        shards=shards,
        searches_per_s=rate,
        recall=kind.recall,
        built_in=kind.built_in,
    )


def _fitting(gb: float, each: float, known: Constants) -> int:
    return floor(gb * _GB * known.fillable / each)


def _searches_per_s(in_shard: int, dim: int, cores: int, *, kind: IndexKind, known: Constants) -> float | None:
    """Return the searches per second; None if the kind was not measured.

    Every search asks all shards at once, so together they answer as many searches as one shard.
    """
    if kind.vectors_per_s is None:
        return None
    visited = in_shard
    if kind.cells:
        visited = min(in_shard, max(known.visited_at_least, int(known.visited_share * in_shard)))
    return cores * kind.vectors_per_s * known.measured_dim / dim / visited
