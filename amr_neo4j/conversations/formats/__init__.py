"""Reads the turns of conversation files: objects.py for formats of JSON objects, lines.py for formats of lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO, cast

from amr_neo4j.conversations.formats import lines as line_formats
from amr_neo4j.conversations.formats.objects import read_object
from amr_neo4j.conversations.formats.turns import (
    ParsedTurn,
    Table,
    is_object,
    lines_of,
    parse_json,
    turn_of,
)
from amr_neo4j.errors import InputError
from amr_neo4j.files import too_large

__all__ = ["Document", "ParsedTurn", "find_document", "read_document", "read_lines"]

LARGEST_DOCUMENT = 64 * 2**20
"""The most characters of a file that is one JSON value, because such a file is read into memory as a whole."""
_CHARACTERS_LOOKED_AT = 2**20  # the format of a file of lines is recognised by its first characters, this many
_BYTE_ORDER_MARK = "\ufeff"

_KNOWN = "known are JSON lines of turns, OpenAI's messages, LoCoMo's sessions, and text like: Anna: good morning"


@dataclass(frozen=True)
class Document:
    """The JSON value of a file that holds one JSON value, not lines."""

    value: object


def find_document(file: TextIO, name: str) -> Document | None:
    """Return the file's JSON value; None if the file holds lines, which are not read into memory.

    Leaves the file at its beginning. Raises InputError: the file is empty, or it is one JSON value of more than
    LARGEST_DOCUMENT characters.
    """
    begin = file.tell()
    lines = (line for line in lines_of(file) if line.strip())
    first, more = next(lines, None), next(lines, None) is not None
    file.seek(begin)
    if first is None:
        raise InputError(f"{name}: the file is empty", hint="name another")
    # Several lines, the first of which is an object by itself: JSON lines.
    if more and is_object(first):
        return None
    # A long file that does not begin like JSON has lines of text, so it need not be read whole to find that out.
    most = LARGEST_DOCUMENT if first.lstrip()[0] in "[{" else _CHARACTERS_LOOKED_AT
    content = file.read(most + 1)
    file.seek(begin)
    if len(content) <= most:
        try:
            return Document(parse_json(content.removeprefix(_BYTE_ORDER_MARK)))
        except ValueError:
            return None
    if most == LARGEST_DOCUMENT and not _are_objects(_head(file)):
        hint = "split it, or write JSON lines, which may be of any number"
        raise too_large(f"{name}: the file is one JSON value that", LARGEST_DOCUMENT, hint)
    return None


def read_document(document: Document, name: str) -> Iterator[ParsedTurn]:
    """Yield the turns of a file that is one JSON value, in order. A turn without a number follows the one before it.

    name: the session's name if the file names none. Raises InputError: the file is in no known format.
    """
    return _placed(_document(document.value, name))


def read_lines(file: TextIO, name: str) -> Iterator[ParsedTurn]:
    """Yield the turns of a file of lines, as `read_document` does, one by one while the file is read."""
    head = _head(file)
    return _placed(line_formats.read(lines_of(file), name, head))


def _placed(turns: Iterable[ParsedTurn]) -> Iterator[ParsedTurn]:
    """Yield the turns with their numbers in the file and their numbers in the session."""
    places: dict[str, int] = {}
    for number, parsed in enumerate(turns, start=1):
        own = parsed.turn.get("turn")
        place = own if isinstance(own, int) else places.get(parsed.session_id, 0)
        places[parsed.session_id] = place + 1
        turn = {**parsed.turn, "turn": place if own is None else own}
        yield replace(parsed, number=parsed.number or number, turn=turn)


def _head(file: TextIO) -> list[str]:
    """Return the lines in the first _CHARACTERS_LOOKED_AT characters. Leaves the file at its beginning."""
    begin, lines, length = file.tell(), list[str](), 0
    for line in lines_of(file):
        lines.append(line)
        length += len(line) + 1
        if length > _CHARACTERS_LOOKED_AT:
            break
    file.seek(begin)
    return lines


def _are_objects(lines: Sequence[str]) -> bool:
    """Return whether at least half of the lines are JSON objects."""
    filled = [line for line in lines if line.strip()]
    return 2 * sum(map(is_object, filled)) >= len(filled)


def _document(whole: object, name: str) -> Iterator[ParsedTurn]:
    """Yield the turns of one JSON value: a conversation, a list of conversations, or a list of turns."""
    if isinstance(whole, dict):
        yield from _conversation(cast(dict[str, Any], whole), name)
    elif isinstance(whole, list) and whole:
        parts = cast(list[object], whole)
        if all(isinstance(part, dict) and ("messages" in part or "conversation" in part) for part in parts):
            for number, part in enumerate(parts, start=1):
                yield from _conversation(cast(dict[str, Any], part), f"{name}-{number}")
        else:
            yield from (turn_of(name, part) for part in parts)
    else:
        raise InputError(f"{name}: no known format of conversations", hint=_KNOWN)


def _conversation(table: Table, name: str) -> Iterator[ParsedTurn]:
    turns = read_object(table, name)
    if turns is None:
        raise InputError(f"{name}: no known format of conversations", hint=_KNOWN)
    yield from turns
