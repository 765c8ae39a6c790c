"""Reads which turns of a user state what later turns replaced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import inf

from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.recall import Replacement, Scope
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.browse import native


class Replacements:
    """As domain.ports.Replacements, from the facts that turns state."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """As domain.ports.Replacements. Nothing for scopes without conversations."""
        turns = [said_id(node_id) for node_id in node_ids if node_id < 0]
        if not turns or not scope.has_turns:
            return []
        ends = [moment.timestamp() for moment in (scope.as_of, scope.until) if isinstance(moment, datetime)]
        whose = {"group_id": scope.group_id, "user_id": scope.user_id, "as_of": min(ends, default=inf)}
        rows = self._database.read("facts/replaced_turns", vector_ids=turns, **whose)
        return [Replacement(said_id(r["old"]), said_id(r["new"]), native(r["at"]), r["whole"]) for r in rows]
