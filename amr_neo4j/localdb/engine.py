"""What runs a Neo4j on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from amr_neo4j.localdb.record import EngineName, Record

Notify = Callable[[str], None]


class Engine(Protocol):
    """One way to run the server of one home. Methods raise ToolError or DatabaseError."""

    name: EngineName

    def install(self, notify: Notify) -> None:
        """Fetch what is missing; `say` gets a line before anything that takes long."""
        ...

    def launch(self, record: Record, password: str) -> int | None:
        """Start the server detached on the record's ports; its pid where it is a process of ours."""
        ...

    def running(self, record: Record) -> bool:
        """Whether this home's server, and no other, is up (or on its way up)."""
        ...

    def stop(self, record: Record) -> None:
        """Stop it and wait until it has gone."""
        ...

    def destroy(self, record: Record) -> None:
        """Remove what it keeps outside the home."""
        ...

    def last_lines(self) -> list[str]:
        """The end of its log."""
        ...
