"""Reads and forgets the facts of one user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from amr_neo4j.domain.fact import Fact, FactStatus, KnownFact, Triple, fact_id
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.read.browse import native

_BELIEVED: tuple[FactStatus, ...] = ("active", "pending_embed")
_ALL: tuple[FactStatus, ...] = (*_BELIEVED, "stale", "archived", "deprecated", "merged_into")


class FactReader:
    """The facts of a user of a group; every read is limited to one user."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._database = database
        self._group_id = group_id

    def active(self, user_id: str, most: int) -> list[KnownFact]:
        """At most `most` facts that are believed, the latest first."""
        rows = self._database.read("facts/active_facts", group_id=self._group_id, user_id=user_id, limit=most)
        return [_known(row) for row in rows]

    def updated(self, user_id: str, since: datetime) -> tuple[list[KnownFact], list[KnownFact], datetime]:
        """(believed, no longer believed, when the last of them changed) of the facts that changed since a moment."""
        rows = self._database.read("facts/facts_updated", group_id=self._group_id, user_id=user_id, since=since)
        active = [_known(row) for row in rows if row["status"] == "active"]
        gone = [_known(row) for row in rows if row["status"] != "active"]
        return active, gone, native(rows[-1]["updated"]) if rows else since

    def facts(
        self, user_id: str, *, subject: str | None, relation: str | None, history: bool, limit: int
    ) -> list[Fact]:
        """A user's facts with the turns that state them. history: also those that are no longer believed."""
        rows = self._database.read(
            "facts/facts_of_user",
            group_id=self._group_id,
            user_id=user_id,
            status=list(_ALL if history else _BELIEVED),
            subject=subject,
            relation=relation,
            limit=limit,
        )
        return [_fact(row) for row in rows]

    def held(self, user_id: str) -> list[tuple[str, float, int]]:
        """(status, confidence, evidence_count) of each of a user's facts, also of those no longer believed."""
        rows = self._database.read("facts/measures", group_id=self._group_id, user_id=user_id, status=list(_ALL))
        return [(row["status"], row["confidence"], row["evidence"]) for row in rows]

    def use(self, user_id: str) -> dict[str, int]:
        """The counts of what replies in live conversations made of a user's memory; empty before the first."""
        rows = self._database.read("facts/use_counts", group_id=self._group_id, user_id=user_id)
        return dict(rows[0]) if rows else {}


class FactForgetter:
    """Deletes facts for good."""

    def __init__(self, database: Database, group_id: str, now: Callable[[], datetime]) -> None:
        self._database = database
        self._group_id = group_id
        self._now = now

    def forget(self, user_id: str, subject: str, relation: str, object: str) -> int:
        """Delete the facts of a subject, of its relation where one is named, or one fact; returns their number.

        Turns that were said before now and wait to be committed do not bring them back.
        """
        now = self._now()
        one = fact_id(Triple(subject, relation, object)) if relation and object else None
        [row] = self._database.write(
            "facts/forget_facts",
            group_id=self._group_id,
            user_id=user_id,
            subject=subject,
            relation=relation or None,
            object=object or None,
            fact_id=one,
            now=now,
            said=now.timestamp(),
            no_data=b"",
        )
        return row["facts"]


def _known(row: Row) -> KnownFact:
    return KnownFact(
        Triple(row["subject"], row["relation"], row["object"]),
        row["text"],
        row["weight"],
        row["said"],
        row["session_id"],
        row["language"],
        row["pinned"],
    )


def _fact(row: Row) -> Fact:
    parts: dict[str, Any] = {name: native(value) for name, value in row.items()}
    triple = Triple(parts.pop("subject"), parts.pop("relation"), parts.pop("object"))
    episodes: Sequence[str] = parts.pop("episode_ids")
    return Fact(triple=triple, episode_ids=tuple(episodes), **parts)
