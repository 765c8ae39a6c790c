"""The parsed turn that every file format yields, and helpers to read lines and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO, cast

Table = Mapping[str, Any]


@dataclass(frozen=True)
class ParsedTurn:
    """One turn of a file.

    turn: its fields, such as {"actor": "Anna", "content": "Good morning"}.
    number: its line or place in the file, from 1; 0 if not known yet.
    wrong: why the turn is rejected; empty for a valid one.
    """

    session_id: str
    turn: Table = field(default_factory=dict[str, Any])
    number: int = 0
    wrong: str = ""


LONGEST_LINE = 8 * 2**20
"""The most characters of a line. A turn of the greatest allowed length fits, even if JSON escapes its characters."""


def lines_of(file: TextIO) -> Iterator[str]:
    """Yield the lines as str.split("\\n") would, without a byte order mark.

    A longer line is truncated just above LONGEST_LINE. Callers see that it is too long, and no file exhausts memory.
    """
    # `end` is the last character read: text that ends with a line break has one more, empty line, as with split().
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
    """Parse a JSON value. Raises ValueError: the text is not JSON, or it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_object(line: str) -> bool:
    """Return whether a line is a JSON object."""
    try:
        return line.lstrip().startswith("{") and isinstance(parse_json(line), dict)
    except ValueError:
        return False


def turn_of(session: str, turn: object, number: int = 0) -> ParsedTurn:
    """Make a turn from its JSON value: a string, or an object that may name its own session_id."""
    if isinstance(turn, str):
        return ParsedTurn(session, {"content": turn}, number)
    if not isinstance(turn, dict):
        return ParsedTurn(session, number=number, wrong=f"a turn is an object or a string, not {turn!r:.80}")
    table = cast(dict[str, Any], turn)
    # session_id is not part of the turn: it would become metadata.
    own = {key: value for key, value in table.items() if key != "session_id"}
    return ParsedTurn(str(table.get("session_id") or session), own, number)


def session_name(table: Table, name: str) -> str:
    """Return the conversation's own name (sample_id or session_id), else `name`, which comes from the file."""
    return str(table.get("sample_id") or table.get("session_id") or name)
