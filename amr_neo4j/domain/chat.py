"""What is asked of a chat model, and what its calls have cost."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal

Speaker = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a model."""

    speaker: Speaker
    text: str


@dataclass(frozen=True)
class Prompt:
    """Filled in and ready to send. name, version: of the prompt file it came from.

    correction: what is added when the reply cannot be used; {wrong} in it stands for what was wrong.
    """

    messages: tuple[Message, ...]
    name: str = ""
    version: int = 0
    correction: str = "Your last reply could not be used: {wrong}. Return only the one JSON object asked for."

    def corrected(self, wrong: str) -> Prompt:
        """The same, stricter, with what was wrong at the end of the last message.

        No message is added: many local models take no two of one speaker in a row.
        """
        *before, last = self.messages
        text = f"{last.text}\n\n{self.correction.replace('{wrong}', wrong)}"
        return Prompt((*before, Message(last.speaker, text)), self.name, self.version, self.correction)


@dataclass(frozen=True)
class ModelCall:
    """One call to a model, however often it had to be tried. cost_usd is None where nobody knows the price.

    failed: the class of the error it ended in; empty where it did not. seconds: with all retries and waits.
    """

    role: str
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    retries: int = 0
    seconds: float = 0.0
    failed: str = ""


@dataclass(frozen=True)
class Usage:
    """What calls added up to. cost_usd leaves out the `unpriced` calls, those whose price nobody knows."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))
