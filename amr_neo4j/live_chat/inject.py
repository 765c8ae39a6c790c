"""Puts what memory knows into the messages of a chat, in OpenAI's chat format (specification 001 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

from amr_neo4j.domain.fact import Triple
from amr_neo4j.live_chat.options import HotOptions
from amr_neo4j.live_chat.retrieve import Hint

Message = Mapping[str, Any]
MARK = "amr_memory"
"""The name of the messages that this module adds: only those are replaced and removed."""


class InjectedLines(NamedTuple):
    """The lines of our message: facts, then episodes under a heading of their own."""

    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InjectItem:
    """A hint and the turn it was chosen for."""

    turn: int
    hint: Hint


def rotating(
    messages: Sequence[Message], lines: InjectedLines, options: HotOptions, *, now: datetime
) -> list[Message]:
    """The messages with ours before the last user message, in place of an earlier one of ours."""
    others = [message for message in messages if not is_ours(message)]
    moment = now.astimezone(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
    fresh = f"Context from the last {options.window} conversational turns (updated: {moment})"
    return _with_ours(others, [options.header, fresh], lines, options)


def per_turn(messages: Sequence[Message], lines: InjectedLines, options: HotOptions) -> list[Message]:
    """The messages with one more of ours; of ours, only those of the last turns stay."""
    ours = [position for position, message in enumerate(messages) if is_ours(message)]
    room = options.window - (1 if any(lines) else 0)
    pruned = set(ours[: max(0, len(ours) - room)])
    kept = [message for position, message in enumerate(messages) if position not in pruned]
    return _with_ours(kept, [options.header], lines, options)


def is_ours(message: Message) -> bool:
    """Whether this module added it."""
    return message.get("name") == MARK


def of_window(window: Sequence[InjectItem], most: int) -> list[Hint]:
    """The hints of the last turns: each fact once, the latest turns first, then the better score; at most `most`."""
    best: dict[Triple, InjectItem] = {}
    for item in sorted(window, key=lambda item: (item.turn, item.hint.score)):
        best[item.hint.triple] = item
    latest_first = sorted(best.values(), key=lambda item: (-item.turn, -item.hint.score))
    return [item.hint for item in latest_first[:most]]


def _with_ours(
    messages: Sequence[Message], heading: Sequence[str], lines: InjectedLines, options: HotOptions
) -> list[Message]:
    if not any(lines):
        return list(messages)
    shown = [*heading, *(f"• {text}" for text in lines.facts)]
    if lines.episodes:
        shown += [options.stream_header, *(f"• {text}" for text in lines.episodes)]
    ours = {"role": options.role, "name": MARK, "content": "\n".join(shown)}
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=len(messages))
    return [*messages[:last], ours, *messages[last:]]
