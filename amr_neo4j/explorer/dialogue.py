"""One dialogue with the planner's model: turns in sequence; older ones become a summary near the token budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from amr_neo4j.domain.chat import Attachment, Message, Prompt
from amr_neo4j.prompts.library import prompt_part

CHARACTERS_PER_TOKEN = 4
_KEPT_WHOLE = 2
"""Turns at the end that are never summarised."""
_NEAR = 0.85
"""Share of the budget at which older turns are summarised."""


@dataclass(frozen=True)
class Turn:
    """A path in the dialogue. tool: what the tool returned; ask: the question; line: the turn in one line."""

    tool: str
    ask: str
    shown: tuple[Attachment, ...] = ()
    reply: str = ""
    line: str = ""

    @property
    def tokens(self) -> int:
        """About how many it counts for."""
        return _tokens(self.tool + self.ask + self.reply) + sum(each.tokens for each in self.shown)


class Dialogue:
    """What was said so far. summarised: how many turns are in it as one line only."""

    def __init__(self, root: Prompt, budget: int) -> None:
        """root: the rules and the question. budget: tokens of a request at most, about."""
        self._root, self._budget = root, budget
        self._opening = ""
        self._turns: list[Turn] = []
        self.summarised = 0

    @property
    def root(self) -> Prompt:
        """The first request."""
        return self._root

    def open(self, reply: str) -> None:
        """Keep the reply to the first request."""
        self._opening = reply

    def add(self, turn: Turn) -> None:
        """Keep a turn with its reply."""
        self._turns.append(turn)

    def asking(self, turn: Turn) -> Prompt:
        """The request of a further turn, without keeping it."""
        self._shorten(turn.tokens)
        said = [self._opening] + ([self._summary()] if self.summarised else [])
        messages = [*self._root.messages]
        for each in (*self._turns[self.summarised :], turn):
            # What the tool returned is the assistant's, and stands in one message with its last reply: many servers
            # take no two messages of one speaker in a row.
            messages.append(Message("assistant", "\n\n".join(filter(None, [*said, each.tool]))))
            messages.append(Message("user", each.ask, each.shown))
            said = [each.reply]
        return replace(self._root, messages=tuple(messages))

    def _shorten(self, coming: int) -> None:
        """Summarise the oldest turns until the request fits the budget, but for the last ones."""
        while self._size() + coming > self._budget * _NEAR and len(self._turns) - self.summarised > _KEPT_WHOLE:
            self.summarised += 1

    def _size(self) -> int:
        fixed = sum(_tokens(message.text) for message in self._root.messages) + _tokens(self._opening)
        lines = sum(_tokens(turn.line) for turn in self._turns[: self.summarised])
        return fixed + lines + sum(turn.tokens for turn in self._turns[self.summarised :])

    def _summary(self) -> str:
        return prompt_part("explore", "summary", lines=_lines(self._turns[: self.summarised]))


def _lines(turns: Sequence[Turn]) -> str:
    return "\n".join(turn.line for turn in turns)


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN + 1
