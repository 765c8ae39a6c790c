"""Reads conversations from JSON objects: OpenAI's messages, LoCoMo's sessions, or a single turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

from amr_neo4j.conversations.formats.turns import ParsedTurn, Table, session_name, turn_of

# At most 9 digits: Python refuses to convert a very long string of digits to an int.
_SESSION = re.compile(r"session_\d{1,9}")
_TIME = "%I:%M %p on %d %B, %Y"  # LoCoMo's "1:56 pm on 8 May, 2023"


def has_messages(table: Table) -> bool:
    """Return whether an object has a list of messages."""
    return isinstance(table.get("messages"), list)


def read_messages(table: Table, name: str) -> Iterator[ParsedTurn]:
    """Yield a turn per message. The session is named by the conversation's own id, else by `name`."""
    own = session_name(table, name)
    session = own if own != name else str(table.get("id") or name)
    yield from (turn_of(session, message) for message in table["messages"])


def _has_sessions(table: Table) -> bool:
    """Return whether an object has sessions (session_1, ...) or a conversation that may have them."""
    return isinstance(table.get("conversation"), dict) or any(_SESSION.fullmatch(key) for key in table)


def _read_sessions(table: Table, name: str) -> Iterator[ParsedTurn]:
    """Yield the turns of all sessions, each session under its own name.

    LoCoMo's times have no time zone and are read as UTC. The captions of shared pictures are kept.
    """
    own, inner = session_name(table, name), table.get("conversation")
    talk = cast(Table, inner) if isinstance(inner, dict) else table
    # By number: as strings, session_10 would come before session_2.
    for key in sorted(filter(_SESSION.fullmatch, talk), key=lambda key: int(key.split("_")[1])):
        session = f"{own}/{key}"
        try:
            said = datetime.strptime(talk[f"{key}_date_time"], _TIME).replace(tzinfo=UTC)
        except (KeyError, TypeError, ValueError):
            yield ParsedTurn(session, wrong="it has no time like “1:56 pm on 8 May, 2023”")
            continue
        if not isinstance(talk[key], list):
            yield ParsedTurn(session, wrong=f"its turns are a list, not {talk[key]!r:.80}")
            continue
        for turn in cast(list[object], talk[key]):
            yield _turn(session, turn, said.isoformat())


def _turn(session: str, turn: object, at: str) -> ParsedTurn:
    if not isinstance(turn, dict) or "speaker" not in turn:
        return ParsedTurn(session, wrong=f"a turn has a speaker and a text, not {turn!r:.80}")
    table = cast(dict[str, Any], turn)
    fields = {
        "actor": table["speaker"],
        "content": table.get("text", ""),
        "turn_id": table.get("dia_id", ""),
        "shown": table.get("blip_caption", ""),
        "at": at,
        "metadata": {key: value for key, value in table.items() if key not in ("speaker", "dia_id", "text")},
    }
    return ParsedTurn(session, fields)


def read_object(table: Table, name: str) -> Iterator[ParsedTurn] | None:
    """Return the turns of an object: messages, sessions or a single turn; None if it is none of these."""
    if has_messages(table):
        return read_messages(table, name)
    if _has_sessions(table):
        return _read_sessions(table, name)
    return iter([turn_of(name, table)]) if "content" in table or "text" in table else None
