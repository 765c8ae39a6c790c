"""Forgetting a whole group: its footage, the conversations of all its users, and the group itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from amr_neo4j.app.forgetting import forget, forget_vectors
from amr_neo4j.app.forgetting_footage import forget_footage
from amr_neo4j.app.known_users import users as known_users
from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.forgotten import ForgottenGroup, Selection
from amr_neo4j.domain.ports import KINDS
from amr_neo4j.store.write.forgetting import scrub

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def forget_group(parts: Parts, *, dry_run: bool, overwrite: bool) -> ForgottenGroup:
    """Forget all that a group holds. Safe to repeat; returns what was removed, or with dry_run what would be."""
    users = known_users(parts)
    if dry_run:
        return ForgottenGroup(forget_footage(parts, Selection(), dry_run=True, overwrite=False), Forgotten(), users)
    footage = forget_footage(parts, Selection(), dry_run=False, overwrite=False)
    said = Forgotten()
    for user_id in users:
        said = said.and_also(forget(parts, user_id, "", ""))
    parts.database.write("forgetting/delete_group", group_id=parts.group_id, no_data=b"", now=parts.now())
    forget_vectors(parts, *KINDS)
    if overwrite:
        scrub(parts.database, "event", "episode")
    return ForgottenGroup(footage, said, users)
