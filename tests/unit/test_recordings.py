"""What is read of recordings can be counted with, whatever the graph holds."""

from __future__ import annotations

from math import inf, nan
from typing import Any, cast

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader


class Graph:
    """Returns one row for every statement."""

    def __init__(self, row: list[Any]) -> None:
        self._row = row

    def read(self, name: str, **_: Any) -> list[dict[str, Any]]:
        assert name == "recall/recordings"
        return [{"recordings": [self._row]}]


@pytest.mark.parametrize(
    ("stored", "length"),
    [(60.5, 60.5), (60, 60), (0.0, 0.0), *((each, None) for each in (None, "x", nan, inf, -1.0, 1e12, [1.0], True))],
)
def test_a_damaged_length_is_unknown(stored: Any, length: float | None) -> None:
    row = ["film", "yard", 1_770_000_000, 0, stored, None, None]
    reader = EventReader(cast(Database, Graph(row)), language="en")
    assert reader.recordings(Scope("home"))["film"].duration_s == length
