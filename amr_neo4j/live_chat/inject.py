"""Puts hints into the messages of a chat, as OpenAI's chat format has them (specification 001 3)."""

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


class Recalled(NamedTuple):
    """Lines that were recalled in passing."""

    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.facts or self.episodes)


NOTHING = Recalled()


@dataclass(frozen=True, slots=True)
class InjectItem:
    """A hint and the turn it was chosen for."""

    turn: int
    hint: Hint


def rotating(
    messages: Sequence[Message],
    hints: Sequence[Hint],
    options: HotOptions,
    now: datetime,
    recalled: Recalled = NOTHING,
) -> list[Message]:
    """The messages with one message of hints before the last user message; an earlier one of ours is replaced.

    hints: of the last turns that are still believed (of_window). recalled: in passing. Without any of these, no
    message is added.
    """
    others = [message for message in messages if not is_ours(message)]
    if not hints and not recalled:
        return others
    moment = now.astimezone(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
    fresh = f"Context from the last {options.window} conversational turns (updated: {moment})"
    return _before_last_user(others, _message([options.header, fresh], hints, options, recalled))


def per_turn(
    messages: Sequence[Message], hints: Sequence[Hint], options: HotOptions, recalled: Recalled = NOTHING
) -> list[Message]:
    """The messages with one more message of hints; of ours, only those of the last turns stay."""
    ours = [position for position, message in enumerate(messages) if is_ours(message)]
    pruned = set(ours[: max(0, len(ours) - options.window + bool(hints or recalled))])
    kept = [message for position, message in enumerate(messages) if position not in pruned]
    if not hints and not recalled:
        return kept
    return _before_last_user(kept, _message([options.header], hints, options, recalled))


def is_ours(message: Message) -> bool:
    """Whether this module added it."""
    return message.get("name") == MARK


def of_window(window: Sequence[InjectItem], most: int) -> list[Hint]:
    """The hints of the last turns: each fact once, the latest turns first, then the better score; at most `most`."""
    best: dict[Triple, InjectItem] = {}
    for item in sorted(window, key=lambda item: (item.turn, item.hint.score)):
        best[item.hint.triple] = item
    return [item.hint for item in sorted(best.values(), key=lambda item: (-item.turn, -item.hint.score))[:most]]


def _message(head: Sequence[str], hints: Sequence[Hint], options: HotOptions, recalled: Recalled) -> Message:
    lines = [*head, *(f"• {text}" for text in (*(hint.text for hint in hints), *recalled.facts))]
    if recalled.episodes:
        lines += [options.stream_header, *(f"• {text}" for text in recalled.episodes)]
    return {"role": options.role, "name": MARK, "content": "\n".join(lines)}


def _before_last_user(messages: Sequence[Message], added: Message) -> list[Message]:
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=len(messages))
    return [*messages[:last], added, *messages[last:]]
