"""A chat model over the OpenAI API: text whole or in pieces, or one JSON object of a given shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from amr_neo4j.domain.chat import Prompt
from amr_neo4j.domain.ports import Shape
from amr_neo4j.errors import ModelUnavailable, ReplyCut, UnusableReply
from amr_neo4j.model_roles import ChatRole
from amr_neo4j.models.client import CHARACTERS_A_TOKEN, ModelClient
from amr_neo4j.models.endpoints import Endpoint
from amr_neo4j.models.json_reply import read
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.lenient_reply import read_leniently
from amr_neo4j.models.message_parts import content
from amr_neo4j.models.responses import Completion
from amr_neo4j.models.schema import response_format
from amr_neo4j.models.unsupported_params import Body

_PATH = "/chat/completions"
Found = TypeVar("Found")


class Chat:
    """ChatModel (domain/ports.py) for one role. Safe to use from several threads."""

    def __init__(
        self, to: Endpoint, role: ChatRole, ledger: Ledger, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """sleep: how the waits between retries are spent."""
        self.model = to.model
        self._to, self._role = to, role
        self._api = ModelClient(to, role, ledger, sleep)

    def complete(self, prompt: Prompt) -> str:
        """The whole reply, never empty. ReplyCut.text is what came of one that ran into the token limit."""
        text, finish = self._reply(prompt)
        if finish == "length":
            raise self._cut(text)
        if not text.strip():
            raise UnusableReply(f"{self._to} replies nothing")
        return text

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces as they come. ReplyCut follows the last one, ModelUnavailable where it breaks off."""
        body = self._body(prompt) | {"stream_options": {"include_usage": True}}
        told, finish = "", ""
        for chunk in self._api.stream(_PATH, body, characters=_length(prompt)):
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                told += choice.delta.content
                if choice.delta.content:
                    yield choice.delta.content
        if finish == "length":
            raise self._cut(told)
        if not finish:
            raise ModelUnavailable(f"{self._to} breaks off its reply", hint="try again")
        if not told.strip():
            raise UnusableReply(f"{self._to} replies nothing")

    def ask(self, prompt: Prompt, shape: type[Shape]) -> Shape:
        """The one JSON object of the reply, of this shape, asked for once more where it is not."""
        return self._asked(prompt, shape, lambda text: read(text, shape))

    def ask_leniently(
        self, prompt: Prompt, shape: type[Shape], check: Callable[[Shape], object] = lambda reply: None
    ) -> tuple[Shape, tuple[str, ...]]:
        """The same, where a slip that leaves no doubt of what is meant is put right; a note for each.

        check: raises ValueError, in words for the model, for an object that is of no use though its shape is right.
        """

        def take(text: str) -> tuple[Shape, tuple[str, ...]]:
            reply, notes = read_leniently(text, shape)
            check(reply)
            return reply, notes

        return self._asked(prompt, shape, take)

    def _asked(self, prompt: Prompt, shape: type[Shape], take: Callable[[str], Found]) -> Found:
        """What is taken from the reply, or from a second one where `take` raises ValueError."""
        text, finish = self._reply(prompt, response_format=response_format(shape))
        try:
            return take(text)
        except ValueError as wrong:
            again = prompt.corrected(self._complaint(wrong, finish))
        text, finish = self._reply(again, response_format=response_format(shape))
        try:
            return take(text)
        except ValueError as wrong:
            hint = f"try another model under {self._to.role}"
            why = f"{self._to} gives no usable JSON, twice: {self._complaint(wrong, finish)}"
            raise UnusableReply(why, hint=hint, text=text) from wrong

    def _complaint(self, wrong: ValueError, finish: str) -> str:
        """What is wrong with the reply, in words for the model."""
        return (
            f"it was cut off after {self._role.max_tokens} tokens, keep it shorter"
            if finish == "length"
            else str(wrong)
        )

    def _reply(self, prompt: Prompt, **more: object) -> tuple[str, str]:
        """(text, finish reason)."""
        body = self._body(prompt) | more
        choices = self._api.post(_PATH, body, Completion, characters=_length(prompt)).choices
        if not choices:
            return "", ""
        said = choices[0].message
        if said.refusal:
            raise UnusableReply(f"{self._to} declines: {said.refusal[:200]}")
        return said.content, choices[0].finish_reason

    def _body(self, prompt: Prompt) -> Body:
        return {
            "messages": [{"role": message.speaker, "content": content(message)} for message in prompt.messages],
            "temperature": self._role.temperature,
            "max_tokens": self._role.max_tokens,
        }

    def _cut(self, text: str) -> ReplyCut:
        message = f"{self._to} is cut off after {self._role.max_tokens} tokens"
        return ReplyCut(message, hint=f"raise max_tokens under {self._to.role}", text=text)


def _length(prompt: Prompt) -> int:
    """Characters of its text, and as many as what it shows counts for."""
    shown = sum(attachment.tokens for message in prompt.messages for attachment in message.shown)
    return sum(len(message.text) for message in prompt.messages) + CHARACTERS_A_TOKEN * shown
