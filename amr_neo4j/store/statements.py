"""The Cypher statements of the program. Each is a file under cypher/, named by its path without the extension."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any, LiteralString, cast

import yaml

_PACKAGE = Path(__file__).resolve().parent.parent
# Default values that a person edits before running a file in Neo4j Browser: WITH 'demo' AS group_id, 60 AS window
_VALUES = re.compile(r"^WITH '[^']*' AS group_id.*$", re.MULTILINE)
_VALUE = re.compile(r"('[^']*'|[\d.]+) AS (\w+)")
_PARAM = re.compile(r"\$(\w+)")
# Statements that change the schema are sent unchanged: they accept `$x` as a parameter, but not `$p.x`.
_AS_WRITTEN = "schema/"
_MINUTE = timedelta(minutes=1)
# <include FILE SECTION>: replaced by the lines between <SECTION> and </SECTION> of the other file.
_INCLUDE = re.compile(r"^ *// <include (\S+) (\w+)>$", re.MULTILINE)


def data_path(name: str) -> Path:
    """Return a folder of data, such as `cypher`. It is inside the package in a wheel and beside it in a checkout."""
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


@cache
def statement(name: str) -> LiteralString:
    """Return the statement of cypher/<name>.cypher, with defaults for Neo4j Browser replaced by parameters.

    Only here does text become a LiteralString that the driver accepts as a query.
    """
    return cast(LiteralString, _VALUES.sub(lambda line: _VALUE.sub(r"$\2 AS \2", line[0]), _text(name)))


@cache
def sent(name: str) -> LiteralString:
    """Return a statement as it is sent: with `$p.x` for `$x`, because all parameters go in one map.

    The server caches a plan for each combination of parameter types. For text and lists the type includes the length,
    rounded to a power of ten, so that a statement would be planned five times or more. Of a map only the type counts.
    """
    text = statement(name)
    return text if name.startswith(_AS_WRITTEN) else cast(LiteralString, _PARAM.sub(r"$p.\1", text))


def packed(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that go with the statement `sent(name)`."""
    given = _with_offsets(dict(params))
    return given if name.startswith(_AS_WRITTEN) else {"p": given}


def _with_offsets(value: Any) -> Any:
    """Return a parameter with every datetime in the offset that its time zone has then, and not in the zone.

    The driver asks a zone for the offset of its own DateTime. ZoneInfo, which is C, reads that as a datetime: past
    the end of the object, so the offset is of any year or the process crashes.
    """
    if isinstance(value, datetime):
        return _with_offset(value)
    if isinstance(value, dict):
        return {key: _with_offsets(each) for key, each in cast(dict[str, Any], value).items()}
    # A list that begins with a float is a vector: it has no date to convert, and is long.
    if isinstance(value, list | tuple) and value and not isinstance(value[0], float):
        return [_with_offsets(each) for each in cast(Sequence[Any], value)]
    return cast(Any, value)


def _with_offset(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None or type(moment.tzinfo) is timezone:
        return moment
    # Neo4j takes whole minutes; the local mean time of a city before 1900 has seconds.
    return moment.astimezone(UTC if offset % _MINUTE else timezone(offset))


def default_params(name: str) -> dict[str, str | float]:
    """Return {parameter: default} of cypher/<name>.cypher; {} if the file has no defaults."""
    line = _VALUES.search(_text(name))
    return {param: yaml.safe_load(value) for value, param in _VALUE.findall(line[0])} if line else {}


def purpose(name: str) -> str:
    """Return the first line of cypher/<name>.cypher: what it does."""
    return _text(name).partition("\n")[0].removeprefix("// ")


def _text(name: str) -> str:
    text = (data_path("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: _section(_text(line[1]), line[2]), text)


def _section(text: str, name: str) -> str:
    """Return the lines between <name> and </name>. If the section occurs several times, all of them are joined."""
    return "\n".join(re.findall(rf"^ *// <{name}>\n(.*?)\n *// </{name}>$", text, re.MULTILINE | re.DOTALL))
