"""Dataclasses as rows of SQLite: a list or a mapping as JSON, a time as ISO 8601."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from amr_neo4j.domain.plain import plain

T = TypeVar("T")


def stored(value: Any) -> Any:
    """Return a value as SQLite has it."""
    if isinstance(value, Mapping | tuple):
        return json.dumps(value, default=plain)
    return value.isoformat() if isinstance(value, datetime) else value


def insert(db: sqlite3.Connection, table: str, record: Any, **more: Any) -> bool:
    """Insert a dataclass whose fields are columns of the table. more: values of further columns.

    Returns False, and changes nothing, if the table has a row with its key.
    """
    row = {each.name: stored(getattr(record, each.name)) for each in fields(record)} | more
    marks = ", ".join(f":{name}" for name in row)
    names = ", ".join(row)
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608 - our own names
    return bool(db.execute(statement, row).rowcount)


def read(kind: type[T], row: sqlite3.Row) -> T:
    """Return a row as a dataclass. Columns that are not fields are left out."""
    values: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        value = row[each.name]
        is_json = isinstance(value, str) and each.type.startswith(("Mapping", "tuple"))
        values[each.name] = json.loads(value) if is_json else value
    return _adapter(kind).validate_python(values)


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)
