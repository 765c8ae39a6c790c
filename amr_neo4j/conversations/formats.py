"""Files of conversations as turns: JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, cast

from amr_neo4j.errors import InputError

Table = Mapping[str, Any]
# "Anna: the keys are on the hook" """
_SPOKEN = re.compile(r"^(?P<actor>[^\W\d_][\w .'’-]{0,40}?)\s*:\s+(?P<content>\S.*)$")
_SESSION = re.compile(r"session_\d+")
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True)
class ParsedTurn:
    """One turn of a file: its session and what it says. number: its place in the file, from 1.

    wrong: why it cannot be taken.
    """

    session_id: str
    turn: Table = field(default_factory=dict[str, Any])
    number: int = 0
    wrong: str = ""


def read_chat(text: str, name: str) -> Iterator[ParsedTurn]:
    """The turns of a file, in order; a turn has the place after the one before it unless it says its own.

    name: of the session where the file names none. Raises InputError: nothing that we know as a conversation.
    """
    places: dict[str, int] = {}
    for number, told in enumerate(_turns(text.removeprefix("\ufeff"), name), start=1):
        own = told.turn.get("turn")
        place = own if isinstance(own, int) else places.get(told.session_id, 0)
        places[told.session_id] = place + 1
        yield replace(told, number=told.number or number, turn={**told.turn, "turn": place if own is None else own})


def _turns(text: str, name: str) -> Iterator[ParsedTurn]:
    if not text.strip():
        raise InputError(f"{name}: the file is empty", hint="name another")
    try:
        whole = _json(text)
    except ValueError:
        lines = text.split("\n")  # splitlines would also cut at characters that JSON strings may hold
        yield from _json_lines(lines, name) if _looks_like_json(lines) else _plain(text, lines, name)
        return
    yield from _document(whole, name)


def _json(text: str) -> object:
    """Raises ValueError: no JSON, or too deep to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _looks_like_json(lines: list[str]) -> bool:
    """Whether the first line is a table, or most begin as JSON does: a broken file is not taken for a text."""
    told = [line.strip() for line in lines if line.strip()]
    if _is_table(told[0]):
        return True
    begun = [line[0] for line in told]
    return 2 * sum(first in '{}"' for first in begun) >= len(begun)


def _is_table(line: str) -> bool:
    try:
        return isinstance(_json(line), dict)
    except ValueError:
        return False


def _document(whole: object, name: str) -> Iterator[ParsedTurn]:
    """One JSON value: a list of messages, a conversation, or several."""
    if isinstance(whole, dict):
        yield from _table(cast(dict[str, Any], whole), name)
    elif isinstance(whole, list) and whole:
        parts = cast(list[object], whole)
        if all(isinstance(part, dict) and ("messages" in part or "conversation" in part) for part in parts):
            for number, part in enumerate(parts, start=1):
                yield from _table(cast(dict[str, Any], part), f"{name}-{number}")
        else:
            yield from (_told(name, part) for part in parts)
    else:
        raise InputError(f"{name}: no conversation that we know", hint=_KNOWN)


def _table(table: Table, name: str) -> Iterator[ParsedTurn]:
    """A conversation as a table, under its own name if it has one; or a single turn."""
    own = str(table.get("sample_id") or table.get("session_id") or name)
    if isinstance(table.get("messages"), list):
        session = own if own != name else str(table.get("id") or name)
        yield from (_told(session, message) for message in table["messages"])
    elif isinstance(table.get("conversation"), dict):
        yield from _locomo(table["conversation"], own)
    elif any(_SESSION.fullmatch(key) for key in table):
        yield from _locomo(table, own)
    elif "content" in table or "text" in table:
        yield _told(name, table)
    else:
        raise InputError(f"{name}: no conversation that we know", hint=_KNOWN)


_KNOWN = "JSON lines of turns, OpenAI's messages, LoCoMo's sessions, or text like: Anna: good morning"


def _json_lines(lines: list[str], name: str) -> Iterator[ParsedTurn]:
    """A turn, or a whole conversation, in each line; one bad line never costs a good one."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            part = _json(line)
        except ValueError as error:
            yield ParsedTurn(name, number=number, wrong=f"no JSON: {error}")
            continue
        table = cast(dict[str, Any], part) if isinstance(part, dict) else {}
        if isinstance(table.get("messages"), list):
            yield from _table(table, f"{name}-{number}")
        else:
            yield _told(name, cast(object, part), number)


def _told(session: str, turn: object, number: int = 0) -> ParsedTurn:
    """number: of its line; 0 where it is counted."""
    if isinstance(turn, str):
        return ParsedTurn(session, {"content": turn}, number)
    if not isinstance(turn, dict):
        return ParsedTurn(session, number=number, wrong=f"a turn is a table or words, not {turn!r:.80}")
    table = cast(dict[str, Any], turn)
    own = {key: value for key, value in table.items() if key != "session_id"}
    return ParsedTurn(str(table.get("session_id") or session), own, number)


def _locomo(talk: Table, name: str) -> Iterator[ParsedTurn]:
    """LoCoMo knows the time of a session, without a zone: UTC. What a shared picture shows is kept."""
    for key in sorted(filter(_SESSION.fullmatch, talk), key=lambda key: int(key.split("_")[1])):
        session = f"{name}/{key}"
        try:
            said = datetime.strptime(talk[f"{key}_date_time"], _LOCOMO_TIME).replace(tzinfo=timezone.utc)
        except (KeyError, TypeError, ValueError):
            yield ParsedTurn(session, wrong="it has no time like “1:56 pm on 8 May, 2023”")
            continue
        for turn in cast(list[object], talk[key]):
            yield _of_locomo(session, turn, said.isoformat())


def _of_locomo(session: str, turn: object, at: str) -> ParsedTurn:
    if not isinstance(turn, dict) or "speaker" not in turn:
        return ParsedTurn(session, wrong=f"a turn has a speaker and a text, not {turn!r:.80}")
    table = cast(dict[str, Any], turn)
    told = {
        "actor": table["speaker"],
        "content": table.get("text", ""),
        "turn_id": table.get("dia_id", ""),
        "shown": table.get("blip_caption", ""),
        "at": at,
        "metadata": {key: value for key, value in table.items() if key not in ("speaker", "dia_id", "text")},
    }
    return ParsedTurn(session, told)


def _plain(text: str, lines: list[str], name: str) -> Iterator[ParsedTurn]:
    """ "Anna: good morning" is a turn; what follows without a speaker belongs to it. Else the whole is one text."""
    first = next(number for number, line in enumerate(lines) if line.strip())
    if not _SPOKEN.match(lines[first]):
        yield ParsedTurn(name, {"content": text, "type": "text"})
        return
    spoken: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(lines[first:], start=first + 1):
        if begun := _SPOKEN.match(line):
            spoken.append((number, begun["actor"], [begun["content"]]))
        else:
            spoken[-1][2].append(line)
    for number, actor, said in spoken:
        yield ParsedTurn(name, {"actor": actor, "content": "\n".join(said).rstrip()}, number)
