"""The users of a group: those whose turns or facts are in the graph, and those whose turns wait on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amr_neo4j.errors import NotInMemory
from amr_neo4j.store.read.similar_names import similar_to

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_NAMED = 10


def users(parts: Parts) -> tuple[str, ...]:
    """The users of the group, by name."""
    rows = parts.database.read("forgetting/users", group_id=parts.group_id)
    waiting = parts.conversations.spool.users(parts.group_id)
    return tuple(sorted({row["user_id"] for row in rows} | set(waiting)))


def require_user(parts: Parts, user_id: str) -> None:
    """Raises NotInMemory: nothing is known of this user, and nothing that they said waits on this machine."""
    [row] = parts.database.read("conversations/knows_user", group_id=parts.group_id, user_id=user_id)
    if row["known"]:
        return
    known = users(parts)
    if user_id in known:
        return
    listed = ", ".join(known[:_NAMED]) + (" ..." if len(known) > _NAMED else "")
    similar = f"did you mean {' or '.join(similar_to(user_id, known))}? " if similar_to(user_id, known) else ""
    raise NotInMemory(
        f"no user {user_id} in group {parts.group_id} (users: {listed or 'none'})",
        hint=f"{similar}name the user by --user or AMR_USER, the group by --group; amr groups lists the groups",
    )
