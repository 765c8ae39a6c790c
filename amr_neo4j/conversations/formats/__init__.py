"""Files of conversations as turns. A format is a module beside this one, listed in DOCUMENTS or TEXTS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from amr_neo4j.conversations.formats import jsonl, locomo, openai, text
from amr_neo4j.conversations.formats.turns import DocumentFormat, ParsedTurn, Table, TextFormat, parse_json, turn_of
from amr_neo4j.errors import InputError

__all__ = ["ParsedTurn", "read_chat"]

DOCUMENTS: tuple[DocumentFormat, ...] = (openai.FORMAT, locomo.FORMAT, jsonl.SINGLE_TURN)
"""Formats of a file that is one JSON value; the first that matches counts."""
TEXTS: tuple[TextFormat, ...] = (jsonl.FORMAT, text.FORMAT)
"""Formats of all other files; the first that matches counts."""
_KNOWN = "known are JSON lines of turns, OpenAI's messages, LoCoMo's sessions, and text like: Anna: good morning"


def read_chat(content: str, name: str) -> Iterator[ParsedTurn]:
    """The turns of a file, in order; a turn without a place follows the one before it.

    name: of the session where the file names none. Raises InputError: the file is in no known format.
    """
    places: dict[str, int] = {}
    for number, parsed in enumerate(_turns(content.removeprefix("\ufeff"), name), start=1):
        own = parsed.turn.get("turn")
        place = own if isinstance(own, int) else places.get(parsed.session_id, 0)
        places[parsed.session_id] = place + 1
        turn = {**parsed.turn, "turn": place if own is None else own}
        yield replace(parsed, number=parsed.number or number, turn=turn)


def _turns(content: str, name: str) -> Iterator[ParsedTurn]:
    if not content.strip():
        raise InputError(f"{name}: the file is empty", hint="name another")
    try:
        whole = parse_json(content)
    except ValueError:
        lines = content.split("\n")  # splitlines would also split at characters that JSON strings may hold
        yield from next(form for form in TEXTS if form.matches(lines)).read(lines, name)
        return
    yield from _document(whole, name)


def _document(whole: object, name: str) -> Iterator[ParsedTurn]:
    """One JSON value: a conversation, a list of several, or a list of turns."""
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
    known = next((form for form in DOCUMENTS if form.matches(table)), None)
    if known is None:
        raise InputError(f"{name}: no known format of conversations", hint=_KNOWN)
    yield from known.read(table, name)
