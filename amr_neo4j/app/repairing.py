"""The repairs of amr doctor --repair. Their order matters: each step relies on those before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from amr_neo4j.domain.ports import KINDS, Embedder, Indexes, Kind

if TYPE_CHECKING:
    from amr_neo4j.store.integrity import Integrity


# Nodes of these labels cannot be recreated from others, or only in part, so their loss is recorded.
_NOT_DERIVED = ("Video", "Person", "Object", "Speaker", "Mention")


def repair_all(
    *,
    migrate: Callable[[], object],
    restore: Callable[[], list[str]],
    graph: Integrity,
    indexes: Indexes,
    embedder: Callable[[], Embedder],
    remake_scenes: Callable[[], None],
    person_id: Callable[[str], str],
) -> Iterator[str]:
    """Repair the database. Yields a line for each repair. Calls no model. Raises MigrationError.

    migrate: brings the schema up to date.
    restore: creates missing constraints and indexes; returns their names.
    embedder: opens the embedder, whose name and dimension a group gets of which no embedding is left.
    remake_scenes: makes the scenes of videos again that are noted as out of date.
    person_id: returns the identity of the person with a name.
    """
    migrate()
    for name in restore():
        yield f"created {name} again"
    for name in graph.incomplete_full_text():
        graph.drop_index(name)
        yield f"dropped {name}, which was incomplete"
    # This creates the full-text indexes that were just dropped.
    for name in restore():
        yield f"created {name} again"
    # First empty or delete what is damaged: what can be derived from others is then missing, and recreated below.
    mended, emptied, odd = graph.mend_odd(person_id)
    yield from (f"mended {number} times {name}" for name, number in mended.items())
    yield from (f"emptied {number} times {name}" for name, number in emptied.items())
    yield from (f"deleted {number} damaged {label}" for label, number in odd.items())
    if number := graph.mend_texts():
        yield f"gave {number} turns and facts the tokens of their user again"
    yield from (f"raised the counter {name}" for name in graph.repair("counters"))
    yield from (f"made the {name} again" for name in graph.restore_parents(embedder))
    lost = [f"event {node_id}" for node_id in graph.repair("deleted_events")] + graph.repair("lost_texts")
    lost += [f"a person or object of event {node_id}" for node_id in graph.repair("lost_links")]
    yield from (f"recorded that {name} is gone" for name in lost)
    facts = graph.repair("lost_evidence")
    yield from (f"recorded that what {fact} rested on is gone" for fact in facts)
    # Not the facts themselves: they may be forgotten later.
    lost += [f"what {len(facts)} of the facts rested on"] if facts else []
    if receipts := graph.repair("lost_receipts"):
        yield f"made {len(receipts)} receipts again"
    if number := graph.relink():
        yield f"made or deleted {number} edges"
    yield from (f"made the scenes of video {name} again" for name in graph.repair("broken_scenes"))
    remake_scenes()
    if turns := graph.repair("broken_sessions"):
        yield f"made the edges between {len(turns)} turns again"
    if links := graph.repair("lost_sources"):
        yield f"linked {len(links)} turns and mentions again"
    if turns := graph.repair("lost_extracts"):
        yield f"marked {len(turns)} turns as not extracted: amr chat extract reads them again"
    lost += [f"{name} ({number})" for name, number in emptied.items()]
    if lost := [*lost, *(f"{number} {label}" for label, number in odd.items() if label in _NOT_DERIVED)]:
        graph.accept(lost)
    for kind in KINDS:
        if _is_wrong(indexes, kind):
            yield f"made the dense index of {kind}s again: {indexes.rebuild(kind)} vectors"


def _is_wrong(indexes: Indexes, kind: Kind) -> bool:
    if indexes.is_damaged(kind):
        return True
    indexed, stored = indexes.size(kind)
    return indexed != stored or indexes.differing(kind, every=True) > 0
