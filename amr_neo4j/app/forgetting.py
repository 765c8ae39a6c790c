"""Forgetting in every place that keeps conversations: the spool, the graph, and the dense indexes on disk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.ports import Kind
from amr_neo4j.store.neo4j_index import indexed_models
from amr_neo4j.store.read.facts import FactForgetter
from amr_neo4j.store.write.forgetting import Forgetter, scrub
from amr_neo4j.vectors.snapshot import remove_snapshots
from amr_neo4j.wiring.vector_indexes import neo4j_index

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def forget(
    parts: Parts, user_id: str, session_id: str, episode_id: str, *, dry_run: bool = False, overwrite: bool = False
) -> Forgotten:
    """Forget a user, one of their sessions or one episode. Safe to repeat.

    Returns what was removed, or with dry_run what would be.

    overwrite: also on the disk of the database (store/write/scrub).
    """
    whose = (parts.group_id, user_id, session_id or None, episode_id or None)
    if parts.has_live_chats:
        parts.live_chats.wait(5.0)
    spool, forgetter = parts.conversations.spool, Forgetter(parts.database, parts.now)
    if dry_run:
        return replace(forgetter.count(*whose), waiting=spool.count(*whose))
    waiting = spool.forget(*whose)  # first, or it would be committed again
    gone = forgetter.forget(*whose)
    forget_vectors(parts, "episode", "fact")
    if parts.has_live_chats:
        parts.live_chats.reload(user_id)
    if overwrite:
        scrub(parts.database, "episode")
    return replace(gone, waiting=waiting)


def forget_vectors(parts: Parts, *kinds: Kind) -> None:
    """Take the vectors of what was forgotten out of the indexes, on disk and in memory."""
    for kind in kinds:
        remove_snapshots(parts.vectors_folder, kind)
        for index in parts.open_indexes.get(kind, ()):
            index.catch_up()
            index.save()
        _forget_in_neo4j(parts, kind)


def _forget_in_neo4j(parts: Parts, kind: Kind) -> None:
    """The same in Neo4j's own vector index, whatever the setting: another program may use it, or have used it."""
    for model in indexed_models(parts.database, kind):
        neo4j_index(parts, kind, model).drop_gone()


def forget_facts(parts: Parts, user_id: str, subject: str, relation: str, object: str) -> int:
    """Delete facts in the graph, and in the live conversations of this process; returns their number."""
    live = parts.live_chats if parts.has_live_chats else None
    if live:
        live.wait(5.0)
    forgetter = FactForgetter(parts.database, parts.group_id, parts.now)
    gone = forgetter.forget(user_id, subject, relation, object)
    forget_vectors(parts, "fact")
    if live:
        live.remove(user_id, subject, relation, object)
    return gone
