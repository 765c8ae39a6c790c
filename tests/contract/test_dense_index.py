"""The contract of a dense index, against brute force over the same vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from amr_neo4j.domain.ports import StoredVector, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.gpu import GpuCopy
from tests.support.examples import examples
from tests.support.plain_vectors import PlainVectors, unit
from tests.support.sidecar import sidecar_index

DIM = 4
MODEL = "m"
# Above ten vectors the index uses cells in these tests; it is approximate only among thousands.
CELLS_ABOVE = 10

groups = st.sampled_from(["g", "h", "g\x00", "nobody"])
owners = st.sampled_from([("g", "v"), ("g", "w"), ("h", "v"), ("g\x00", "v")])
node_ids = st.integers(0, 15)  # few, so that they are often replaced and removed
directions = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=DIM, max_size=DIM).filter(any).map(unit)
seconds = st.sampled_from([0.0, 1.0, 2.0, 2.5, 4.0])
instants = seconds.map(lambda second: 1_700_000_000 + second)
wall_clock = instants.map(lambda instant: datetime.fromtimestamp(instant, timezone.utc))
moments = st.none() | seconds | wall_clock


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    videos = draw(st.sampled_from([(), ("v",), ("v", "w"), ("nowhere",)]))
    bounds = {name: draw(moments) for name in ("since", "until", "as_of")}
    try:
        return Scope(draw(groups), videos, known_at=draw(st.none() | wall_clock), **bounds)
    except ValueError:
        reject()


@st.composite
def events(draw: st.DrawFn) -> dict:
    """The metadata of a vector's event, in any combination."""
    start, end = sorted(draw(st.tuples(seconds, seconds)))
    clock = draw(st.just(nan) | instants)
    return {"times": (start, end), "clock_start": clock, "created_at": draw(instants)}


def faiss_index(source: PlainVectors, folder: Path) -> FaissIndex:
    return FaissIndex(source, MODEL, DIM, folder / "event-m.npz")


def faiss_index_in_cells(source: PlainVectors, folder: Path) -> FaissIndex:
    """Searches cells also in groups that are so small that they would be searched exhaustively."""
    return FaissIndex(source, MODEL, DIM, folder / "event-m.npz", flat_up_to=CELLS_ABOVE, small_group=0)


def faiss_index_on_gpu(source: PlainVectors, folder: Path) -> FaissIndex:
    """FAISS's index in memory stands in for the one on a GPU, which has the same calls."""
    gpu = GpuCopy(lambda index: index, 10**6, least=1)
    return FaissIndex(source, MODEL, DIM, folder / "event-m.npz", flat_up_to=CELLS_ABOVE, small_group=0, gpu=gpu)


# Each with the precision of its cosines.
INDEXES = [(faiss_index, 1e-6), (faiss_index_in_cells, 5e-3), (sidecar_index, 1e-6), (faiss_index_on_gpu, 5e-3)]


def fresh(index: FaissIndex) -> FaissIndex:
    """After catching up with the graph."""
    index.catch_up()
    return index


