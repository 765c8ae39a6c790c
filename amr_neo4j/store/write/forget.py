"""Deletes episodes with everything extracted from them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.store.database import Database, Run

# Episodes per transaction.
_AT_ONCE = 500


class Forgetter:
    """Deletes episodes of one user. After an interruption, run it again: completed transactions stay."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> Forgotten:
        """Delete a user's episodes, or those of a session, or one; returns the counts of what was deleted."""
        total = Forgotten()
        while episode_ids := [episode_id] if episode_id else self._some(group_id, user_id, session_id):
            whose = {"group_id": group_id, "user_id": user_id, "now": self._now()}
            named = {"session_id": session_id, "episode_ids": episode_ids}
            total = total.and_also(self._database.in_transaction(partial(_forget, whose=whose, named=named)))
            if episode_id:
                break
        if not session_id and not episode_id:
            self._database.write("facts/forget_upkeep", group_id=group_id, user_id=user_id)
        return total

    def count(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> Forgotten:
        """Returns what `forget` would delete. Changes nothing."""
        named = {"session_id": session_id, "episode_id": episode_id}
        [found] = self._database.read("conversations/count_turns", group_id=group_id, user_id=user_id, **named)
        return Forgotten(**found)

    def _some(self, group_id: str, user_id: str, session_id: str | None) -> list[str]:
        """The ids of up to _AT_ONCE of them."""
        name = "conversations/turns_of_session" if session_id else "conversations/turns_of_user"
        named = {"session_id": session_id} if session_id else {}
        rows = self._database.read(name, group_id=group_id, user_id=user_id, limit=_AT_ONCE, **named)
        return [row["episode_id"] for row in rows]


def _forget(run: Run, *, whose: dict[str, Any], named: dict[str, Any]) -> Forgotten:
    """Delete some episodes; facts that they had replaced or taken back are believed again, one of each single-valued
    relation.
    """
    [gone] = run("conversations/forget_turns", **whose, **named, no_data=b"")
    if slots := [slot for slot in gone.pop("slots") if relation_kind(slot["relation"]).single]:
        run("facts/settle_slots", **whose, slots=slots)
    return Forgotten(**gone)
