"""Reads the turns of a conversation file as an import does."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TextIO

from amr_neo4j.conversations.formats import ParsedTurn, find_document, read_document, read_lines


def read_chat(file: TextIO | str, name: str) -> Iterator[ParsedTurn]:
    """Yield the turns of a file, or of a text."""
    opened = StringIO(file) if isinstance(file, str) else file
    document = find_document(opened, name)
    yield from read_document(document, name) if document else read_lines(opened, name)