@pytest.fixture(params=[opening for opening, _ in INDEXES])
def opened(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that opens the index over a source; again: as a second process, from the saved snapshot."""
    return lambda source: request.param(source, tmp_path)


def agrees(
    index: FaissIndex,
    source: PlainVectors,
    query: Vectors,
    k: int,
    scope: Scope,
    *,
    among: Sequence[int] | None = None,
    exact: float = 5e-3,
) -> None:
    """The search finds the k nearest of the scope, each with its cosine, best first; ties in any order."""
    expected = source.nearest(query, k, scope, among)
    found = fresh(index).search(query, k, scope, among)
    cosines = source.cosines(query, scope)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=exact)
    assert len({node_id for node_id, _ in found}) == len(found)
    assert all(score == pytest.approx(cosines[node_id], abs=exact) for node_id, score in found)
    assert among is None or {node_id for node_id, _ in found} <= set(among)


class AnyHistory(RuleBasedStateMachine):
    """After any sequence of writes, replacements, deletions, saves, rebuilds and restarts."""

    opening, exact = INDEXES[0]

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.source = PlainVectors()
        self.index = self.open()

    def teardown(self) -> None:
        self.folder.cleanup()

    def open(self) -> FaissIndex:
        return type(self).opening(self.source, Path(self.folder.name))

    @rule(node_ids=st.lists(node_ids, max_size=12), owner=owners, vector=directions, event=events())
    def write(self, node_ids: list[int], owner: tuple[str, str], vector: Vectors, event: dict) -> None:
        """The same event several times, the last with its direction reversed."""
        for node_id in node_ids:
            self.source.write(node_id, *owner, vector, **event)
            vector = np.roll(vector, 1)

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
        self.index = self.open()

    @rule(query=directions, k=st.integers(1, 20), scope=scopes(), among=st.none() | st.lists(st.integers(-1, 20)))
    def search(self, query: Vectors, k: int, scope: Scope, among: list[int] | None) -> None:
        agrees(self.index, self.source, query, k, scope, among=among, exact=self.exact)

    @rule(query=directions, asked=st.lists(st.integers(-1, 20), max_size=8))
    def similarities(self, query: Vectors, asked: list[int]) -> None:
        self.index.catch_up()
        expected = {node_id: score for node_id, score in self.source.cosines(query).items() if node_id in asked}
        assert self.index.similarities(query, asked) == pytest.approx(expected, abs=self.exact)


class AnyHistoryInCells(AnyHistory):
    """The same with cells."""

    opening, exact = INDEXES[1]


class AnyHistoryInASidecar(AnyHistory):
    """The same over a socket."""

    opening, exact = INDEXES[2]


class AnyHistoryOnAGpu(AnyHistory):
    """The same with a copy that a GPU would hold."""

    opening, exact = INDEXES[3]


for machine in (AnyHistory, AnyHistoryInCells, AnyHistoryInASidecar, AnyHistoryOnAGpu):
    machine.TestCase.settings = examples(push=15, soak=500, stateful_step_count=20)
TestAnyHistory = AnyHistory.TestCase
TestAnyHistoryInCells = AnyHistoryInCells.TestCase
TestAnyHistoryInASidecar = AnyHistoryInASidecar.TestCase
TestAnyHistoryOnAGpu = AnyHistoryOnAGpu.TestCase


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
    assert fresh(index).search(query, 1, Scope("g")) == [(99, pytest.approx(1.0, abs=5e-3))]


def test_a_scope_never_sees_another_group(opened, some: PlainVectors) -> None:
    found = fresh(opened(some)).search(unit([1, 0, 0, 0]), 50, Scope("g"))
    assert {node_id % 2 for node_id, _ in found} == {1} and len(found) == 25


def test_a_scope_of_persons_asks_the_graph_for_the_events(opened, some: PlainVectors) -> None:
    """A vector does not identify its person: events of other persons may be nearer."""
    index, query, scope = opened(some), unit([1, 0, 0, 0]), Scope("g", persons=("anna",))
    with pytest.raises(ValueError, match="among"):
        fresh(index).search(query, 5, scope)
    assert {node_id for node_id, _ in fresh(index).search(query, 5, scope, among=[1, 2, 7])} == {1, 7}
    assert fresh(index).search(query, 5, scope, among=[]) == []


def test_events_created_later_are_not_known_yet(opened, some: PlainVectors) -> None:
    """To the microsecond: known_at includes vectors created at that moment."""
    query, then = unit([1, 2, 3, 4]), datetime(2026, 5, 1, 12, 0, 0, 123457, timezone.utc)
    some.write(98, "g", "v0", query, created_at=then.timestamp())
    some.write(99, "g", "v0", query, created_at=(then + timedelta(microseconds=1)).timestamp())
    index = opened(some)
    assert {node_id for node_id, _ in fresh(index).search(query, 60, Scope("g", known_at=then))} & {98, 99} == {98}


def test_an_invalid_vector_spoils_no_search(opened, some: PlainVectors) -> None:
    """One damaged embedding among fifty, then a damaged question."""
    nowhere = np.full(DIM, np.nan, np.float32)
    some.write(7, "g", "v0", nowhere)
    index, query = opened(some), unit([1, 2, 3, 4])
    assert len(fresh(index).search(query, 50, Scope("g"))) == 25 and index.similarities(query, [7]) == {7: 0.0}
    assert fresh(index).search(nowhere, 5, Scope("g")) == []


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


def test_saved_vectors_are_not_read_again(opened, some: PlainVectors) -> None:
    index = opened(some)
    index.catch_up()
    index.save()
    some.write(99, "g", "v0", unit([1, 1, 1, 1]))
    again = opened(some)
    assert len(again) == 50 and again.catch_up() == 1


def test_rebuilding_discards_a_snapshot_of_another_history(opened, some: PlainVectors) -> None:
    """A graph restored from a backup makes the snapshot newer than the graph, and wrong."""
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
    assert len(FaissIndex(PlainVectors(), MODEL, DIM + 1, tmp_path / "event-m.npz")) == 0


def test_an_empty_index_finds_nothing(opened) -> None:
    index = opened(PlainVectors())
    assert fresh(index).search(unit([1, 0, 0, 0]), 5, Scope("g")) == []
    assert index.similarities(unit([1, 0, 0, 0]), [1]) == {}
    index.save()
    assert len(opened(PlainVectors())) == 0


def test_an_older_index_does_not_overwrite_a_newer_snapshot(opened, some: PlainVectors) -> None:
    """Two processes: the outdated one saves last."""
    behind = opened(some)
    behind.catch_up()
    some.write(99, "g", "v0", unit([1, 1, 1, 1]))
    ahead = opened(some)
    ahead.catch_up()
    ahead.save()
    behind.save()
    assert len(opened(some)) == 51


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
    index = FaissIndex(source, MODEL, WIDE, tmp_path_factory.mktemp("clustered") / "event-m.npz", flat_up_to=8000)
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
    again = FaissIndex(source, MODEL, WIDE, index._path)
    assert len(again) == CLUSTERED and again.catch_up() == 0
    for question in source.questions[::20]:
        assert again.search(question, 10, Scope("h")) == fresh(index).search(question, 10, Scope("h"))
