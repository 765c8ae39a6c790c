"""What every dense index promises, against brute force over the same vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from amr_neo4j.domain.ports import StoredVector, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.plain_vectors import PlainVectors, unit

DIM = 4
MODEL = "m"
SCOPES = [Scope("g"), Scope("g", ("v",)), Scope("g", ("v", "w")), Scope("h"), Scope("g\x00"), Scope("nobody")]

groups = st.sampled_from(["g", "h", "g\x00"])
videos = st.sampled_from(["v", "w"])
node_ids = st.integers(0, 5)  # few, so that they are often replaced and forgotten
directions = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=DIM, max_size=DIM).filter(any).map(unit)


def faiss_index(source: PlainVectors, folder: Path) -> FaissIndex:
    return FaissIndex(source, MODEL, DIM, folder / "event-m.npz")


INDEXES = [faiss_index]


@pytest.fixture(params=INDEXES)
def opened(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that opens the index over a source; again, as a second process would, from what was saved."""
    return lambda source: request.param(source, tmp_path)


def agrees(index: FaissIndex, source: PlainVectors, query: Vectors, k: int, scope: Scope) -> None:
    """The search finds the k nearest of the scope, each with its cosine, best first; ties in any order."""
    expected = source.nearest(query, k, scope)
    found = index.search(query, k, scope)
    cosines = source.cosines(query, scope)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-6)
    assert len({node_id for node_id, _ in found}) == len(found)
    assert all(score == pytest.approx(cosines[node_id], abs=1e-6) for node_id, score in found)


