"""Checks of the database for amr doctor. Each returns what it found, or raises an AmrError with the remedy."""

from __future__ import annotations

import re

from amr_neo4j.cli.printing import count
from amr_neo4j.domain.ports import Kind
from amr_neo4j.domain.views import GroupView
from amr_neo4j.errors import MigrationError, StoreError
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings

OLDEST = (5, 26)
"""The oldest supported version of Neo4j. Calendar versions (2025.01 ...) are newer."""
_NAMED = 10


def database(settings: Settings) -> str:
    """Neo4j is reachable."""
    with Memory.connect(settings) as memory:
        return f"{memory.server()} at {memory.uri}"


def version(settings: Settings) -> str:
    """Neo4j has a supported version."""
    with Memory.connect(settings) as memory:
        agent = memory.server()
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    oldest = ".".join(map(str, OLDEST))
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        raise StoreError(f"{agent}; Neo4j {oldest} or newer is required", hint=f"upgrade to Neo4j {oldest} or newer")
    return f"{found[0]}, {oldest} or newer"


def schema(settings: Settings) -> str:
    """All migrations are applied."""
    with Memory.connect(settings) as memory:
        if pending := memory.pending_migrations():
            raise MigrationError(f"migrations pending: {', '.join(pending)}", hint="run: amr db migrate")
    return "up to date"


def indexes(settings: Settings) -> str:
    """All constraints and indexes exist and are online."""
    with Memory.connect(settings) as memory:
        damage = memory.schema_damage()
    if damage:
        states = "; ".join(f"{name} is {state}" for name, state in damage.items())
        raise StoreError(states, hint="run: amr db migrate")
    return "all constraints and indexes are online"


def vectors(settings: Settings) -> str:
    """Every event of the group has a vector of the group's model."""
    with Memory.connect(settings) as memory:
        if missing := memory.missing_vectors():
            raise StoreError(f"{missing} events have no vector", hint="run: amr index reembed")
        if failed := memory.fact_embeddings().failed:
            raise StoreError(f"{failed} facts could not be embedded", hint="see: amr index status")
        return f"no event, turn or fact lacks one; {memory.stats().events} events"


def group(settings: Settings) -> str:
    """The group was embedded by the embedder of the settings."""
    with Memory.connect(settings) as memory:
        return f"{memory.group_id}, embedded by {memory.check_embedder()}"


def groups(settings: Settings) -> str:
    """Which groups hold data."""
    with Memory.connect(settings) as memory:
        found = sorted(memory.groups(), key=lambda group: -(group.events + group.turns))
    named = ", ".join(f"{group.group_id} ({_held(group)})" for group in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more: amr groups" if len(found) > _NAMED else ""
    return f"{named}{more}" or "none holds data yet"


def _held(group: GroupView) -> str:
    held = ((group.events, "event"), (group.turns, "turn"))
    return ", ".join(count(number, noun) for number, noun in held if number) or count(group.videos, "video")


def index(settings: Settings) -> str:
    """The dense indexes, of events, turns and facts, have the vectors of the graph."""
    with Memory.connect(settings) as memory:
        return _compared(memory, every=False)


def dense(settings: Settings) -> str:
    """As `index`, with every vector compared (--deep)."""
    with Memory.connect(settings) as memory:
        return _compared(memory, every=True)


def _compared(memory: Memory, *, every: bool) -> str:
    events = _compared_kind(memory, "event", "", every=every)
    turns = _compared_kind(memory, "episode", " of turns", every=every)
    facts = _compared_kind(memory, "fact", " of facts", every=every)
    return f"as in the graph, all groups: vectors of {events} events, {turns} turns, {facts} facts"


def _compared_kind(memory: Memory, kind: Kind, of: str, *, every: bool) -> int:
    """The number of vectors. Raises StoreError: the index is not the graph's."""
    rebuild = "run: amr index rebuild"
    if memory.index_is_damaged(kind):
        raise StoreError(f"the index file{of} cannot be read", hint=rebuild)
    indexed, stored = memory.index_size(kind)
    if indexed != stored:
        raise StoreError(f"{indexed} vectors{of} in the index, {stored} in the graph", hint=rebuild)
    if differing := memory.index_differs(kind, every=every):
        sample = "" if every else " of a sample"
        raise StoreError(f"{differing} vectors{of}{sample} differ from those in the graph", hint=rebuild)
    return indexed
