"""The interface of what runs a Neo4j server on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from amr_neo4j.localdb.record import EngineName, Record

Notify = Callable[[str], None]


class Engine(Protocol):
    """Runs the server of one home. Methods raise ToolError or DatabaseError."""

    name: EngineName

    def install(self, notify: Notify) -> None:
        """Download what is missing; calls `notify` with a line before anything that takes long."""
        ...

    def launch(self, record: Record, password: str) -> int | None:
        """Start the server detached on the record's ports; returns its pid where it is our own process."""
        ...

    def running(self, record: Record) -> bool:
        """Returns whether this home's server, and no other, is running or starting."""
        ...

    def stop(self, record: Record) -> None:
        """Stop the server and wait until it has exited."""
        ...

    def destroy(self, record: Record) -> None:
        """Delete what it stores outside the home."""
        ...

    def last_lines(self) -> list[str]:
        """Returns the end of its log."""
        ...
