"""The contract of a dense index, against brute force over the same vectors: each backend's tests import it.

The fixture `opened` of the importing file is a function that opens the index over a source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.support.plain_vectors import PlainVectors, unit

DIM = 4
MODEL = "m"
groups = st.sampled_from(["g", "h", "g\x00", "nobody"])
owners = st.sampled_from([("g", "v"), ("g", "w"), ("h", "v"), ("g\x00", "v")])
node_ids = st.integers(0, 15)  # few, so that they are often replaced and removed
directions = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=DIM, max_size=DIM).filter(any).map(unit)
seconds = st.sampled_from([0.0, 1.0, 2.0, 2.5, 4.0])
instants = seconds.map(lambda second: 1_700_000_000 + second)
wall_clock = instants.map(lambda instant: datetime.fromtimestamp(instant, UTC))
moments = st.none() | seconds | wall_clock


def _as_many_moments(count: int) -> st.SearchStrategy[list[datetime]]:
    return st.lists(wall_clock, min_size=count, max_size=count, unique=True)


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    videos = draw(st.sampled_from([(), ("v",), ("v", "w"), ("nowhere",)]))
    bounds = {name: draw(moments) for name in ("since", "until", "as_of")}
    moments_in_order = sorted(draw(st.sampled_from([0, 2, 4]).flatmap(_as_many_moments)))
    ranges = tuple(zip(moments_in_order[::2], moments_in_order[1::2], strict=True))
    try:
        return Scope(draw(groups), videos, known_at=draw(st.none() | wall_clock), ranges=ranges, **bounds)
    except ValueError:
        reject()


@st.composite
def events(draw: st.DrawFn) -> dict:
    """The metadata of a vector's event, in any combination."""
    start, end = sorted(draw(st.tuples(seconds, seconds)))
    clock = draw(st.just(nan) | instants)
    return {"times": (start, end), "clock_start": clock, "created_at": draw(instants)}


def fresh(index: FaissIndex) -> FaissIndex:
    """The index after it has caught up with the graph."""
    index.catch_up()
    return index


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

    opening: ClassVar[Any]
    exact: ClassVar[float]

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
        """The cosines to two vectors are in the order of the ids, of which some are unknown and some come twice."""
        self.index.catch_up()
        known = self.source.cosines(query)
        expected = [known.get(node_id, np.nan) for node_id in asked]
        found = self.index.similarities(np.stack([query, -query]), asked)
        both = [expected, [-cosine for cosine in expected]]
        assert found.tolist() == [pytest.approx(row, abs=self.exact, nan_ok=True) for row in both]


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
    query, then = unit([1, 2, 3, 4]), datetime(2026, 5, 1, 12, 0, 0, 123457, UTC)
    some.write(98, "g", "v0", query, created_at=then.timestamp())
    some.write(99, "g", "v0", query, created_at=(then + timedelta(microseconds=1)).timestamp())
    index = opened(some)
    assert {node_id for node_id, _ in fresh(index).search(query, 60, Scope("g", known_at=then))} & {98, 99} == {98}


def test_an_invalid_vector_spoils_no_search(opened, some: PlainVectors) -> None:
    """One damaged embedding among fifty, then a damaged question."""
    nowhere = np.full(DIM, np.nan, np.float32)
    some.write(7, "g", "v0", nowhere)
    index, query = opened(some), unit([1, 2, 3, 4])
    assert len(fresh(index).search(query, 50, Scope("g"))) == 25
    assert index.similarities(query[np.newaxis], [7]).tolist() == [[0.0]]
    assert fresh(index).search(nowhere, 5, Scope("g")) == []


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


def test_an_empty_index_finds_nothing(opened) -> None:
    index = opened(PlainVectors())
    assert fresh(index).search(unit([1, 0, 0, 0]), 5, Scope("g")) == []
    assert np.isnan(index.similarities(unit([1, 0, 0, 0])[np.newaxis], [1])).tolist() == [[True]]
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
