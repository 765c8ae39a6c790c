"""The statements the program runs: one per file under cypher/, named by its path without the ending."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import cast

import yaml
from typing_extensions import LiteralString

_PACKAGE = Path(__file__).resolve().parent.parent
# What a person changes before running a file in Neo4j Browser, like: WITH 'demo' AS group_id, 60 AS window
_VALUES = re.compile(r"^WITH '[^']*' AS group_id.*$", re.MULTILINE)
_VALUE = re.compile(r"('[^']*'|[\d.]+) AS (\w+)")
# What a statement shares with another: a line in its place, there between lines such as <chains> and </chains>.
_INCLUDE = re.compile(r"^ *// <include (\S+) (\w+)>$", re.MULTILINE)


def data_path(name: str) -> Path:
    """`cypher`, `migrations` ...: carried inside the wheel, beside the package in a checkout."""
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


@cache
def statement(name: str) -> LiteralString:
    """The statement of cypher/<name>.cypher. The only place where text from a file becomes a query.

    Where the file has values of its own, so that it can be pasted into Neo4j Browser, they become parameters.
    """
    return cast(LiteralString, _VALUES.sub(lambda line: _VALUE.sub(r"$\2 AS \2", line[0]), _text(name)))


def own_values(name: str) -> dict[str, str | float]:
    """The values that cypher/<name>.cypher has of its own, by parameter."""
    line = _VALUES.search(_text(name))
    return {param: yaml.safe_load(value) for value, param in _VALUE.findall(line[0])} if line else {}


def purpose(name: str) -> str:
    """What cypher/<name>.cypher does: its first line."""
    return _text(name).partition("\n")[0].removeprefix("// ")


def _text(name: str) -> str:
    text = (data_path("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: _part(_text(line[1]), line[2]), text)


def _part(text: str, part: str) -> str:
    """All that stands between the lines that name a part, where there are several stretches all of them."""
    return "\n".join(re.findall(rf"^ *// <{part}>\n(.*?)\n *// </{part}>$", text, re.MULTILINE | re.DOTALL))
