"""The statements the program runs: one per file under cypher/, named by its path without the ending."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

from typing_extensions import LiteralString

_PACKAGE = Path(__file__).resolve().parent.parent


def data_path(name: str) -> Path:
    """`cypher`, `migrations` ...: carried inside the wheel, beside the package in a checkout."""
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


@cache
def statement(name: str) -> LiteralString:
    """The statement of cypher/<name>.cypher. The only place where text from a file becomes a query.

    Lines for Neo4j Browser alone (:params ...), which make a file of analytics/ pasteable, are left out.
    """
    text = (data_path("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    return cast(LiteralString, "\n".join(line for line in text.splitlines() if not line.startswith(":")))
