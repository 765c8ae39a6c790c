"""The contract of a dense index, against brute force over the same vectors."""

# ruff: noqa: F811 - fixtures that the contract brings

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from amr_neo4j.domain.ports import StoredVector, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.gpu import GpuCopy, first_gpu, has_gpu
from tests.support.dense_contract import (  # noqa: F401 - the contract, over the fixtures of this file
    DIM,
    MODEL,
    AnyHistory,
    agrees,
    fresh,
    random_vectors,
    some,
    test_a_scope_never_sees_another_group,
    test_a_scope_of_persons_asks_the_graph_for_the_events,
    test_a_search_catches_up_first,
    test_an_empty_index_finds_nothing,
    test_an_invalid_vector_spoils_no_search,
    test_an_older_index_does_not_overwrite_a_newer_snapshot,
    test_events_created_later_are_not_known_yet,
    test_rebuilding_discards_a_snapshot_of_another_history,
    test_saved_vectors_are_not_read_again,
)
from tests.support.examples import examples
from tests.support.plain_vectors import PlainVectors, unit
from tests.support.sidecar import sidecar_index

# Above ten vectors the index uses cells in these tests; it is approximate only among thousands.
CELLS_ABOVE = 10


def faiss_index(source: PlainVectors, folder: Path) -> FaissIndex:
    return FaissIndex(source, MODEL, DIM, path=folder / "event-m.npz")


def faiss_index_in_cells(source: PlainVectors, folder: Path) -> FaissIndex:
    """Searches cells also in groups that are so small that they would be searched exhaustively."""
    return FaissIndex(source, MODEL, DIM, path=folder / "event-m.npz", flat_up_to=CELLS_ABOVE, small_group=0)


@cache
def _to_gpu() -> Callable[[Any], Any]:
    """Where FAISS sees no GPU, its index in memory stands in for the one on a GPU, which has the same calls."""
    return first_gpu() if has_gpu() else lambda index: index


def faiss_index_on_gpu(source: PlainVectors, folder: Path) -> FaissIndex:
    gpu = GpuCopy(_to_gpu(), 10**6, least=1)
    return FaissIndex(source, MODEL, DIM, path=folder / "event-m.npz", flat_up_to=CELLS_ABOVE, small_group=0, gpu=gpu)


# Each with the precision of its cosines.
INDEXES = [(faiss_index, 1e-6), (faiss_index_in_cells, 5e-3), (sidecar_index, 1e-6), (faiss_index_on_gpu, 5e-3)]


