"""The statements of the program: one per file under cypher/, named by its path without the extension."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, LiteralString, cast

import yaml

_PACKAGE = Path(__file__).resolve().parent.parent
# The defaults to edit before running a file in Neo4j Browser, like: WITH 'demo' AS group_id, 60 AS window
_VALUES = re.compile(r"^WITH '[^']*' AS group_id.*$", re.MULTILINE)
_VALUE = re.compile(r"('[^']*'|[\d.]+) AS (\w+)")
_PARAM = re.compile(r"\$(\w+)")
# Of statements that change the schema, where a parameter cannot be an expression.
_AS_WRITTEN = "schema/"
# <include FILE SECTION>: replaced by the lines between <SECTION> and </SECTION> of the other file.
_INCLUDE = re.compile(r"^ *// <include (\S+) (\w+)>$", re.MULTILINE)


def data_path(name: str) -> Path:
    """Returns the folder `cypher`, `migrations` ...: inside the package in a wheel, beside it in a checkout."""
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


@cache
def statement(name: str) -> LiteralString:
    """Returns the statement of cypher/<name>.cypher. The only place where text from a file becomes a query.

    Defaults for Neo4j Browser become parameters.
    """
    return cast(LiteralString, _VALUES.sub(lambda line: _VALUE.sub(r"$\2 AS \2", line[0]), _text(name)))


@cache
def sent(name: str) -> LiteralString:
    """Returns a statement as it goes to the server with `packed` parameters: `$x` is `$p.x`.

    A server keeps one plan for each statement and the types of its parameters, and for text and lists also for how
    long they are, to a power of ten: a statement would be planned five times and more. Of a map only the type counts.
    """
    text = statement(name)
    return text if name.startswith(_AS_WRITTEN) else cast(LiteralString, _PARAM.sub(r"$p.\1", text))


def packed(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters of `sent`."""
    return dict(params) if name.startswith(_AS_WRITTEN) else {"p": params}


def default_params(name: str) -> dict[str, str | float]:
    """Returns parameter -> default of cypher/<name>.cypher."""
    line = _VALUES.search(_text(name))
    return {param: yaml.safe_load(value) for value, param in _VALUE.findall(line[0])} if line else {}


def purpose(name: str) -> str:
    """Returns the first line of cypher/<name>.cypher: what it does."""
    return _text(name).partition("\n")[0].removeprefix("// ")


def _text(name: str) -> str:
    text = (data_path("cypher") / f"{name}.cypher").read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda line: _section(_text(line[1]), line[2]), text)


def _section(text: str, name: str) -> str:
    """The lines between <name> and </name>; where it occurs several times, all of them."""
    return "\n".join(re.findall(rf"^ *// <{name}>\n(.*?)\n *// </{name}>$", text, re.MULTILINE | re.DOTALL))
