"""Reads conversations: the sessions of a user, and the turns of one session as of a moment."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import inf

from amr_neo4j.domain.episode import EarlierTurn, Episode, Session
from amr_neo4j.domain.fact import SAID, SPEAKER, Triple
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.views import SessionView
from amr_neo4j.store.database import Database, Row, natively, whole
from amr_neo4j.store.read.browse import view
from amr_neo4j.store.read.pages import page_of
from amr_neo4j.store.read.similar_names import require_sessions


class ConversationReader:
    """Reads sessions and turns; every read is limited to one user."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def conversation(
        self,
        session: Session,
        asked: PageRequest,
        *,
        since: datetime | None = None,
        as_of: datetime | None = None,
        known_since: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Page[Episode]:
        """Return a page of the turns of a session, in order.

        Only turns that were said from `since` to `as_of`, and stored from `known_since` to `known_at`.
        Raises NotInMemory: the user has no such session.
        """
        rows = self._database.read(
            "conversations/conversation",
            group_id=session.group_id,
            user_id=session.user_id,
            session_id=session.session_id,
            clock={"since": _clock(since, -inf), "as_of": _clock(as_of, inf)},
            # In UTC, as created_at is: Neo4j orders equal moments by their offset.
            known_since=known_since and known_since.astimezone(UTC),
            known_at=known_at and known_at.astimezone(UTC),
            after=-1 if asked.after is None else asked.after,
            limit=asked.limit + 1,
        )
        if not rows:
            require_sessions(self._database, session.group_id, session.user_id, [session.session_id])
            return asked.page([], 0, lambda _: None)  # it was made since
        # A session without turns in these bounds gives one row of nulls; no row at all means no session.
        [total, *_] = [row.pop("total") for row in rows]
        # A turn that is deleted during the read lacks its columns and is left out. The list goes on after it.
        numbers = [row["turn"] for row in rows[: asked.limit] if row["turn"] is not None]
        page = asked.page(rows, total, lambda _: max(numbers, default=asked.after))
        required = ("episode_id", "actor", "content", "valid_at", "metadata", "created_at", "vector_id")
        turns = tuple(_episode(session, row) for row in whole(page.items, *required))
        return Page(turns, page.total, page.next, page.notes)

    def last_turns(self, session: Session, most: int) -> list[EarlierTurn]:
        """Return at most `most` of the last turns of a session, in order; [] if there is none."""
        whose = {"group_id": session.group_id, "user_id": session.user_id, "session_id": session.session_id}
        rows = self._database.read("conversations/last_turns", **whose, limit=most, quoted=[SPEAKER, SAID])
        return [
            EarlierTurn(
                row["episode_id"],
                row["actor"],
                row["text"],
                is_recalled=row["is_recalled"],
                hinted=tuple(Triple(*parts) for parts in whole(row["hinted"], *range(3))),
            )
            for row in reversed(whole(rows, "episode_id", "actor", "text"))
        ]

    def sessions(self, group_id: str, user_id: str, asked: PageRequest) -> Page[SessionView]:
        """Return a page of the sessions of a user, the latest first."""
        rows = self._database.read("conversations/sessions", group_id=group_id, user_id=user_id, **asked.bounds)
        return page_of(rows, asked, "session_id", lambda row: view(SessionView, natively(row)))


def _clock(moment: datetime | None, otherwise: float) -> float:
    return otherwise if moment is None else moment.timestamp()


def _episode(session: Session, row: Row) -> Episode:
    return Episode(session=session, **natively(row) | {"metadata": json.loads(row["metadata"])})
