"""A chat model over the OpenAI API: plain text, streamed text, or one JSON object of a given schema."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from amr_neo4j.domain.chat import CHARACTERS_PER_TOKEN, Attachment, Message, Prompt
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.ports import Shape
from amr_neo4j.errors import ModelError, ReplyCut, RequestModerated, RequestRefused, StreamBroken, UnusableReply
from amr_neo4j.model_roles import ChatRole
from amr_neo4j.models.client import ModelClient
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.json_reply import joined_pieces, without_thinking, without_thinking_in
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.models.lenient_reply import read_leniently
from amr_neo4j.models.responses import Choice, ChunkChoice, Completion, ReportedError
from amr_neo4j.models.retries import WaitBudget

_PATH = "/chat/completions"
# No tokenizer has tokens this long. A longer reply comes from a server that ignores max_tokens.
_MOST_CHARACTERS_PER_TOKEN = 32
_AUDIO_FORMATS = {"audio/mpeg": "mp3", "audio/wav": "wav"}
# Keywords that some providers reject in a schema; the reply is validated against them anyway.
_OMITTED = {
    "default",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
}


# After its thinking used all of max_tokens, a model is asked once more with this many times as many.
_MORE_TOKENS = 4


@dataclass
class _Finish:
    """How a reply ended, whole or streamed: with a reason, a refusal or an error; with none if it broke off."""

    reason: str = ""
    refusal: str = ""
    error: ReportedError | None = None

    def add(self, choice: Choice | ChunkChoice) -> None:
        said = choice.message if isinstance(choice, Choice) else choice.delta
        self.reason = choice.finish_reason or self.reason
        self.refusal += said.refusal
        self.error = choice.error or self.error


class Chat:
    """The ChatModel port (domain/ports.py) for one role. Thread-safe."""

    def __init__(
        self, to: Endpoint, role: ChatRole, ledger: Ledger, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """sleep: called with the seconds to wait between retries."""
        self._role = role
        self._client, self._names_answerer = ModelClient(to, role, ledger, sleep=sleep), False

    @property
    def _to(self) -> Endpoint:
        return self._client.to

    def for_question(self, budget: WaitBudget) -> Chat:
        """Return this model for one question. `model` then is the one that answered, as the provider names it."""
        other = copy(self)
        other._client, other._names_answerer = self._client.for_question(budget), True
        return other

    @property
    def model(self) -> str:
        """Its name at the provider. Raises ConfigError: none is set and the server has several."""
        if self._names_answerer and self._client.answered_by:
            return self._client.answered_by
        try:
            return self._client.served().model
        except ModelError:
            return self._to.model

    def most_cost(self, tokens: int) -> float:
        """Return the most US dollars that a call with this many tokens of input may cost.

        Raises ConfigError: the price is not known.
        """
        return self._client.limited_cost(tokens, self._role.max_tokens)

    def complete(self, prompt: Prompt) -> str:
        """Return the whole reply, never empty. Raises ReplyCut (text: the truncated reply), ModelError."""
        text, finish = self._reply(prompt)
        if finish == "length":
            raise self._cut(text)
        if not text:
            raise UnusableReply(f"{self._to} returned an empty reply")
        return text

    def stream(self, prompt: Prompt) -> Generator[str]:
        """Yield the reply in pieces, without its thinking. A refusal may also come in a field of its own.

        Raises ReplyCut after the last one, StreamBroken if the stream breaks, UnusableReply if the reply does.
        """
        finish, text = _Finish(), list[str]()
        yield from self._streamed(self._body(prompt), _length(prompt), finish, text)
        more = self._more(self._body(prompt))
        if finish.reason == "length" and not "".join(text).strip() and more:
            # A refusal of this many tokens is no reason to hide that the first reply was cut off.
            with suppress(RequestRefused):
                again = _Finish()
                yield from self._streamed(more, _length(prompt), again, text)
                finish = again
        whole = "".join(text)
        if finish.refusal and not whole.strip():
            yield self._to.masked(finish.refusal)
            return
        self._check(whole, finish)
        if finish.reason == "length":
            raise self._cut(whole)
        if not finish.reason:
            raise StreamBroken(f"{self._to} closed the stream before the reply ended", hint="try again")
        if not whole.strip():
            raise UnusableReply(f"{self._to} returned an empty reply")

    def _streamed(self, body: Json, characters: int, finish: _Finish, text: list[str]) -> Generator[str]:
        """Yield the pieces of one streamed reply, and add them to `text`."""
        size = 0
        with closing(self._received(body, characters, finish)) as received:
            for piece in joined_pieces(self._to.masked.pieces(without_thinking_in(received))):
                # The last piece is cut to the limit, so that nothing beyond it is ever shown.
                text.append(piece[: self._most_characters - size])
                size += len(piece)
                yield text[-1]
                if size > self._most_characters:
                    finish.reason = "length"
                    break

    def _received(self, body: Json, characters: int, finish: _Finish) -> Generator[str]:
        """Yield the texts of a streamed reply, none empty. How it ended is stored in `finish`."""
        # Without this, a streamed reply reports no usage.
        body = body | {"stream_options": {"include_usage": True}}
        is_usage_reported = False
        with closing(self._client.stream(_PATH, body, characters=characters)) as chunks:
            for chunk in chunks:
                is_usage_reported |= chunk.usage is not None and chunk.usage.is_reported
                for choice in chunk.choices[:1]:
                    finish.add(choice)
                    if choice.delta.content:
                        yield choice.delta.content
                # Some servers send no finish reason. The usage is only known at the end.
                if chunk.is_end and is_usage_reported and not finish.reason:
                    finish.reason = "stop"

    @property
    def _most_characters(self) -> int:
        return self._role.max_tokens * _MOST_CHARACTERS_PER_TOKEN

    def ask(
        self, prompt: Prompt, shape: type[Shape], check: Callable[[Shape], object] = lambda reply: None
    ) -> tuple[Shape, tuple[str, ...]]:
        """Return (the JSON object of the reply, validated, a note for each repair: see lenient_reply).

        An invalid reply is asked for once more.
        check: raises ValueError, worded for the model, to reject an object whose shape is valid.
        Raises UnusableReply: the second reply is invalid too; ModelError.
        """

        def parse(text: str) -> tuple[Shape, tuple[str, ...]]:
            reply, notes = read_leniently(text, shape)
            check(reply)
            return reply, notes

        text, finish = self._reply(prompt, response_format=response_format(shape))
        try:
            return parse(text)
        except ValueError as wrong:
            # The model is told its mistake and asked again, but only once, because every try is paid for.
            again = prompt.corrected(self._complaint(wrong, finish))
        text, finish = self._reply(again, response_format=response_format(shape))
        try:
            return parse(text)
        except ValueError as wrong:
            hint = f"try another model under {self._to.role}"
            why = f"{self._to} returned no usable JSON, twice: {self._complaint(wrong, finish)}"
            raise UnusableReply(why, hint=hint, text=text) from wrong

    def read(self, text: str, shape: type[Shape], /) -> Shape:
        """Return the JSON object of a reply that was streamed, repaired. Raises ValueError if it has none."""
        return read_leniently(text, shape)[0]

    def _complaint(self, wrong: ValueError, finish: str) -> str:
        """Return an error message about the reply, worded for the model."""
        return (
            f"it was cut off after {self._role.max_tokens} tokens, keep it shorter"
            if finish == "length"
            else str(wrong)
        )

    def _reply(self, prompt: Prompt, **parameters: object) -> tuple[str, str]:
        """Return (text, finish reason)."""
        body = self._body(prompt) | parameters
        text, finish = self._read(body, _length(prompt))
        if finish == "length" and not text:
            if more := self._more(body):
                with suppress(RequestRefused):  # the server takes fewer tokens
                    text, finish = self._read(more, _length(prompt))
            if finish == "length" and not text:
                # Raised and not returned empty: a role that expects JSON would repeat the call, and pay for it again.
                raise self._cut(text)
        return text, finish

    def _read(self, body: Json, characters: int) -> tuple[str, str]:
        finish, text = _Finish(), ""
        for choice in self._client.post(_PATH, body, Completion, characters=characters).choices:
            finish.add(choice)
            text = without_thinking(choice.message.content)
        self._check(text, finish)
        most = self._most_characters
        return (text[:most], "length") if len(text) > most else (text, finish.reason)

    def _more(self, body: Json) -> Json | None:
        """Return the request with more tokens for the reply; None if the model's limit allows no more."""
        limit = self._to.known.output if self._to.known else None
        most = min(self._role.max_tokens * _MORE_TOKENS, limit or self._role.max_tokens * _MORE_TOKENS)
        return body | {"max_tokens": most} if most > self._role.max_tokens else None

    def _check(self, text: str, finish: _Finish) -> None:
        """Raises ModelFailed: the reply is a refusal, or an error or a content filter broke it off."""
        if finish.refusal and not text.strip():
            raise UnusableReply(f"{self._to} refused to answer: {self._to.masked(finish.refusal)[:200]}")
        if finish.reason == "content_filter":
            hint = "other requests are not affected; a model of another provider may accept it"
            raise RequestModerated(f"a content filter of {self._to} broke off the reply", hint=hint)
        if finish.error or finish.reason == "error":
            why = f": {self._to.masked(finish.error.message)[:200]}" if finish.error else ""
            raise UnusableReply(f"an error of {self._to} broke off the reply{why}", hint="try again", text=text)

    def _body(self, prompt: Prompt) -> Json:
        return {
            "messages": [{"role": message.speaker, "content": _content(message)} for message in prompt.messages],
            "temperature": self._role.temperature,
            "max_tokens": self._role.max_tokens,
        }

    def _cut(self, text: str) -> ReplyCut:
        used = "was cut off after" if text.strip() else "is empty: its thinking used all of"
        message = f"the reply of {self._to} {used} {self._role.max_tokens} tokens"
        return ReplyCut(message, hint=f"raise max_tokens under {self._to.role}", text=text)


