"""What is said of the constraints and indexes that a database has. Migrations run in tests/integration."""

from __future__ import annotations

from typing import Any, cast

import pytest

from amr_neo4j.errors import MigrationError
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database


class Half:
    """A database that has one index, named like the constraint of groups, and nothing else."""

    def __init__(self, state: str) -> None:
        self._state = state

    def read(self, name: str, /, **_: Any) -> list[dict[str, Any]]:
        if name != "schema/indexes":
            return []
        row = {"name": "amr_group_key", "type": "RANGE", "entityType": "NODE", "labels": ["Group"]}
        return [row | {"properties": ["group_id"], "state": self._state, "owningConstraint": None}]


def test_a_constraint_that_another_process_is_making_is_in_nobodys_way() -> None:
    """A scrub makes constraints anew. The server that started meanwhile took its index for another application's."""
    assert schema.check(cast("Database", Half("POPULATING"))) == []
    with pytest.raises(MigrationError, match="amr_group_key"):
        schema.check(cast("Database", Half("ONLINE")))
