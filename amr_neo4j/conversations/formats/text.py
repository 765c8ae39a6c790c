"""Plain text: "Anna: good morning" is a turn, and lines without a speaker continue it; other text is one turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.conversations.formats.turns import ParsedTurn, TextFormat

# "Anna: the keys are on the hook"
_SPOKEN = re.compile(r"^(?P<actor>[^\W\d_][\w .'’-]{0,40}?)\s*:\s+(?P<content>\S.*)$")


def matches(lines: list[str]) -> bool:
    """Any text is plain text."""
    return True


def read(lines: list[str], name: str) -> Iterator[ParsedTurn]:
    """The turns; number: of the line where a turn begins."""
    first = next(number for number, line in enumerate(lines) if line.strip())
    if not _SPOKEN.match(lines[first]):
        yield ParsedTurn(name, {"content": "\n".join(lines), "type": "text"})
        return
    spoken: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(lines[first:], start=first + 1):
        if begun := _SPOKEN.match(line):
            spoken.append((number, begun["actor"], [begun["content"]]))
        else:
            spoken[-1][2].append(line)
    for number, actor, said in spoken:
        yield ParsedTurn(name, {"actor": actor, "content": "\n".join(said).rstrip()}, number)


FORMAT = TextFormat(matches, read)
