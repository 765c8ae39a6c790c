"""Sends one request over the OpenAI API and reads its response, through the openai SDK but without its retries."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from openai import Stream

from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.error_mapping import mapped_errors, provider_error, status_of
from amr_neo4j.models.http import Lines, httpx
from amr_neo4j.models.json_reply import joined_in
from amr_neo4j.models.responses import Chunk, ChunkChoice, Completion, ModelList, ResponseModel

_LONGEST_NAME = 200
AnyResponse = TypeVar("AnyResponse", bound=ResponseModel)
_EVENTS_END = "[DONE]"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")


class EndpointClient:
    """Requests to one endpoint. Thread-safe.

    timeout_s: the limit in seconds for the whole response, by the wall clock.
    """

    def __init__(self, to: Endpoint) -> None:
        self._to = to
        self._lines = Lines(to)

    def post(self, path: str, body: dict[str, Any], shape: type[AnyResponse], *, timeout_s: float) -> AnyResponse:
        """Return the whole response. Raises ModelError."""
        with self._response(path, body, timeout_s) as response:
            return self._read(response, shape)

    def models(self, timeout_s: float) -> list[str]:
        """Return the names of the models that the server lists. Raises ModelError."""
        with self._response("/models", None, timeout_s) as response:
            names = [model.id for model in self._read(response, ModelList).data]
            return [name for name in names if 0 < len(name) <= _LONGEST_NAME and name.isprintable()]

    def stream(self, path: str, body: dict[str, Any], timeout_s: float) -> Iterator[Chunk]:
        """Yield the events of the response, at least one. A server that does not stream yields one event.

        timeout_s: the limit for all events together, including the time that the caller takes between them.
        Raises ModelError.
        """
        with self._response(path, {**body, "stream": True}, timeout_s) as response:
            if "json" in response.headers.get("content-type", ""):
                yield _as_chunk(self._read(response, Completion))
                return
            events = _event_data(response.iter_bytes())
            # An empty stream is no valid response, so "" is parsed, which raises an error.
            yield self._chunk(next(events, ""))
            yield from map(self._chunk, events)

    @contextmanager
    def _response(self, path: str, body: dict[str, Any] | None, timeout_s: float) -> Generator[httpx.Response]:
        """Give the response before its body is read. body: None for a GET."""
        with mapped_errors(self._to), self._lines.line(timeout_s) as line:
            how: dict[str, Any] = {"cast_to": httpx.Response, "options": {"timeout": timeout_s}}
            how |= {"stream": True, "stream_cls": Stream[object]}  # the SDK hands over a response of this class as is
            send: Any = line.sdk.get if body is None else line.sdk.post
            response: httpx.Response = send(path, **how) if body is None else send(path, body=body, **how)
            with closing(response):
                yield response

    def _read(self, response: httpx.Response, shape: type[AnyResponse]) -> AnyResponse:
        text = self._to.masked(response.read().decode("utf-8-sig", "replace"))
        found = _json(text)
        if _SURROGATE_ESCAPE.search(text):
            found, _ = joined_in(found)
        return self._checked(shape.model_validate(found))

    def _chunk(self, event: str) -> Chunk:
        # Surrogates and keys may be split between events: Chat.stream looks for them.
        return self._checked(Chunk.model_validate(_json(event)))

    def _checked(self, reply: AnyResponse) -> AnyResponse:
        """Return the response. Raises ModelError: it reports an error."""
        if reply.error:
            code = reply.error.code
            metadata = reply.error.metadata
            raise provider_error(self._to, status_of(code), reply.error.message, code=str(code), metadata=metadata)
        return reply


def _json(text: str) -> Any:
    """Parse JSON. Raises ValueError, also if it is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _as_chunk(reply: Completion) -> Chunk:
    choices = [ChunkChoice(delta=one.message, finish_reason=one.finish_reason) for one in reply.choices]
    return Chunk(choices=choices, usage=reply.usage)


def _event_data(body: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each server-sent event until the body ends or an event is [DONE]. Comments are skipped."""
    data: list[str] = []
    for line in _lines(body):
        field, _, value = line.partition(":")
        if field == "data":
            # The format allows one space after the colon, which does not belong to the data.
            data.append(value.removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            if text == _EVENTS_END:
                return
            yield text
    if data and data != [_EVENTS_END]:
        yield "\n".join(data)


def _lines(body: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in body:
        *lines, rest = (rest + piece).split(b"\n") if b"\n" in piece else (rest + piece,)
        for line in lines:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8", "replace")
