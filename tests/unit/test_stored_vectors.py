"""Embeddings as a dense index reads them."""

from __future__ import annotations

from math import isnan
from typing import Any, Literal, cast

import pytest

from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.vectors.row_metadata import RowMetadata

WHOLE = {
    "seq": 0,
    "node_id": 7,
    "group_id": "home",
    "user_id": "anna",
    "video_id": "hall",
    "time_start": 1.0,
    "time_end": 2.0,
    "clock_start": None,
    "created_at": 3.0,
    "superseded_at": None,
    "data": b"1234",
}


class OneRow:
    """A database of one embedding."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row

    def read(self, statement: str, **params: object) -> list[dict[str, Any]]:
        return [self._row]


def _read(row: dict[str, Any], kind: Literal["event", "fact"]) -> StoredVector:
    [vector] = VectorSource(cast(Any, OneRow(row)), kind).vectors_from("model", 0, 10)
    return vector


@pytest.mark.parametrize("kind", ["event", "fact"])
@pytest.mark.parametrize("name", ["group_id", "user_id", "video_id", "time_start", "clock_start"])
@pytest.mark.parametrize("value", [[7, 8], {"a": 1}, "later"])
def test_a_property_that_was_set_by_hand_to_another_type_leaves_the_index_readable(
    kind: Literal["event", "fact"], name: str, value: object
) -> None:
    damaged = _read(WHOLE | {name: value}, kind)
    RowMetadata().append([damaged])
    if name.endswith("_id"):
        assert isinstance(damaged.group_id, str) and isinstance(damaged.video_id, str)


def test_a_whole_one_is_returned_as_it_is() -> None:
    found = _read(WHOLE, "event")
    assert (found.node_id, found.group_id, found.video_id) == (7, "home", "hall")
    assert (found.time_start, found.created_at, found.data) == (1.0, 3.0, b"1234") and isnan(found.clock_start)
