"""One request and its reply over the OpenAI API, through the openai SDK, which retries nothing by itself here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from openai import OpenAI, Stream

from amr_neo4j.models.endpoints import Endpoint
from amr_neo4j.models.error_mapping import fault, status_of, told_plainly
from amr_neo4j.models.responses import Chunk, ResponseModel

AnyWire = TypeVar("AnyWire", bound=ResponseModel)


class Connection:
    """Requests to one endpoint. Safe to use from several threads."""

    def __init__(self, to: Endpoint) -> None:
        self._to = to
        self._sdk = OpenAI(base_url=to.base_url, api_key=to.api_key, max_retries=0)

    def post(self, path: str, body: dict[str, Any], shape: type[AnyWire], timeout_s: float) -> AnyWire:
        """The whole reply. Raises ModelError."""
        with told_plainly(self._to):
            text = self._sdk.post(path, cast_to=str, body=body, options={"timeout": timeout_s})
            return self._sound(shape.model_validate_json(text))

    def stream(self, path: str, body: dict[str, Any], timeout_s: float) -> Iterator[Chunk]:
        """The reply's events as they come, one at least. timeout_s: for the first, and from one to the next."""
        asked = {**body, "stream": True}
        with told_plainly(self._to):
            events = self._sdk.post(
                path,
                cast_to=object,
                body=asked,
                options={"timeout": timeout_s},
                stream=True,
                stream_cls=Stream[object],
            )
            with events:
                yield self._chunk(next(events, None))
                yield from map(self._chunk, events)

    def _chunk(self, event: object) -> Chunk:
        return self._sound(Chunk.model_validate(event))

    def _sound(self, reply: AnyWire) -> AnyWire:
        """The reply, unless it is an error."""
        if reply.error:
            raise fault(self._to, status_of(reply.error.code), reply.error.message, code=str(reply.error.code))
        return reply
