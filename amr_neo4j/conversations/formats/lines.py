"""Reads conversations in lines: one JSON object per line, or plain text.

In plain text a line such as "Anna: good morning" begins a turn, and lines without a name continue it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from amr_neo4j.conversations.formats.objects import has_messages, read_messages
from amr_neo4j.conversations.formats.turns import LONGEST_LINE, ParsedTurn, is_object, parse_json, turn_of

# "Anna: the keys are on the hook"
_SPOKEN = re.compile(r"^(?P<actor>[^\W\d_][\w .'’-]{0,40}?)\s*:\s+(?P<content>\S.*)$")


def read(lines: Iterable[str], name: str, head: Sequence[str]) -> Iterator[ParsedTurn]:
    """Yield the turns of a file. head: its first lines, which show whether the lines are JSON."""
    return _read_json(lines, name) if _are_json(head) else _read_text(lines, name)


def _are_json(lines: Sequence[str]) -> bool:
    """Return whether the first line is a JSON object, or at least half of the lines begin like JSON.

    The second condition keeps a damaged JSON file from being read as plain text.
    """
    filled = [line.strip() for line in lines if line.strip()]
    if is_object(filled[0]):
        return True
    return 2 * sum(line[0] in '{}"' for line in filled) >= len(filled)


def _read_json(lines: Iterable[str], name: str) -> Iterator[ParsedTurn]:
    """Yield one turn per line, numbered by line. A line that is too long or no JSON yields a rejected turn."""
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
        if has_messages(table):
            yield from read_messages(table, f"{name}-{number}")
        else:
            yield turn_of(name, cast(object, part), number)


def _read_text(lines: Iterable[str], name: str) -> Iterator[ParsedTurn]:
    """Yield the turns, each numbered by the line where it begins.

    If the text begins without a name, all of it is one turn. A turn longer than LONGEST_LINE is truncated, which
    bounds the memory; it will be rejected as too long in any case.
    """
    spoken: _Spoken | None = None
    before: list[str] = []  # blank lines
    numbered = enumerate(lines, start=1)
    for number, line in numbered:
        begun = _SPOKEN.match(line)
        if begun:
            if spoken:
                yield spoken.turn(name)
            spoken = _Spoken(number, begun["actor"], begun["content"])
        elif spoken:
            spoken.add(line)
        elif line.strip():
            yield _unspoken([*before, line], (line for _, line in numbered), name)
            return
        else:
            before.append(line)
    if spoken:
        yield spoken.turn(name)


class _Spoken:
    """A turn whose lines are still being read."""

    def __init__(self, number: int, actor: str, first: str) -> None:
        self._number, self._actor, self._lines, self._length = number, actor, [first], len(first)

    def add(self, line: str) -> None:
        """Add a line to the turn, unless the turn is longer than LONGEST_LINE already."""
        if self._length <= LONGEST_LINE:
            self._lines.append(line)
            self._length += len(line) + 1

    def turn(self, name: str) -> ParsedTurn:
        """Return the complete turn."""
        content = "\n".join(self._lines).rstrip()
        return ParsedTurn(name, {"actor": self._actor, "content": content}, self._number)


def _unspoken(begin: list[str], rest: Iterable[str], name: str) -> ParsedTurn:
    """Return all lines as one turn of text without a speaker, truncated just above LONGEST_LINE."""
    length = sum(map(len, begin))
    for line in rest:
        if length > LONGEST_LINE:
            break
        begin.append(line)
        length += len(line) + 1
    return ParsedTurn(name, {"content": "\n".join(begin), "type": "text"})
