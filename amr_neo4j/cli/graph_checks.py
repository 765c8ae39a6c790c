"""What amr doctor asks of the database: what it found, or the AmrError that says what to run."""

from __future__ import annotations

import re

from amr_neo4j.errors import MigrationError, StoreError
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings

OLDEST = (5, 26)
"""Of Neo4j. Those named by the year (2025.01 ...) came after."""


def database(settings: Settings) -> str:
    """Whether Neo4j answers, and which it is."""
    with Memory.connect(settings) as memory:
        return f"{memory.server()} at {memory.uri}"


def version(settings: Settings) -> str:
    """Whether it is a Neo4j that takes our statements."""
    with Memory.connect(settings) as memory:
        agent = memory.server()
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    oldest = ".".join(map(str, OLDEST))
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        raise StoreError(f"{agent}, where Neo4j {oldest} or newer is needed", hint=f"upgrade it to Neo4j {oldest}")
    return f"{found[0]}, {oldest} or newer"


def schema(settings: Settings) -> str:
    """Whether the database is at this version's schema."""
    with Memory.connect(settings) as memory:
        if pending := memory.pending_migrations():
            raise MigrationError(f"migrations pending: {', '.join(pending)}", hint="run: amr db migrate")
    return "up to date"


def indexes(settings: Settings) -> str:
    """Whether the constraints and indexes are there and in use."""
    with Memory.connect(settings) as memory:
        damage = memory.schema_damage()
    if damage:
        told = "; ".join(f"{name} is {state}" for name, state in damage.items())
        raise StoreError(told, hint="run: amr db migrate")
    return "all constraints and indexes are online"


def vectors(settings: Settings) -> str:
    """Whether every event of the group has a vector of the group's model."""
    with Memory.connect(settings) as memory:
        if missing := memory.missing_vectors():
            raise StoreError(f"{missing} events have no vector", hint="run: amr index reembed")
        return f"each of {memory.stats().events} events has one"


def group(settings: Settings) -> str:
    """Whether the group is embedded by the embedder of the settings."""
    with Memory.connect(settings) as memory:
        return f"{memory.group_id}, embedded by {memory.check_embedder()}"


def index(settings: Settings) -> str:
    """Whether the dense index holds what the graph does."""
    rebuild = "run: amr index rebuild"
    with Memory.connect(settings) as memory:
        if memory.index_is_damaged():
            raise StoreError("the file of the index cannot be read", hint=rebuild)
        indexed, stored = memory.index_size()
        if indexed != stored:
            raise StoreError(f"{indexed} vectors in the index, {stored} in the graph", hint=rebuild)
        if differing := memory.index_differs():
            raise StoreError(f"{differing} of some vectors looked at differ from the graph's", hint=rebuild)
    return f"{indexed} vectors, as many as in the graph"
