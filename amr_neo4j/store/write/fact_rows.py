"""Facts of episodes as rows for the graph, and their commit within the episodes' transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.fact import FactChange, fact_id
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.store.database import Run
from amr_neo4j.store.full_text import turn_text

# Of the distance to 1 that a fact's weight covers each time it is stated (specification 001, reinforcement).
_REINFORCEMENT = 0.3


def commit_facts(run: Run, episodes: Sequence[Episode], now: datetime) -> None:
    """Write what episodes of one user state and take back. run: of the transaction that has written the episodes."""
    rows = [row for episode in episodes for row in _rows(episode)]
    if not rows:
        return
    session = episodes[0].session
    commit_rows(run, session.group_id, session.user_id, rows, now)


def commit_rows(run: Run, group_id: str, user_id: str, rows: Sequence[dict[str, Any]], now: datetime) -> None:
    """Write rows of `change_row`, in their order."""
    whose = {"group_id": group_id, "user_id": user_id}
    numbered = [{**row, "number": number} for number, row in enumerate(rows)]
    run("facts/commit_facts", **whose, rows=numbered, reinforcement=_REINFORCEMENT, now=now)
    slots = {(row["subject"], row["relation"]) for row in rows if not row["retracted"]}
    if single := sorted(slot for slot in slots if relation_kind(slot[1]).single):
        named = [{"subject": subject, "relation": relation} for subject, relation in single]
        run("facts/settle_slots", **whose, slots=named, now=now)


def change_row(change: FactChange, session: Session, actor_id: str, episode_id: str) -> dict[str, Any]:
    """A change of a fact as a row for the graph. session, actor_id, episode_id: of the turn that states it."""
    return {
        "episode_id": episode_id,
        "fact_id": fact_id(change.triple),
        "subject": change.triple.subject,
        "relation": change.triple.relation,
        "object": change.triple.object,
        "text": change.text,
        "language": change.language,
        "said": change.said,
        "confidence": change.confidence,
        "retracted": change.retracted,
        "single": relation_kind(change.triple.relation).single,
        "session_id": session.session_id,
        "scope_text": turn_text(session, actor_id),
    }


def _rows(episode: Episode) -> list[dict[str, Any]]:
    return [change_row(change, episode.session, episode.actor_id, episode.episode_id) for change in episode.changes]
