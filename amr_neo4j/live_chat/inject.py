"""Adds facts and episodes to the messages of a chat, in OpenAI's chat format (specification 001 3).

They are quoted as data. None of them can contain the words that end the quotation, so nothing recalled can close it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.masking import mask_secrets
from amr_neo4j.domain.prompt_injection import marked, suspected_injection
from amr_neo4j.live_chat.retrieve import Hint
from amr_neo4j.prompts.library import prompt

Message = Mapping[str, Any]
MARK = "amr_memory"
"""The name of the messages that this module adds. It replaces and removes only messages with this name."""


class InjectedLines(NamedTuple):
    """The lines of the added message: facts first, then episodes under a heading of their own."""

    facts: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InjectItem:
    """A hint and the number of the turn it was chosen for."""

    turn: int
    hint: Hint


def rotating(
    messages: Sequence[Message], lines: InjectedLines, options: HotOptions, *, now: datetime
) -> list[Message]:
    """Return the messages with one of ours before the last user message. Earlier ones of ours are removed.

    now: shown in the message.
    """
    others = [message for message in messages if not is_ours(message)]
    moment = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    fresh = f"Context from the last {options.hint_window} conversational turns (updated: {moment})"
    return _with_ours(others, [options.inject_header, fresh], lines, options)


def per_turn(messages: Sequence[Message], lines: InjectedLines, options: HotOptions) -> list[Message]:
    """Return the messages with one more, which has `lines`.

    Of the messages that this module added, the oldest are dropped until `options.hint_window` are left.
    """
    ours = [position for position, message in enumerate(messages) if is_ours(message)]
    room = options.hint_window - (1 if any(lines) else 0)  # a place for the new message, if there is one
    pruned = set(ours[: max(0, len(ours) - room)])
    kept = [message for position, message in enumerate(messages) if position not in pruned]
    return _with_ours(kept, [options.inject_header], lines, options)


def is_ours(message: Message) -> bool:
    """Return whether this module has added the message."""
    return message.get("name") == MARK


def of_window(window: Sequence[InjectItem]) -> list[Hint]:
    """Return the hints of the last turns, each fact once: the latest turns first, then by score."""
    # In ascending order, so that the latest and best hint of a fact overwrites the others.
    best: dict[Triple, InjectItem] = {}
    for item in sorted(window, key=lambda item: (item.turn, item.hint.score)):
        best[item.hint.triple] = item
    latest_first = sorted(best.values(), key=lambda item: (-item.turn, -item.hint.score))
    return [item.hint for item in latest_first]


def _with_ours(
    messages: Sequence[Message], heading: Sequence[str], lines: InjectedLines, options: HotOptions
) -> list[Message]:
    """Return the messages with ours before the last user message, or at the end if there is none."""
    if not any(lines):
        return list(messages)
    quoted = [_bullet(marked(text, suspected=suspected_injection(text))) for text in lines.facts]
    if lines.episodes:
        quoted += [options.stream_header, *map(_bullet, lines.episodes)]
    texts = (message.text for message in prompt("memory", lines="\n".join(quoted)).messages)
    ours = {"role": options.inject_role, "name": MARK, "content": "\n".join([*heading, *texts])}
    last = max((at for at, message in enumerate(messages) if message.get("role") == "user"), default=len(messages))
    return [*messages[:last], ours, *messages[last:]]


def _bullet(text: str) -> str:
    # Each bullet is masked by itself, so that a secret in one masks nothing in the next. It becomes one line, so that
    # nothing recalled can look like a line of its own.
    return f"• {' '.join(mask_secrets(text).split())}"