class AnyHistory(RuleBasedStateMachine):
    """Whatever was written, replaced and forgotten, and however often it was saved, rebuilt and opened again."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.source = PlainVectors()
        self.index = faiss_index(self.source, Path(self.folder.name))

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(node_id=node_ids, vector=directions)
    def write(self, node_id: int, vector: Vectors) -> None:
        owner = [("g", "v"), ("g", "w"), ("h", "v"), ("g\x00", "v")][node_id % 4]
        self.source.write(node_id, *owner, vector)

    @rule(node_id=node_ids)
    def forget(self, node_id: int) -> None:
        self.source.forget(node_id)

    @rule()
    def catch_up(self) -> None:
        self.index.catch_up()
        assert len(self.index) == len(self.source) and self.index.catch_up() == 0

    @rule()
    def rebuild(self) -> None:
        assert self.index.rebuild() == len(self.source)

    @rule(saved=st.booleans())
    def open_again(self, saved: bool) -> None:
        if saved:
            self.index.save()
        else:
            self.index.close()
        self.index = faiss_index(self.source, Path(self.folder.name))

    @rule(query=directions, k=st.integers(1, 15), scope=st.sampled_from(SCOPES))
    def search(self, query: Vectors, k: int, scope: Scope) -> None:
        agrees(self.index, self.source, query, k, scope)

    @rule(query=directions, asked=st.lists(st.integers(0, 7), max_size=8))
    def similarities(self, query: Vectors, asked: list[int]) -> None:
        self.index.catch_up()
        expected = {node_id: score for node_id, score in self.source.cosines(query).items() if node_id in asked}
        assert self.index.similarities(query, asked) == pytest.approx(expected, abs=1e-6)


AnyHistory.TestCase.settings = settings(max_examples=50, stateful_step_count=20)
TestAnyHistory = AnyHistory.TestCase


@pytest.fixture
def some() -> PlainVectors:
    source = PlainVectors()
    for node_id, vector in enumerate(random_vectors(50)):
        source.write(node_id, "g" if node_id % 2 else "h", f"v{node_id % 3}", vector)
    return source


def random_vectors(n: int, seed: int = 7) -> Iterator[Vectors]:
    rows = np.random.default_rng(seed).normal(size=(n, DIM))
    return (unit(row) for row in rows)


def test_a_search_catches_up_first(opened, some: PlainVectors) -> None:
    index = opened(some)
    query = unit([1, 2, 3, 4])
    agrees(index, some, query, 5, Scope("g"))
    some.write(99, "g", "v0", query)
    assert index.search(query, 1, Scope("g")) == [(99, pytest.approx(1.0))]


def test_a_scope_never_sees_another_group(opened, some: PlainVectors) -> None:
    found = opened(some).search(unit([1, 0, 0, 0]), 50, Scope("g"))
    assert {node_id % 2 for node_id, _ in found} == {1} and len(found) == 25


def test_more_than_a_page_is_taken_in(opened) -> None:
    """A first start reads the graph page by page, ids out of order, and loses nothing between pages."""
    source = PlainVectors()
    for n, vector in enumerate(random_vectors(12_000)):
        source.write((n * 7919) % 12_007, "g", f"v{n % 5}", vector)
    index = opened(source)
    assert index.catch_up() == 12_000 and len(index) == 12_000
    agrees(index, source, unit([1, -1, 0, 2]), 20, Scope("g", ("v1", "v4")))


def test_what_was_saved_is_not_read_again(opened, some: PlainVectors) -> None:
    index = opened(some)
    index.catch_up()
    index.save()
    some.write(99, "g", "v0", unit([1, 1, 1, 1]))
    again = opened(some)
    assert len(again) == 50 and again.catch_up() == 1


def test_rebuilding_forgets_a_snapshot_of_another_history(opened, some: PlainVectors) -> None:
    """The graph may be restored from a backup: then the snapshot is newer, and wrong."""
    index = opened(some)
    index.catch_up()
    index.save()
    restored = PlainVectors()
    restored.write(3, "g", "v0", unit([1, 0, 0, 0]))
    assert opened(restored).rebuild() == 1
    again = opened(restored)
    assert len(again) == 1
    agrees(again, restored, unit([1, 0, 0, 0]), 5, Scope("g"))


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[: len(raw) // 2], lambda raw: b"", lambda raw: raw[:-40] + b"x" * 40]
)
def test_a_damaged_snapshot_costs_a_read_of_the_graph(damage, some: PlainVectors, tmp_path: Path) -> None:
    index = faiss_index(some, tmp_path)
    index.catch_up()
    index.save()
    [path] = [path for path in tmp_path.iterdir() if path.suffix == ".npz"]
    path.write_bytes(damage(path.read_bytes()))
    again = faiss_index(some, tmp_path)
    assert len(again) == 0 and again.catch_up() == 50
    agrees(again, some, unit([3, 1, 0, 0]), 10, Scope("h"))


def test_a_snapshot_of_another_dimension_is_left_alone(some: PlainVectors, tmp_path: Path) -> None:
    index = faiss_index(some, tmp_path)
    index.catch_up()
    index.save()
    assert len(FaissIndex(PlainVectors(), MODEL, DIM + 1, tmp_path / "event-m.npz")) == 0


def test_an_empty_index_finds_nothing(opened) -> None:
    index = opened(PlainVectors())
    assert index.search(unit([1, 0, 0, 0]), 5, Scope("g")) == [] and index.similarities(unit([1, 0, 0, 0]), [1]) == {}
    index.save()
    assert len(opened(PlainVectors())) == 0


def test_an_older_index_does_not_overwrite_a_newer_snapshot(opened, some: PlainVectors) -> None:
    """Two processes: the one that fell behind saves last."""
    behind = opened(some)
    behind.catch_up()
    some.write(99, "g", "v0", unit([1, 1, 1, 1]))
    ahead = opened(some)
    ahead.catch_up()
    ahead.save()
    behind.save()
    assert len(opened(some)) == 51


def test_catching_up_goes_on_from_where_it_ended(some: PlainVectors, tmp_path: Path) -> None:
    """Only what was written since is asked for."""
    asked: list[int] = []

    class Watched(PlainVectors):
        def vectors_from(self, model: str, seq: int, limit: int) -> Sequence[StoredVector]:
            asked.append(seq)
            return some.vectors_from(model, seq, limit)

    index = faiss_index(Watched(), tmp_path)
    index.catch_up()
    index.catch_up()
    assert asked == [0, 50, 50]
