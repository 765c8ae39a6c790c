"""What a person sees of single facts and puts right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from amr_neo4j.domain.belief import FactLink, FactTurn, FactView
from amr_neo4j.domain.fact import Triple, fact_id
from amr_neo4j.domain.recall import Citation
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.read.browse import native

# A fact that is believed again has this confidence at least, so that the next run does not give it up again.
_RESTORED = 0.5


class FactHand:
    """Single facts of one user."""

    def __init__(self, database: Database, group_id: str, user_id: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._whose = {"group_id": group_id, "user_id": user_id}
        self._now = now

    def find(self, prefix: str, limit: int = 2) -> list[FactView]:
        """Facts whose id begins so."""
        rows = self._database.read("facts/find_facts", **self._whose, prefix=prefix, limit=limit)
        return [_view(row) for row in rows]

    def pin(self, name: str, *, pinned: bool) -> None:
        """Keep a fact as it is, or no longer. name: its fact_id."""
        self._database.write("facts/pin", **self._whose, fact_id=name, pinned=pinned, now=self._now())

    def restore(self, name: str) -> bool:
        """Believe a fact again; returns whether it was not believed."""
        params = {"fact_id": name, "confidence": _RESTORED, "now": self._now()}
        return bool(self._database.write("facts/restore", **self._whose, **params))

    def correct(self, name: str, triple: Triple, text: str) -> str:
        """Put this triple in a fact's place; returns its fact_id."""
        now, corrected = self._now(), fact_id(triple)
        params = {"fact_id": name, "corrected": corrected, "object": triple.object, "text": text}
        self._database.write("facts/correct", **self._whose, **params, said=now.timestamp(), now=now)
        return corrected


def _view(row: Row) -> FactView:
    parts: dict[str, Any] = {name: native(value) for name, value in row.items()}
    triple = Triple(parts.pop("subject"), parts.pop("relation"), parts.pop("object"))
    turns = [FactTurn(**{k: native(v) for k, v in turn.items()}) for turn in parts.pop("turns")]
    links = [FactLink(**{k: native(v) for k, v in link.items()}) for link in parts.pop("links")]
    events = tuple(Citation(*event) for event in parts.pop("events"))
    return FactView(triple=triple, turns=tuple(turns), links=tuple(links), events=events, **parts)