@pytest.fixture(params=[opening for opening, _ in INDEXES])
def opened(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that opens the index over a source; again: as a second process, from the saved snapshot."""
    return lambda source: request.param(source, tmp_path)


class AnyHistoryFlat(AnyHistory):
    """Searched exhaustively."""

    opening, exact = INDEXES[0]


class AnyHistoryInCells(AnyHistory):
    """The same with cells."""

    opening, exact = INDEXES[1]


class AnyHistoryInASidecar(AnyHistory):
    """The same over a socket."""

    opening, exact = INDEXES[2]


class AnyHistoryOnAGpu(AnyHistory):
    """The same with a copy that a GPU would hold."""

    opening, exact = INDEXES[3]


for machine in (AnyHistoryFlat, AnyHistoryInCells, AnyHistoryInASidecar, AnyHistoryOnAGpu):
    machine.TestCase.settings = examples(push=15, soak=500, stateful_step_count=20)
TestAnyHistory = AnyHistoryFlat.TestCase
TestAnyHistoryInCells = AnyHistoryInCells.TestCase
TestAnyHistoryInASidecar = AnyHistoryInASidecar.TestCase
TestAnyHistoryOnAGpu = AnyHistoryOnAGpu.TestCase


@pytest.mark.parametrize("opening", [faiss_index, faiss_index_in_cells])
def test_a_failure_between_pages_leaves_the_index_intact(opening, tmp_path: Path) -> None:
    """Pages before the failure are kept, also for a scope searched before; the next call loads the rest."""
    source = PlainVectors()
    source.write(0, "g", "v", unit([1, 0, 0, 0]))
    index, pages = opening(source, tmp_path), source.vectors_from
    assert len(fresh(index).search(unit([1, 0, 0, 0]), 5, Scope("g"))) == 1
    for node_id, vector in enumerate(random_vectors(30), start=1):
        source.write(node_id, "g", "v", vector)
    answers = iter([pages(MODEL, 1, 20), StoreUnavailable("gone"), *[StoreUnavailable("gone")] * 2])

    def failing(model: str, seq: int, limit: int) -> list[StoredVector]:
        answer = next(answers, None) or pages(model, seq, limit)
        if isinstance(answer, StoreUnavailable):
            raise answer
        return answer

    source.vectors_from = failing
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            fresh(index).search(unit([1, 0, 0, 0]), 5, Scope("g"))
    agrees(index, source, unit([1, -1, 0, 0]), 40, Scope("g"))


def test_several_pages_are_loaded(opened) -> None:
    """A first start reads the graph page by page, ids out of order, and loses nothing between pages."""
    source = PlainVectors()
    for n, vector in enumerate(random_vectors(12_000)):
        source.write((n * 7919) % 12_007, "g", f"v{n % 5}", vector)
    index = opened(source)
    assert index.catch_up() == 12_000 and len(index) == 12_000
    agrees(index, source, unit([1, -1, 0, 2]), 20, Scope("g", ("v1", "v4")))


@pytest.mark.parametrize("events", [6, 16])
def test_replaced_vectors_are_released(events: int, tmp_path: Path) -> None:
    """Rewritten forty times, flat or in cells, the index holds at most four times the live vectors."""
    source = PlainVectors()
    index, vectors = faiss_index_in_cells(source, tmp_path), random_vectors(40 * events)
    for _ in range(40):
        for node_id in range(events):
            source.write(node_id, "g", "v", next(vectors))
        agrees(index, source, unit([1, -1, 0, 2]), events, Scope("g"))
        assert len(index) == events and len(index._cells) <= 4 * events


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[: len(raw) // 2], lambda raw: b"", lambda raw: raw[:-40] + b"x" * 40]
)
def test_a_damaged_snapshot_is_rebuilt_from_the_graph(damage, some: PlainVectors, tmp_path: Path) -> None:
    index = faiss_index(some, tmp_path)
    index.catch_up()
    index.save()
    [path] = [path for path in tmp_path.iterdir() if path.suffix == ".npz"]
    path.write_bytes(damage(path.read_bytes()))
    again = faiss_index(some, tmp_path)
    assert len(again) == 0 and again.catch_up() == 50
    agrees(again, some, unit([3, 1, 0, 0]), 10, Scope("h"))


def test_a_snapshot_of_another_dimension_is_not_overwritten(some: PlainVectors, tmp_path: Path) -> None:
    index = faiss_index(some, tmp_path)
    index.catch_up()
    index.save()
    assert len(FaissIndex(PlainVectors(), MODEL, DIM + 1, path=tmp_path / "event-m.npz")) == 0


def test_catching_up_resumes_where_it_ended(some: PlainVectors, tmp_path: Path) -> None:
    """Only later writes are requested."""
    asked: list[int] = []

    class Watched(PlainVectors):
        def vectors_from(self, model: str, seq: int, limit: int) -> Sequence[StoredVector]:
            asked.append(seq)
            return some.vectors_from(model, seq, limit)

    index = faiss_index(Watched(), tmp_path)
    index.catch_up()
    index.catch_up()
    assert asked == [0, 50, 50]


CLUSTERED = 40_000
QUESTIONS = 200
WIDE = 32


class Clustered:
    """A VectorSource: vectors around 1,500 directions, of two groups; what is near is of one video."""

    def __init__(self) -> None:
        random = np.random.default_rng(3)
        self.kind = random.integers(1500, size=CLUSTERED)
        self.vectors = _units(random.normal(size=(1500, WIDE))[self.kind] + random.normal(size=(CLUSTERED, WIDE)) / 2)
        self.group = np.where(np.arange(CLUSTERED) % 4 == 0, "h", "g")
        about = _units(self.vectors[random.integers(CLUSTERED, size=(3, QUESTIONS))].sum(axis=0))
        self.questions = np.concatenate([about, _units(random.normal(size=(QUESTIONS, WIDE)))])

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        rows = range(seq, min(seq + limit, CLUSTERED))
        return [
            StoredVector(n, n, str(self.group[n]), f"v{self.kind[n] % 6}", self.vectors[n].tobytes(), n, n + 1)
            for n in rows
        ]


def _units(rows: Vectors) -> Vectors:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Clustered, FaissIndex]:
    source = Clustered()
    index = FaissIndex(
        source, MODEL, WIDE, path=tmp_path_factory.mktemp("clustered") / "event-m.npz", flat_up_to=8000
    )
    index.catch_up()
    return source, index


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        (Scope("g"), lambda source: source.group == "g"),
        (Scope("h"), lambda source: source.group == "h"),
        (Scope("g", ("v1", "v2")), lambda source: (source.group == "g") & np.isin(source.kind % 6, (1, 2))),
        (Scope("g", as_of=20_000), lambda source: (source.group == "g") & (np.arange(CLUSTERED) < 20_000)),
    ],
)
def test_cells_find_nearly_all_of_the_ten_nearest(clustered, scope: Scope, inside) -> None:
    """Recall@10 against brute force is at least 0.95 in every scope, also for queries unlike any vector."""
    source, index = clustered
    rows = np.flatnonzero(inside(source))
    nearest = rows[np.argsort(-(source.questions @ source.vectors[rows].T), axis=1)[:, :10]]
    found = [{node_id for node_id, _ in fresh(index).search(question, 10, scope)} for question in source.questions]
    assert np.mean([len(ids & set(best)) / 10 for ids, best in zip(found, nearest.tolist(), strict=True)]) >= 0.95


def test_cells_are_restored_from_disk_unchanged(clustered) -> None:
    source, index = clustered
    index.save()
    again = FaissIndex(source, MODEL, WIDE, path=index._path)
    assert len(again) == CLUSTERED and again.catch_up() == 0
    for question in source.questions[::20]:
        assert again.search(question, 10, Scope("h")) == fresh(index).search(question, 10, Scope("h"))
