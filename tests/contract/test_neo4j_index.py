"""Neo4j's own vector index: the contract of a dense index, and what is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.store.database import Database
from amr_neo4j.store.neo4j_index import Neo4jIndex, indexed_models
from tests.support.dense_contract import (  # noqa: F401 - the contract, over the fixtures of this file
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

Open = Callable[[PlainVectors], Neo4jIndex]
_databases: list[Database] = []


@pytest.fixture(scope="module", autouse=True)
def there(database: Database) -> Iterator[None]:
    """The database, also for the state machine, which takes no fixtures. What the tests wrote is gone afterwards."""
    _databases.append(database)
    yield
    for model in indexed_models(database, "event"):
        Neo4jIndex(database, PlainVectors(), "event", model).drop()


def neo4j_index(source: PlainVectors, folder: Path) -> Neo4jIndex:
    """The name of a model is a folder of the test."""
    return Neo4jIndex(_databases[-1], source, "event", str(folder))


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda source: neo4j_index(source, tmp_path)


class AnyHistoryInNeo4j(AnyHistory):
    """The same in a database, which keeps everything that it is not told to delete."""

    opening, exact = neo4j_index, 1e-6


class Everything(set[str]):
    """A set that has all."""

    def __contains__(self, item: object) -> bool:
        return True


def index_of_large_groups(source: PlainVectors, folder: Path) -> Neo4jIndex:
    """Searches by the vector index also in groups that are so small that they would be compared one by one."""
    index = neo4j_index(source, folder)
    index._large = Everything()
    return index


class AnyHistoryByTheVectorIndex(AnyHistory):
    """The same by the vector index, with scopes that may hold nothing."""

    opening, exact = index_of_large_groups, 1e-6


for machine in (AnyHistoryInNeo4j, AnyHistoryByTheVectorIndex):
    machine.TestCase.settings = examples(push=4, soak=100, stateful_step_count=10)
TestAnyHistoryInNeo4j = AnyHistoryInNeo4j.TestCase
TestAnyHistoryByTheVectorIndex = AnyHistoryByTheVectorIndex.TestCase

LARGE = 2600


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, there: None) -> tuple[PlainVectors, Neo4jIndex]:
    """One group that is searched by the vector index, and a small one. Few are of the video "rare"."""
    source = PlainVectors()
    for n, vector in enumerate(random_vectors(LARGE)):
        source.write(n, "small" if n % 100 == 0 else "g", "rare" if n % 50 == 1 else "v", vector)
    index = neo4j_index(source, tmp_path_factory.mktemp("large"))
    assert index.catch_up() == LARGE
    return source, index


NOWHERE = [Scope("g", ("nowhere",)), Scope("g", since=1e6)]


@pytest.mark.parametrize("scope", [Scope("g"), Scope("g", ("v",)), Scope("g", ("rare",)), Scope("small"), *NOWHERE])
def test_the_nearest_of_a_scope_are_found_however_few_of_all_they_are(large, scope: Scope) -> None:
    source, index = large
    for query in random_vectors(3, seed=1):
        agrees(index, source, query, 10, scope, exact=1e-6)


def test_without_the_vector_index_vectors_are_compared_one_by_one_and_it_is_said_once(large) -> None:
    source, index = large
    said: list[str] = []
    beside = Neo4jIndex(_databases[-1], source, "event", index.model, notify=said.append)
    beside._filters, beside._index = False, "no_such_index"
    for query in random_vectors(3, seed=2):
        agrees(beside, source, query, 10, Scope("g"), exact=1e-6)
    assert beside.degraded
    assert len(said) == 1
    assert "one by one" in said[0]


def test_vectors_that_an_earlier_release_of_the_server_indexed_are_found(tmp_path: Path) -> None:
    """The server was replaced by one whose index filters: nothing is read again, and nothing is missing."""
    source = PlainVectors()
    for n, vector in enumerate(random_vectors(40)):
        source.write(n, "g", "v", vector)
    before = neo4j_index(source, tmp_path)
    before._filters = False
    before.catch_up()
    after = neo4j_index(source, tmp_path)
    assert after.catch_up() == 0
    after._large.add("g")  # by the vector index, though the group is small
    agrees(after, source, unit([1, 2, 0, 0]), 10, Scope("g"), exact=1e-6)
    assert not after.degraded


def test_two_processes_that_catch_up_at_once_take_each_page_once(opened: Open, some: PlainVectors) -> None:  # noqa: F811
    """The second of them has read the same page, and writes it after the first has gone on."""
    first, second = opened(some), opened(some)
    page = some.vectors_from("", 0, 1000)
    first.catch_up()
    some.forget(3)
    first.catch_up()
    second._take(page, [0], range(len(page)))
    assert np.isnan(second.similarities(unit([1, 0, 0, 0])[np.newaxis], [3])).all()
    assert len(second) == 49
    assert second.catch_up() == 0


def test_the_cosines_to_several_vectors_are_one_read(
    opened: Open,
    some: PlainVectors,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of them has no direction: its cosines are 0."""
    index, database, sent = fresh(opened(some)), _databases[-1], list[str]()
    read = database.read
    monkeypatch.setattr(database, "read", lambda name, /, **params: (sent.append(name), read(name, **params))[1])
    asked = np.stack([unit([1, 2, 0, 0]), np.zeros(4, np.float32), unit([0, 0, 1, 3])])
    found = index.similarities(asked, [3, 99, 5])
    assert sent == ["dense/similarities"]
    held = some.cosines(asked[0]), some.cosines(asked[2])
    first, last = ([of[3], nan, of[5]] for of in held)
    assert found.tolist() == [pytest.approx(row, abs=1e-6, nan_ok=True) for row in (first, [0.0, nan, 0.0], last)]
    assert index.similarities(asked, []).shape == (3, 0)


def test_clearing_it_loses_nothing(opened: Open, some: PlainVectors) -> None:  # noqa: F811
    """A process that ends in the middle of a rebuild: the next one completes it."""
    fresh(opened(some)).clear()
    again = opened(some)
    assert len(again) == 0
    agrees(again, some, unit([1, 2, 0, 0]), 50, Scope("g"), exact=1e-6)


def test_the_lengths_of_two_models_do_not_disturb_each_other(tmp_path: Path) -> None:
    short, long = PlainVectors(), PlainVectors()
    for n in range(30):
        short.write(n, "g", "v", unit(np.random.default_rng(n).normal(size=4)))
        long.write(n, "g", "v", unit(np.random.default_rng(n).normal(size=6)))
    for source, dim in ((short, 4), (long, 6)):
        index = neo4j_index(source, tmp_path / str(dim))
        index._large.add("g")  # by the vector index, though the group is small
        agrees(index, source, unit(np.ones(dim)), 10, Scope("g"), exact=1e-6)
