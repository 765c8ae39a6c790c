"""The nightly run over the facts of every user of a group."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from amr_neo4j.app.consolidation import Consolidation
from amr_neo4j.domain.belief import Consolidated
from amr_neo4j.errors import NotInMemory, StoreBusy

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def consolidate_all(parts: Parts, at: datetime, *, dry_run: bool) -> Iterator[Consolidated]:
    """Consolidate one user after the other, in the order of their names; a report of each.

    A user whom another process is consolidating is left to it, and reported as incomplete; one who is forgotten
    meanwhile is left out. Other errors end the run: what is done stays done, and the next run goes on.
    """
    for row in parts.database.read("forgetting/users", group_id=parts.group_id):
        run = Consolidation(parts, row["user_id"])
        try:
            yield run.dry_run(at) if dry_run else run.run(at)
        except NotInMemory:
            continue
        except StoreBusy as error:
            yield Consolidated("", row["user_id"], at, "incomplete", {}, problems=[str(error)])
