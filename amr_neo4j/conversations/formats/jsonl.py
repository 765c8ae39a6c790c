"""JSON Lines: a turn, or a conversation in OpenAI's format, in each line; a bad line is rejected alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from amr_neo4j.conversations.formats import openai
from amr_neo4j.conversations.formats.turns import (
    LONGEST_LINE,
    DocumentFormat,
    ParsedTurn,
    Table,
    TextFormat,
    is_object,
    parse_json,
    turn_of,
)


def matches(lines: list[str]) -> bool:
    """Whether the first line is a JSON object, or most begin like JSON: a broken file is not read as plain text."""
    filled = [line.strip() for line in lines if line.strip()]
    if is_object(filled[0]):
        return True
    return 2 * sum(line[0] in '{}"' for line in filled) >= len(filled)


def read(lines: Iterable[str], name: str) -> Iterator[ParsedTurn]:
    """The turns of all lines; number: of the line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            yield ParsedTurn(name, number=number, wrong=f"longer than {LONGEST_LINE >> 20} MiB")
            continue
        try:
            part = parse_json(line)
        except ValueError as error:
            yield ParsedTurn(name, number=number, wrong=f"no JSON: {error}")
            continue
        table = cast(dict[str, Any], part) if isinstance(part, dict) else {}
        if openai.matches(table):
            yield from openai.read(table, f"{name}-{number}")
        else:
            yield turn_of(name, cast(object, part), number)


def is_turn(table: Table) -> bool:
    """Whether an object is a single turn."""
    return "content" in table or "text" in table


def read_turn(table: Table, name: str) -> Iterator[ParsedTurn]:
    """The turn."""
    yield turn_of(name, table)


FORMAT = TextFormat(matches, read)
SINGLE_TURN = DocumentFormat(is_turn, read_turn)
