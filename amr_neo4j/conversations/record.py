"""Validates turns and makes episodes from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import uuid4

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from amr_neo4j.domain.episode import (
    DEFAULT_ACTOR,
    LONGEST_NAME,
    LONGEST_TURN,
    Episode,
    Session,
    composed,
    content_hash,
    fit,
    turn_episode_id,
)
from amr_neo4j.domain.masking import mask_in, mask_secrets
from amr_neo4j.domain.timestamps import not_ahead, storable
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language

# The highest number of a turn. It is far below the largest 64-bit number of the graph, so that the number of the next
# turn always fits too.
_LAST_TURN = 2**53


def _named(text: str) -> str:
    """Return the text. Raises ValueError if it is blank."""
    if not text.strip():
        raise ValueError("is empty")
    return text


Text = Annotated[str, AfterValidator(fit)]
Word = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(fit)]
Name = Annotated[Word, AfterValidator(_named)]


_SPEAKERS = ("actor", "speaker", "role", "name")


class ChatTurn(BaseModel):
    """One turn as a caller writes it, with OpenAI's keys or those of specification 004. Others become metadata."""

    # Many files write ids and names as numbers. They are read as text.
    model_config = ConfigDict(extra="allow", populate_by_name=True, coerce_numbers_to_str=True)

    content: Text | list[Any] | dict[str, Any] | None = Field(None, validation_alias=AliasChoices("content", "text"))
    # A role is preferred to a name: in OpenAI's messages, an assistant or a tool may have a name as well.
    actor: Annotated[Name, AfterValidator(composed)] = Field(DEFAULT_ACTOR, validation_alias=AliasChoices(*_SPEAKERS))
    episode_id: Name | None = Field(None, validation_alias=AliasChoices("episode_id", "id"))
    turn: int | None = Field(None, ge=0, le=_LAST_TURN)
    turn_id: Word = ""
    type: Literal["message", "text", "JSON"] = "message"
    valid_at: Annotated[AwareDatetime, AfterValidator(storable)] | None = Field(
        None, validation_alias=AliasChoices("valid_at", "validAt", "at", "timestamp")
    )
    shown: Text = ""
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Drop the speakers that are null: OpenAI's clients write "name": null for a message without a name."""
        if not isinstance(given, Mapping):  # pydantic says what is expected
            return given
        table = cast(Mapping[str, Any], given)
        return {key: value for key, value in table.items() if value is not None or key not in _SPEAKERS}


Turn = Mapping[str, Any] | str


def several_episodes(
    turns: Iterable[Turn], session: Session, now: datetime, language: Language, *, masks: bool = False
) -> list[Episode]:
    """Make episodes of a session from turns. now: the time of turns without one.

    A turn is a string, or a mapping with content and other fields. Raises InputError: a turn is invalid. No episode
    is returned then.
    """
    episodes: list[Episode] = []
    for number, turn in enumerate(turns, start=1):
        before = episodes[-1].content if episodes else ""
        episodes.append(one_episode(turn, session, now, language, number, masks=masks, before=before))
    return episodes


