"""Sends one request over the OpenAI API and reads its response, through the openai SDK but without its retries."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

from openai import Stream
from pydantic import BaseModel

from amr_neo4j.errors import ModelError, ModelGarbled, NoSuchModel, RequestRefused
from amr_neo4j.models.endpoint import Endpoint
from amr_neo4j.models.error_mapping import mapped_errors, provider_error, status_of
from amr_neo4j.models.http import Lines, httpx
from amr_neo4j.models.json_reply import joined_in
from amr_neo4j.models.responses import Chunk, ChunkChoice, Completion, ModelList, ResponseModel, ServedModel

_LONGEST_NAME = 200
AnyResponse = TypeVar("AnyResponse", bound=BaseModel)
_EVENTS_END = "[DONE]"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")


class EndpointClient:
    """Requests to one endpoint. Thread-safe.

    timeout_s: the limit in seconds for the whole response, by the wall clock.
    connect_s: for the connection.
    """

    def __init__(self, to: Endpoint) -> None:
        self._lines = Lines(to)

    @property
    def to(self) -> Endpoint:
        """The endpoint, which errors name."""
        return self._lines.to

    @to.setter
    def to(self, served: Endpoint) -> None:
        self._lines.to = served

    def post(
        self,
        path: str,
        body: dict[str, Any],
        shape: type[AnyResponse],
        *,
        timeout_s: float,
        connect_s: float | None = None,
    ) -> AnyResponse:
        """Return the whole response. Raises ModelError."""
        with self._response(path, body, timeout_s, connect_s) as response:
            return self._read(response, shape)

    def failure(self, reply: ResponseModel) -> ModelError | None:
        """Return the error that a response of status 200 reports; None if there is none."""
        return provider_error(self.to, status_of(reply.error.code), reply.error) if reply.error else None

    def models(self, timeout_s: float, *, path: str = "/models", connect_s: float | None = None) -> list[ServedModel]:
        """Return the models that the server lists. Raises ModelError."""
        with self._response(path, None, timeout_s, connect_s) as response:
            reply = self._read(response, ModelList)
            if failure := self.failure(reply):
                raise failure
            if "data" not in reply.model_fields_set:
                raise RequestRefused(f"{self.to} returned no list of models", hint="check provider")
            return [row for row in reply.data if 0 < len(row.id) <= _LONGEST_NAME and row.id.isprintable()]

    def detailed(self, row: ServedModel, timeout_s: float) -> ServedModel:
        """Return a row of a local server's list with what Ollama and LM Studio tell elsewhere. Raises ModelError."""
        root = self.to.base_url.removesuffix("/v1")
        no_such_path = ModelGarbled, NoSuchModel, RequestRefused
        for url, body in ((f"{root}/api/show", {"model": row.id}), (f"{root}/api/v0/models/{row.id}", None)):
            with suppress(*no_such_path), self._response(url, body, timeout_s) as response:
                more = self._read(response, ServedModel)
                if more.takes is not None or more.context:
                    return row.model_copy(update={"takes": more.takes, "context": more.context or row.context})
        return row

    def stream(
        self, path: str, body: dict[str, Any], *, timeout_s: float, connect_s: float | None = None
    ) -> Iterator[Chunk]:
        """Yield the events of the response, at least one. A server that does not stream yields one event.

        timeout_s: the limit for all events together, including the time that the caller takes between them.
        Raises ModelError.
        """
        with self._response(path, {**body, "stream": True}, timeout_s, connect_s) as response:
            if "json" in response.headers.get("content-type", ""):
                yield _as_chunk(self._read(response, Completion))
                return
            events = _event_data(response.iter_bytes())
            # An empty stream is no valid response, so "" is parsed, which raises an error.
            first = next(events, "")
            yield self._chunk("" if first == _EVENTS_END else first)
            yield from map(self._chunk, events)

    @contextmanager
    def _response(
        self, path: str, body: dict[str, Any] | None, timeout_s: float, connect_s: float | None = None
    ) -> Generator[httpx.Response]:
        """Give the response before its body is read. body: None for a GET."""
        timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, connect_s or timeout_s))
        with mapped_errors(self.to), self._lines.line(timeout_s) as line:
            how: dict[str, Any] = {"cast_to": httpx.Response, "options": {"timeout": timeout}}
            how |= {"stream": True, "stream_cls": Stream[object]}  # the SDK hands over a response of this class as is
            send: Any = line.sdk.get if body is None else line.sdk.post
            response: httpx.Response = send(path, **how) if body is None else send(path, body=body, **how)
            with closing(response):
                yield response

    def _read(self, response: httpx.Response, shape: type[AnyResponse]) -> AnyResponse:
        text = self.to.masked(response.read().decode("utf-8-sig", "replace"))
        found = _json(text)
        if _SURROGATE_ESCAPE.search(text):
            found, _ = joined_in(found)
        return shape.model_validate(found)

    def _chunk(self, event: str) -> Chunk:
        # Surrogates and keys may be split between events: Chat.stream looks for them.
        return Chunk(is_end=True) if event == _EVENTS_END else Chunk.model_validate(_json(event))


def _json(text: str) -> Any:
    """Parse JSON. Raises ValueError, also if it is nested too deep."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _as_chunk(reply: Completion) -> Chunk:
    choices = [
        ChunkChoice(delta=one.message, finish_reason=one.finish_reason, error=one.error) for one in reply.choices
    ]
    return Chunk(choices=choices, usage=reply.usage, error=reply.error, model=reply.model)


def _event_data(body: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each server-sent event until the body ends or an event is [DONE]. Comments are skipped.

    llama.cpp reports an error in a field `error` of its own, which is yielded as {"error": ...}.
    """
    data: list[str] = []
    for line in _lines(body):
        field, _, value = line.partition(":")
        if field == "data":
            # The format allows one space after the colon, which does not belong to the data.
            data.append(value.removeprefix(" "))
        elif field == "error":
            yield f'{{"error": {_as_json(value)}}}'
        elif not line and data:
            text, data = "\n".join(data), []
            yield text
            if text == _EVENTS_END:
                return
    if data:
        yield "\n".join(data)


def _as_json(value: str) -> str:
    try:
        return json.dumps(_json(value))
    except ValueError:
        return json.dumps(value)


def _lines(body: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in body:
        *lines, rest = (rest + piece).split(b"\n") if b"\n" in piece else (rest + piece,)
        for line in lines:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8", "replace")
