"""The turns of a file as every format gives them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO, cast

Table = Mapping[str, Any]


@dataclass(frozen=True)
class ParsedTurn:
    """One turn of a file. number: its place in the file, from 1, or 0. wrong: why it is rejected."""

    session_id: str
    turn: Table = field(default_factory=dict[str, Any])
    number: int = 0
    wrong: str = ""


@dataclass(frozen=True)
class DocumentFormat:
    """A format of conversations as JSON objects.

    matches: whether an object is a conversation of this format. read: (object, name of the session) -> its turns.
    """

    matches: Callable[[Table], bool]
    read: Callable[[Table, str], Iterator[ParsedTurn]]


LONGEST_LINE = 8 * 2**20
"""Characters of a line: a turn of the greatest length, escaped."""


def lines_of(file: TextIO) -> Iterator[str]:
    """Yield the lines, as str.split("\\n") would; one over LONGEST_LINE is truncated just above it.

    Without the byte order mark. No file exhausts memory.
    """
    end, is_first = "\n", True
    while line := file.readline(LONGEST_LINE + 2):
        end = line[-1]
        while end != "\n" and len(line) > LONGEST_LINE and (rest := file.readline(LONGEST_LINE)):
            end = rest[-1]
        line = line.removesuffix("\n")
        yield line.removeprefix("\ufeff") if is_first else line
        is_first = False
    if end == "\n":
        yield ""


def parse_json(text: str) -> object:
    """Raises ValueError: no JSON, or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_object(line: str) -> bool:
    """Whether a line is a JSON object."""
    try:
        return line.lstrip().startswith("{") and isinstance(parse_json(line), dict)
    except ValueError:
        return False


def turn_of(session: str, turn: object, number: int = 0) -> ParsedTurn:
    """A turn from its JSON value: a string, or an object that may name its session."""
    if isinstance(turn, str):
        return ParsedTurn(session, {"content": turn}, number)
    if not isinstance(turn, dict):
        return ParsedTurn(session, number=number, wrong=f"a turn is an object or a string, not {turn!r:.80}")
    table = cast(dict[str, Any], turn)
    own = {key: value for key, value in table.items() if key != "session_id"}
    return ParsedTurn(str(table.get("session_id") or session), own, number)


def session_name(table: Table, name: str) -> str:
    """The name that a conversation has itself, or that of its file."""
    return str(table.get("sample_id") or table.get("session_id") or name)