def one_episode(
    turn: Turn,
    session: Session,
    now: datetime,
    language: Language,
    number: int = 1,
    *,
    masks: bool = False,
    before: str = "",
) -> Episode:
    """Make an episode from one turn. number: the turn's number, for error messages.

    A turn that is dated more than a day ahead of `now` counts as said now; the metadata keeps its date as `dated`.

    masks: mask secrets in everything that the episode holds, its hash and id too.
    before: the turn before, which may ask for a password.
    """
    table: Mapping[str, Any] = {"content": turn} if isinstance(turn, str) else turn
    try:
        said = ChatTurn.model_validate(table)
    except ValidationError as error:
        raise InputError(f"turn {number}: {_first(error)}", hint=_HINT) from error
    content, kind = _content(said)
    if not (content.strip() or said.shown.strip()) or len(content) > LONGEST_TURN:
        why = f"is longer than {LONGEST_TURN:,} characters" if len(content) > LONGEST_TURN else "is empty"
        raise InputError(f"turn {number} {why}", hint=_HINT)
    metadata, shown = _metadata(said, number), said.shown
    if masks:
        content, shown, metadata = mask_secrets(content, before), mask_secrets(shown), mask_in(metadata)
    given, content = content, composed(content)
    if given != content:
        metadata[_ORIGINAL] = given  # an episode keeps its input verbatim
    valid_at, note = not_ahead(said.valid_at or now, now)
    parts = {
        "type": kind,
        "actor": said.actor,
        "content": content,
        "turn_id": said.turn_id,
        "shown": shown,
        "valid_at": said.valid_at,
        "metadata": metadata,
    }
    sha256 = content_hash(parts)
    return Episode(
        session=session,
        episode_id=said.episode_id or _id(session, said, sha256),
        type=kind,
        actor=said.actor,
        actor_id=language.person_key(said.actor).person_id,
        content=content,
        valid_at=valid_at,
        turn=said.turn,
        turn_id=said.turn_id,
        shown=shown,
        metadata=metadata | note,
        content_sha256=sha256,
    )


# The key in metadata of the content as it came in, if that was not in composed form (Unicode NFC).
_ORIGINAL = "original"
_HINT = 'a turn is like {"actor": "Anna", "content": "The keys are on the hook.", "at": "2026-03-01T09:00:00+01:00"}'


def _id(session: Session, said: ChatTurn, sha256: str) -> str:
    """Return the episode's id.

    If the turn has a number, the number identifies it. If it has a turn_id or a time of its own, that identifies it
    together with its speaker and words. So a repeated call adds nothing. Any other turn gets a random id, because
    the same words can be said twice.
    """
    if said.turn is not None:
        return turn_episode_id(session.session_id, said.turn)
    return (
        f"ep_{content_hash({'session_id': session.session_id, 'sha256': sha256})}"
        if said.turn_id or said.valid_at
        else f"ep_{uuid4().hex}"
    )


def _content(said: ChatTurn) -> tuple[str, Literal["message", "text", "JSON"]]:
    """Return (content, type). Text is kept verbatim; tool calls and other objects become JSON."""
    extra = said.model_extra or {}
    if isinstance(said.content, str):
        return said.content, said.type
    if isinstance(said.content, list):
        return "\n".join(_words(said.content)), said.type
    # A message that only calls tools has no content in OpenAI's format. Its calls are stored as its content.
    calls = said.content if said.content is not None else extra.get("tool_calls")
    return ("" if calls is None else json.dumps(calls, ensure_ascii=False)), "JSON"


def _words(parts: Sequence[Any]) -> list[str]:
    """Return the texts of a message that is a list of parts, such as [{"type": "text", "text": "Hello"}]."""
    tables = (cast(Mapping[str, Any], part) if isinstance(part, Mapping) else {"text": part} for part in parts)
    return [str(table.get("text", "")) for table in tables]


def _metadata(said: ChatTurn, number: int) -> dict[str, Any]:
    """Return all fields that ChatTurn does not name, with the parts of a message. Raises InputError: not JSON."""
    parts = {"content": said.content} if isinstance(said.content, list) else {}
    known = said.metadata | dict(said.model_extra or {}) | parts
    try:
        fit(json.dumps(known, ensure_ascii=False))  # metadata is stored as JSON text
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"turn {number}: metadata: {error}", hint="use values that JSON can hold") from error
    return known


def _first(error: ValidationError) -> str:
    """Return the first validation error with its field, on one line."""
    complaint = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in complaint["loc"][:1])
    reason = " ".join(complaint["msg"].split())
    if complaint["type"] == "timezone_aware":
        reason = "lacks its offset from UTC"
    elif complaint["type"] == "value_error":
        reason = reason.removeprefix("Value error, ")
    return f"{where}: {reason}" if where else reason
