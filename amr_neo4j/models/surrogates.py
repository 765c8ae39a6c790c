"""Lone surrogates: JSON can escape them (half an emoji), UTF-8 and the graph cannot hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

_SURROGATE = re.compile("[\ud800-\udfff]")
_HIGH = re.compile("[\ud800-\udbff]$")


def joined(text: str) -> str:
    """The text with pairs of surrogates as the one character they mean, and lone ones as U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def joined_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """The same of a text in pieces, where a pair may be split between two."""
    half = ""
    for piece in pieces:
        text = half + piece
        half = text[-1:] if _HIGH.search(text) else ""
        yield joined(text.removesuffix(half) if half else text)
    if half:
        yield joined(half)


def joined_in(value: Any) -> tuple[Any, bool]:
    """(a JSON value with its texts as in `joined`, whether any was changed)."""
    if isinstance(value, str):
        return joined(value), bool(_SURROGATE.search(value))
    if isinstance(value, list):
        items = [joined_in(item) for item in cast(list[Any], value)]
        return [item for item, _ in items], any(changed for _, changed in items)
    if isinstance(value, dict):
        pairs = [(joined_in(key), joined_in(item)) for key, item in cast(dict[Any, Any], value).items()]
        return {key[0]: item[0] for key, item in pairs}, any(key[1] or item[1] for key, item in pairs)
    return value, False
