"""Plain text: "Anna: good morning" is a turn, and lines without a speaker continue it; other text is one turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from amr_neo4j.conversations.formats.turns import LONGEST_LINE, ParsedTurn, TextFormat

# "Anna: the keys are on the hook"
_SPOKEN = re.compile(r"^(?P<actor>[^\W\d_][\w .'’-]{0,40}?)\s*:\s+(?P<content>\S.*)$")


def matches(lines: list[str]) -> bool:
    """Any text is plain text."""
    return True


def read(lines: Iterable[str], name: str) -> Iterator[ParsedTurn]:
    """The turns; number: of the line where a turn begins. One over LONGEST_LINE is cut: it is too long for a turn."""
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
    """A turn that is being read."""

    def __init__(self, number: int, actor: str, first: str) -> None:
        self._number, self._actor, self._lines, self._length = number, actor, [first], len(first)

    def add(self, line: str) -> None:
        """Continue the turn."""
        if self._length <= LONGEST_LINE:
            self._lines.append(line)
            self._length += len(line) + 1

    def turn(self, name: str) -> ParsedTurn:
        """The turn, complete."""
        content = "\n".join(self._lines).rstrip()
        return ParsedTurn(name, {"actor": self._actor, "content": content}, self._number)


def _unspoken(begin: list[str], rest: Iterable[str], name: str) -> ParsedTurn:
    """All lines as one turn."""
    length = sum(map(len, begin))
    for line in rest:
        if length > LONGEST_LINE:
            break
        begin.append(line)
        length += len(line) + 1
    return ParsedTurn(name, {"content": "\n".join(begin), "type": "text"})


FORMAT = TextFormat(matches, read)
