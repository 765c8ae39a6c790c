"""OpenAI's chat format: an object with a list of messages."""

from __future__ import annotations

from collections.abc import Iterator

from amr_neo4j.conversations.formats.turns import DocumentFormat, ParsedTurn, Table, session_name, turn_of


def matches(table: Table) -> bool:
    """Whether an object has a list of messages."""
    return isinstance(table.get("messages"), list)


def read(table: Table, name: str) -> Iterator[ParsedTurn]:
    """The messages; the session is the conversation's own id, or `name`."""
    own = session_name(table, name)
    session = own if own != name else str(table.get("id") or name)
    yield from (turn_of(session, message) for message in table["messages"])


FORMAT = DocumentFormat(matches, read)
