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
class Told:
    """One turn of a file: its session and what it says. number: its place in the file, from 1.

    wrong: why it cannot be taken.
    """

    session_id: str
    turn: Table = field(default_factory=dict[str, Any])
    number: int = 0
    wrong: str = ""


def read_chat(text: str, name: str) -> Iterator[Told]:
    """The turns of a file, in order; a turn has its place in its session unless it says another.

    name: of the session where the file names none. Raises InputError: nothing that we know as a conversation.
    """
    places: dict[str, int] = {}
    for number, told in enumerate(_turns(text.removeprefix("\ufeff"), name), start=1):
        place = places.get(told.session_id, 0)
        places[told.session_id] = place + 1
        yield replace(told, number=told.number or number, turn={"turn": place, **told.turn})


def _turns(text: str, name: str) -> Iterator[Told]:
    if not text.strip():
        raise InputError(f"{name}: the file is empty", hint="name another")
    try:
        whole: object = json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        yield from _json_lines(text, name) if lines[0].lstrip().startswith("{") else _plain(lines, name)
        return
    yield from _document(whole, name)


def _document(whole: object, name: str) -> Iterator[Told]:
    """One JSON value: a list of messages, a conversation, or several."""
    if isinstance(whole, dict):
        table = cast(dict[str, Any], whole)
        if isinstance(table.get("messages"), list):
            session = str(table.get("session_id") or table.get("id") or name)
            yield from (_told(session, message) for message in table["messages"])
        elif isinstance(table.get("conversation"), dict):
            yield from _locomo(table["conversation"])
        elif _SESSION.fullmatch(next((key for key in table if _SESSION.fullmatch(key)), "")):
            yield from _locomo(table)
        elif "content" in table or "text" in table:
            yield _told(str(table.get("session_id") or name), table)
        else:
            raise InputError(f"{name}: no conversation that we know", hint=_KNOWN)
        return
    if not isinstance(whole, list) or not whole:
        raise InputError(f"{name}: no conversation that we know", hint=_KNOWN)
    parts = cast(list[object], whole)
    several = all(isinstance(part, dict) and ("messages" in part or "conversation" in part) for part in parts)
    for number, part in enumerate(parts, start=1):
        if several:
            table = cast(dict[str, Any], part)
            own = str(table.get("sample_id") or table.get("session_id") or f"{name}-{number}")
            for told in _document(part, own):
                session = told.session_id if told.session_id == own else f"{own}/{told.session_id}"
                yield replace(told, session_id=session)
        else:
            yield _told(name, part)


_KNOWN = "JSON lines of turns, OpenAI's messages, LoCoMo's sessions, or text like: Anna: good morning"


def _json_lines(text: str, name: str) -> Iterator[Told]:
    """A turn, or a whole conversation, in each line; one bad line never costs a good one."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            part = json.loads(line)
        except ValueError as error:
            yield Told(name, number=number, wrong=f"line {number} is no JSON: {error}")
            continue
        table = cast(dict[str, Any], part) if isinstance(part, dict) else {}
        if "messages" in table:
            yield from _document(table, f"{name}-{number}")
        else:
            yield _told(name, cast(object, part), number)


def _told(session: str, turn: object, number: int = 0) -> Told:
    if isinstance(turn, str):
        return Told(session, {"content": turn}, number)
    if not isinstance(turn, dict):
        return Told(session, number=number, wrong=f"turn {number} is no table but {type(turn).__name__}")
    table = cast(dict[str, Any], turn)
    own = {key: value for key, value in table.items() if key != "session_id"}
    return Told(str(table.get("session_id") or session), own, number)


def _locomo(talk: Table) -> Iterator[Told]:
    """LoCoMo knows the time of a session, without a zone: UTC. What a shared picture shows is kept."""
    for session in sorted(filter(_SESSION.fullmatch, talk), key=lambda name: int(name.split("_")[1])):
        try:
            said = datetime.strptime(talk[f"{session}_date_time"], _LOCOMO_TIME).replace(tzinfo=timezone.utc)
        except (KeyError, ValueError) as error:
            raise InputError(f"{session} has no time like “1:56 pm on 8 May, 2023”", hint=_KNOWN) from error
        for turn in talk[session]:
            own = {key: value for key, value in turn.items() if key not in ("speaker", "dia_id", "text")}
            yield Told(
                session,
                {
                    "actor": turn["speaker"],
                    "content": turn.get("text", ""),
                    "turn_id": turn.get("dia_id", ""),
                    "shown": turn.get("blip_caption", ""),
                    "at": said.isoformat(),
                    "metadata": own,
                },
            )


def _plain(lines: list[str], name: str) -> Iterator[Told]:
    """ "Anna: good morning" is a turn; a line without a speaker goes on with the turn before it. Else a text."""
    if not _SPOKEN.match(lines[0]):
        yield Told(name, {"content": "\n".join(lines), "type": "text"})
        return
    turn: dict[str, Any] = {}
    for line in lines:
        if spoken := _SPOKEN.match(line):
            if turn:
                yield Told(name, turn)
            turn = {"actor": spoken["actor"], "content": spoken["content"]}
        else:
            turn["content"] += f"\n{line}"
    yield Told(name, turn)
