"""One request and its response over the OpenAI API, through the openai SDK with the SDK's own retries turned off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from openai import OpenAI, Stream

from amr_neo4j.models.endpoints import Endpoint
from amr_neo4j.models.error_mapping import mapped_errors, provider_error, status_of
from amr_neo4j.models.responses import Chunk, ResponseModel

AnyResponse = TypeVar("AnyResponse", bound=ResponseModel)


class Connection:
    """Requests to one endpoint. Thread-safe."""

    def __init__(self, to: Endpoint) -> None:
        self._to = to
        self._sdk = OpenAI(base_url=to.base_url, api_key=to.api_key, max_retries=0)

    def post(self, path: str, body: dict[str, Any], shape: type[AnyResponse], timeout_s: float) -> AnyResponse:
        """Return the whole response. Raises ModelError."""
        with mapped_errors(self._to):
            text = self._sdk.post(path, cast_to=str, body=body, options={"timeout": timeout_s})
            return self._checked(shape.model_validate_json(text))

    def stream(self, path: str, body: dict[str, Any], timeout_s: float) -> Iterator[Chunk]:
        """Yield the events of the response, at least one.

        timeout_s: for the first event, and between one and the next. Raises ModelError.
        """
        request = {**body, "stream": True}
        with mapped_errors(self._to):
            events = self._sdk.post(
                path,
                cast_to=object,
                body=request,
                options={"timeout": timeout_s},
                stream=True,
                stream_cls=Stream[object],
            )
            with events:
                yield self._chunk(next(events, None))
                yield from map(self._chunk, events)

    def _chunk(self, event: object) -> Chunk:
        return self._checked(Chunk.model_validate(event))

    def _checked(self, reply: AnyResponse) -> AnyResponse:
        """Return the response. Raises ModelError: it reports an error."""
        if reply.error:
            code = reply.error.code
            raise provider_error(self._to, status_of(code), reply.error.message, code=str(code))
        return reply
