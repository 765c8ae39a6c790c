"""The group, video and persons of each row: kept over appending, dropping and saving, for any names."""

from __future__ import annotations

from datetime import UTC, datetime
from math import nan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.domain.recall import Scope
from amr_neo4j.vectors.row_metadata import RowMetadata, RowsById

names = st.text(min_size=1, max_size=10) | st.sampled_from(["g\x00", "g", "\x00", "鍵" * 200, "\ud800"])


def vector(node_id: int, group: str = "g", video: str = "v", *times: float) -> StoredVector:
    return StoredVector(0, node_id, group, video, b"", *times)


@given(owners=st.lists(st.tuples(names, names), max_size=6))
def test_names_are_stored_unchanged(owners: list[tuple[str, str]]) -> None:
    """Each row is found by its own group and video and by no other; a NUL at the end counts."""
    before = RowMetadata()
    before.append([vector(n, *owner) for n, owner in enumerate(owners)])
    after = RowMetadata.loaded(before.arrays(before.owned()))
    for group, video in owners:
        alike = [n for n, owner in enumerate(owners) if owner == (group, video)]
        assert np.flatnonzero(after.within(Scope(group, (video,)))).tolist() == alike


@given(
    st.lists(
        st.lists(st.integers(0, 30) | st.sampled_from([2**31, 2**40, 2**62]), unique=True, max_size=12), max_size=8
    )
)
def test_rows_are_found_by_node_id(batches: list[list[int]]) -> None:
    """However often an id is dropped and written again, its row is the last one; `kept` renumbers the rows."""
    roster, expected, rows = RowMetadata(), {}, 0
    for batch in batches:
        there = roster.rows(np.asarray(batch, np.int64))
        roster.drop(there[there >= 0])
        roster.append([vector(node_id) for node_id in batch])
        expected |= {node_id: rows + n for n, node_id in enumerate(batch)}
        rows += len(batch)
    asked = np.asarray([*range(-2, 40), 2**31, 2**40, 2**62, -(2**62)])
    assert roster.rows(asked).tolist() == [expected.get(int(n), -1) for n in asked]
    assert len(roster) == len(expected) and roster.owned().tolist() == sorted(expected.values())
    kept = roster.kept(roster.owned())
    assert kept.rows(kept.node_ids(np.arange(len(kept)))).tolist() == list(range(len(expected)))


def test_an_event_without_a_wall_clock_is_in_no_wall_clock_span() -> None:
    roster = RowMetadata()
    roster.append([vector(0, "g", "v", 5.0, 6.0, 1000.0, 0.0), vector(1, "g", "v", 5.0, 6.0, nan, 0.0)])
    at = lambda second: datetime.fromtimestamp(second, UTC)  # noqa: E731
    within = lambda **bounds: roster.within(Scope("g", **bounds)).tolist()  # noqa: E731
    assert within(since=5.0, until=6.0) == [True, True]
    for bound in ({"since": at(1001)}, {"until": at(1000)}, {"as_of": at(1001)}):
        assert within(**bound) == [True, False]
    for bound in ({"since": at(1001.1)}, {"until": at(999.9)}, {"as_of": at(1000.9)}):
        assert within(**bound) == [False, False]


def test_memory_grows_with_the_ids_and_not_with_the_highest() -> None:
    rows = RowsById()
    rows.set(np.asarray([0, 2**62]), np.asarray([0, 1]))
    assert rows.get(np.asarray([2**62, 0, 1])).tolist() == [1, 0, -1]
    assert rows._pages.nbytes < 10_000