def _length(prompt: Prompt) -> int:
    """Return the length of the text in characters. Attachments count with their estimated tokens."""
    attached = sum(attachment.tokens for message in prompt.messages for attachment in message.shown)
    return sum(len(message.text) for message in prompt.messages) + CHARACTERS_PER_TOKEN * attached


def _content(message: Message) -> str | list[Json]:
    """Return the content of a message: a string if there are no attachments, because not every server accepts parts.

    image_url and input_audio are OpenAI's; video_url is an extension of OpenRouter and vLLM. All carry the data as
    base64, so nothing has to be hosted for the provider to fetch.
    """
    if not message.shown:
        return message.text
    # Text before attachments, as providers recommend.
    return [_text_part(message.text), *(part for attachment in message.shown for part in _parts(attachment))]


def _parts(attachment: Attachment) -> Iterator[Json]:
    if attachment.caption:
        yield _text_part(attachment.caption)
    data = base64.b64encode(attachment.data).decode()
    kind = attachment.mime.partition("/")[0]
    if kind == "audio":
        yield {"type": "input_audio", "input_audio": {"data": data, "format": _AUDIO_FORMATS[attachment.mime]}}
    else:
        name = {"image": "image_url", "video": "video_url"}[kind]
        yield {"type": name, name: {"url": f"data:{attachment.mime};base64,{data}"}}


def _text_part(text: str) -> Json:
    return {"type": "text", "text": text}


def response_format(shape: type[BaseModel]) -> Json:
    """Return the `response_format` of a chat completion that asks for one object of this model."""
    schema = {"name": shape.__name__, "strict": True, "schema": _strict(shape.model_json_schema())}
    return {"type": "json_schema", "json_schema": schema}


def _strict(schema: Json) -> Json:
    """Return the schema in strict mode: every key required, no others allowed, no defaults and no bounds.

    Properties marked readOnly are left out, because this program fills them in.
    """
    strict: Json = {key: _nested(key, value) for key, value in schema.items() if key not in _OMITTED}
    if "properties" in schema:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _nested(key: str, value: Any) -> Any:
    if key in {"properties", "$defs"}:
        return {name: _strict(schema) for name, schema in value.items() if not schema.get("readOnly")}
    if key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
        return [_strict(schema) for schema in value]
    return _strict(cast(Json, value)) if key == "items" else value
