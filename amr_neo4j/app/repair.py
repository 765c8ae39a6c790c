"""What amr doctor --repair makes again, in order: each step relies on those before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from amr_neo4j.domain.ports import Kind
from amr_neo4j.store import schema
from amr_neo4j.wiring.dense_index import KINDS, index_differs, index_is_damaged, index_size, rebuild

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def repair_all(parts: Parts) -> Iterator[str]:
    """Yields a line for each thing that was wrong. Calls no model. Raises MigrationError."""
    schema.migrate(parts.database)
    graph = parts.integrity
    for name in schema.restore(parts.database):
        yield f"created {name} again"
    for name in graph.incomplete_full_text():
        graph.drop_index(name)
        yield f"dropped {name}, which was incomplete"
    for name in schema.restore(parts.database):
        yield f"created {name} again"
    yield from (f"raised the counter {name}" for name in graph.raise_counters())
    yield from (f"recorded that event {node_id} is gone" for node_id in graph.record_deleted())
    if number := graph.restore_receipts():
        yield f"made {number} receipts again"
    if number := graph.relink():
        yield f"made or deleted {number} edges"
    for kind in KINDS:
        if _is_wrong(parts, kind):
            yield f"made the dense index of {kind}s again: {rebuild(parts, kind)} vectors"


def _is_wrong(parts: Parts, kind: Kind) -> bool:
    if index_is_damaged(parts, kind):
        return True
    indexed, stored = index_size(parts, kind)
    return indexed != stored or index_differs(parts, kind, every=True) > 0
