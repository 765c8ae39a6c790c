"""Long-term memory for video and conversation on Neo4j: every answer cites the second it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amr_neo4j.errors import AmrError
    from amr_neo4j.memory import Memory
    from amr_neo4j.settings import Settings

__version__ = "0.1.0"
__all__ = ["AmrError", "Memory", "Settings"]


def __getattr__(name: str) -> object:
    """The public names, loaded when first asked for: `amr --help` needs none of them."""
    if name == "Memory":
        from amr_neo4j.memory import Memory  # noqa: PLC0415

        return Memory
    if name == "AmrError":
        from amr_neo4j.errors import AmrError  # noqa: PLC0415

        return AmrError
    if name == "Settings":
        from amr_neo4j.settings import Settings  # noqa: PLC0415

        return Settings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
