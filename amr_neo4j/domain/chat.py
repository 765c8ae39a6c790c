"""Prompts for chat models, and the usage of their calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, field, replace
from typing import Literal

Speaker = Literal["system", "user", "assistant"]
CHARACTERS_PER_TOKEN = 4
"""An estimate that needs no tokeniser."""


@dataclass(frozen=True)
class Attachment:
    """A picture, video or sound in a message.

    mime: the type of the data, for example image/jpeg, video/mp4 or audio/mpeg.
    caption: text that is put before it.
    tokens: roughly how many tokens it counts as, to estimate the price.
    """

    mime: str
    data: bytes = field(repr=False)
    caption: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class Message:
    """One message to or from a model. shown: attachments, which follow the text in this order."""

    speaker: Speaker
    text: str
    shown: tuple[Attachment, ...] = ()


@dataclass(frozen=True)
class Prompt:
    """A prompt whose placeholders are filled in.

    name, version: those of the prompt file.
    correction: the text that is added if the reply cannot be used; {wrong} in it stands for the reason.
    """

    messages: tuple[Message, ...]
    name: str = ""
    version: int = 0
    correction: str = "Your last reply could not be used: {wrong}. Return only the one JSON object asked for."

    @property
    def tokens(self) -> int:
        """About how many tokens it has, with its attachments."""
        attached = sum(attachment.tokens for message in self.messages for attachment in message.shown)
        return sum(len(message.text) for message in self.messages) // CHARACTERS_PER_TOKEN + 1 + attached

    def corrected(self, wrong: str) -> Prompt:
        """Return the prompt with the correction appended to its last message.

        The correction is not a message of its own, because many local models reject two messages of one speaker in a
        row.
        """
        *before, last = self.messages
        text = f"{last.text}\n\n{self.correction.replace('{wrong}', wrong)}"
        return replace(self, messages=(*before, replace(last, text=text)))

    def showing(self, attachments: Iterable[Attachment]) -> Prompt:
        """Return the prompt with these attachments added to its last message."""
        *before, last = self.messages
        return replace(self, messages=(*before, replace(last, shown=(*last.shown, *attachments))))


@dataclass(frozen=True)
class ModelCall:
    """One call to a model, including its retries.

    cost_usd: None if the price is unknown.
    seconds: with all retries and waits.
    failed: the class name of the error that ended it; empty if it succeeded.
    left_out: parameters that the server refused and that were left out.
    """

    role: str
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    retries: int = 0
    seconds: float = 0.0
    failed: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Usage:
    """The sum of several calls. cost_usd leaves out `unpriced` calls, whose price is unknown."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @classmethod
    def of(cls, calls: Iterable[ModelCall]) -> Usage:
        """Return the sum of these calls."""
        made = tuple(calls)
        return cls(
            calls=len(made),
            failed=sum(bool(call.failed) for call in made),
            retries=sum(call.retries for call in made),
            tokens_in=sum(call.tokens_in for call in made),
            tokens_out=sum(call.tokens_out for call in made),
            cost_usd=sum(call.cost_usd or 0.0 for call in made),
            unpriced=sum(call.cost_usd is None for call in made),
        )

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of both."""
        # Every field is a number that adds up.
        return Usage(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))
