"""Server-sent events, as far as streamed chat completions use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_END = "[DONE]"


def event_data(body: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event, until the body or the event [DONE] ends it; comments are skipped."""
    data: list[str] = []
    for line in _lines(body):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            if text == _END:
                return
            yield text
    if data and data != [_END]:
        yield "\n".join(data)


def _lines(body: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in body:
        *lines, rest = (rest + piece).split(b"\n") if b"\n" in piece else (rest + piece,)
        for line in lines:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    if rest:
        yield rest.decode("utf-8", "replace")
